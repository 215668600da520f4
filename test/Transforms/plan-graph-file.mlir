// graph=FILE writes what is planned, so that ringi-plan finds the same plan; names that the IR uses twice get numbers. It is written
// also when no plan fits.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=memory-budget budget=1024 function=step graph=%t.json report=%t.report.json" -o /dev/null
// RUN: FileCheck %s --check-prefix=GRAPH < %t.json
// RUN: FileCheck %s --check-prefix=REPORT < %t.report.json
// RUN: ringi-plan %t.json --budget 1024 --json | FileCheck %s --check-prefix=PLAN
// RUN: rm %t.json
// RUN: not ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=memory-budget budget=512 function=step graph=%t.json" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REFUSED
// RUN: FileCheck %s --check-prefix=GRAPH < %t.json
// RUN: not ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="strategy=none graph=%t.json" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=SECOND
// RUN: not ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="strategy=none function=step graph=/nowhere/g.json" -o /dev/null 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITE

// GRAPH: {"format":"ringi.graph","version":1,"name":"step"
// GRAPH: "name":"layer"
// GRAPH: "name":"layer.1"
// REPORT: "live_peak_bytes": 1024,
// PLAN: "live_peak_bytes": 1024,
// REFUSED: no plan fits into 512 bytes
// SECOND: graph={{.*}}.json holds the graph of one function, but 'names' is the second; name one with function=
// WRITE: cannot write '/nowhere/g.json'
func.func @step(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.exp %x {ringi.phase = "forward"} : tensor<64xf32> loc("layer")
  %1 = math.exp %0 {ringi.phase = "forward"} : tensor<64xf32> loc("layer")
  %2 = math.exp %1 {ringi.phase = "forward"} : tensor<64xf32>
  %3 = arith.mulf %2, %1 {ringi.phase = "backward"} : tensor<64xf32>
  %4 = arith.mulf %3, %0 {ringi.phase = "backward"} : tensor<64xf32>
  %5 = arith.mulf %4, %x {ringi.phase = "backward"} : tensor<64xf32>
  return %5 : tensor<64xf32>
}

// An empty name is none, and what is not UTF-8 is replaced, or no reader would take the file.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=none function=names graph=%t.names.json" -o /dev/null
// RUN: ringi-plan %t.names.json --strategy none --json | FileCheck %s --check-prefix=NAMES
// RUN: FileCheck %s --check-prefix=UNNAMED < %t.names.json
// NAMES: "status": "planned"
// UNNAMED: "name":"exp.0"
func.func @names(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.exp %x {ringi.phase = "forward"} : tensor<16xf32> loc("")
  %1 = math.exp %0 {ringi.phase = "forward", ringi.block = "\FF"} : tensor<16xf32> loc("\FF\FE")
  %2 = arith.mulf %0, %1 {ringi.phase = "backward"} : tensor<16xf32>
  return %2 : tensor<16xf32>
}

func.func @other(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = math.exp %x {ringi.phase = "forward"} : tensor<64xf32>
  %1 = arith.mulf %0, %x {ringi.phase = "backward"} : tensor<64xf32>
  return %1 : tensor<64xf32>
}
