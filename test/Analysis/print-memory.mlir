// The unit model of docs/memory-model.md: every tensor is one byte, no
// alignment. chain(n) peaks at n + 2 when everything is kept.
// RUN: ringi-opt %s --allow-unregistered-dialect -o /dev/null \
// RUN:   --ringi-print-memory="alignment=1 function=chain4" | FileCheck %s --check-prefix=TEXT
// RUN: ringi-opt %s --allow-unregistered-dialect -o /dev/null \
// RUN:   --ringi-print-memory="alignment=1 function=chain4 format=json" | FileCheck %s --check-prefix=JSON
// RUN: ringi-opt %s --allow-unregistered-dialect -o /dev/null \
// RUN:   --ringi-print-memory="function=views" | FileCheck %s --check-prefix=VIEWS
// RUN: ringi-opt %s --allow-unregistered-dialect -o /dev/null \
// RUN:   --ringi-print-memory="alignment=1 function=one_op" | FileCheck %s --check-prefix=ONE
// RUN: ringi-opt %s --allow-unregistered-dialect -o /dev/null \
// RUN:   --ringi-print-memory="alignment=1 function=in_place" | FileCheck %s --check-prefix=INPLACE

// RUN: ringi-opt %s --allow-unregistered-dialect -o /dev/null \
// RUN:   --ringi-print-memory="alignment=16 function=bias" | FileCheck %s --check-prefix=BIAS

// RUN: ringi-opt %s --allow-unregistered-dialect -o /dev/null \
// RUN:   --ringi-print-memory="alignment=1 function=vectors" | FileCheck %s --check-prefix=VECTORS

// TEXT: memory of 'chain4': live peak 6 bytes at dloss.5
// TEXT-SAME: saved activations 4 bytes
// TEXT: at the peak:
// TEXT-NEXT: input 1
// TEXT-NEXT: saved_activation 4
// TEXT-NEXT: gradient_in_flight 1
// TEXT: live storages at the peak:
// TEXT-NEXT: %arg0 1 input last read by b.9
// TEXT-NEXT: f.0 1 saved_activation from f.0 last read by b.8
// TEXT: block saved recomputed gradients
// TEXT-NEXT: first 2 0 2
// TEXT-NEXT: second 2 0 2
// TEXT: timeline:
// TEXT-NEXT: 0 f.0 forward 2
// TEXT-NEXT: 1 f.1 forward 3
// TEXT-NEXT: 2 f.2 forward 4
// TEXT-NEXT: 3 f.3 forward 5
// TEXT-NEXT: 4 loss.4 forward 5
// TEXT-NEXT: 5 dloss.5 backward 6
// TEXT-NEXT: 6 b.6 backward 6
// TEXT-NEXT: 7 b.7 backward 5
// TEXT-NEXT: 8 b.8 backward 4
// TEXT-NEXT: 9 b.9 backward 3

// JSON: "blocks": [
// JSON: "block": "first",
// JSON: "saved_bytes": 2
// JSON: "categories": {
// JSON: "saved_activation": 4,
// JSON: "function": "chain4",
// JSON: "live_peak_bytes": 6,
// JSON: "peak_location": "{{.*}}print-memory.mlir:{{[0-9]+}}",
// JSON: "peak_op": "dloss.5",
// JSON: "saved_activation_bytes": 4,
// JSON: "timeline": [
// JSON: "live_bytes": 2,
// JSON: "op": "f.0",
func.func @chain4(%x0: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
  %x1 = "t.f"(%x0) {ringi.phase = "forward", ringi.block = "first"} : (tensor<1xi8>) -> tensor<1xi8>
  %x2 = "t.f"(%x1) {ringi.phase = "forward", ringi.block = "first"} : (tensor<1xi8>) -> tensor<1xi8>
  %x3 = "t.f"(%x2) {ringi.phase = "forward", ringi.block = "second"} : (tensor<1xi8>) -> tensor<1xi8>
  %x4 = "t.f"(%x3) {ringi.phase = "forward", ringi.block = "second"} : (tensor<1xi8>) -> tensor<1xi8>
  %loss = "t.loss"(%x4) {ringi.phase = "forward", ringi.bytes = 0} : (tensor<1xi8>) -> tensor<1xi8>
  %g4 = "t.dloss"(%x4) {ringi.phase = "backward"} : (tensor<1xi8>) -> tensor<1xi8>
  %g3 = "t.b"(%x3, %g4) {ringi.phase = "backward", ringi.block = "second"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  %g2 = "t.b"(%x2, %g3) {ringi.phase = "backward", ringi.block = "second"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  %g1 = "t.b"(%x1, %g2) {ringi.phase = "backward", ringi.block = "first"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  %g0 = "t.b"(%x0, %g1) {ringi.phase = "backward", ringi.block = "first"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  return %loss, %g0 : tensor<1xi8>, tensor<1xi8>
}

// Three reshapes and two slices of one storage count it once: 48 bytes are one
// slot of 256, the argument is another.
// VIEWS: memory of 'views': live peak 1024 bytes
// VIEWS: t.0 256
// VIEWS: timeline:
// VIEWS-NEXT: 0 t.0 forward 512
// VIEWS-NEXT: 1 use.1 forward 768
// VIEWS-NEXT: 2 use.2 forward 1024
func.func @views(%a: tensor<12xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
  %t = "t.t"(%a) : (tensor<12xf32>) -> tensor<12xf32>
  %0 = ringi.reshape %t : tensor<12xf32> -> tensor<3x4xf32>
  %1 = ringi.reshape %t : tensor<12xf32> -> tensor<4x3xf32>
  %2 = ringi.reshape %0 : tensor<3x4xf32> -> tensor<2x6xf32>
  %3 = ringi.slice %0 {axis = 0 : i64, start = 1 : i64} : tensor<3x4xf32> -> tensor<2x4xf32>
  %4 = ringi.slice %t {axis = 0 : i64, start = 2 : i64} : tensor<12xf32> -> tensor<3xf32>
  %5 = "t.use"(%1, %2) : (tensor<4x3xf32>, tensor<2x6xf32>) -> tensor<1xf32>
  %6 = "t.use"(%3, %4) : (tensor<2x4xf32>, tensor<3xf32>) -> tensor<1xf32>
  return %5, %6 : tensor<1xf32>, tensor<1xf32>
}

// a(40) -> b(40): both count, unless the op says that it reuses what dies.
// ONE: memory of 'one_op': live peak 120 bytes at matmul.1
func.func @one_op(%x: tensor<10xf32>, %w: tensor<10x10xf32> {ringi.bytes = 0}) -> tensor<1x10xf32> {
  %a = "t.f"(%x) : (tensor<10xf32>) -> tensor<1x10xf32>
  %b = ringi.matmul %a, %w : (tensor<1x10xf32>, tensor<10x10xf32>) -> tensor<1x10xf32>
  return %b : tensor<1x10xf32>
}

// INPLACE: memory of 'in_place': live peak 80 bytes at f.0
// INPLACE: 0 f.0 forward 80
// INPLACE-NEXT: 1 relu.1 forward 80
func.func @in_place(%x: tensor<10xf32>) -> tensor<10xf32> {
  %a = "t.f"(%x) : (tensor<10xf32>) -> tensor<10xf32>
  %b = ringi.relu %a : tensor<10xf32>
  return %b : tensor<10xf32>
}

// A bias of 16 bytes that an add repeats over 64 rows is read where it is: 16
// bytes beside two matrices of 1024.
// BIAS: memory of 'bias': live peak 2064 bytes at add.0
// BIAS: %arg1 16 input
func.func @bias(%x: tensor<64x4xf32>, %b: tensor<4xf32>) -> (tensor<64x4xf32>) {
  %y = ringi.add %x, %b : tensor<64x4xf32>, tensor<4xf32>
  return %y : tensor<64x4xf32>
}

// A vector has the bytes of a tensor of its shape; a scalar has none.
// VECTORS: memory of 'vectors': live peak 128 bytes
func.func @vectors(%x: vector<16xf32>, %n: f32) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}
