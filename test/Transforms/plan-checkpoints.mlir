// chain(4) of docs/memory-model.md: 7 forward runs at 4 units, 5 at 5, 4 at 6.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=memory-budget budget=4 alignment=1 function=chain4" \
// RUN:   | FileCheck %s --check-prefix=BUDGET4
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=memory-budget budget=5 alignment=1 function=chain4" \
// RUN:   | FileCheck %s --check-prefix=BUDGET5
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=memory-budget budget=100% alignment=1 function=chain4" \
// RUN:   | FileCheck %s --check-prefix=BUDGET6
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="strategy=recompute-all alignment=1 function=chain4" \
// RUN:   | FileCheck %s --check-prefix=ALL
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="strategy=manual alignment=1 function=marks" \
// RUN:   | FileCheck %s --check-prefix=MARKS
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="strategy=none alignment=1 function=unmarked" \
// RUN:   | FileCheck %s --check-prefix=UNMARKED

// BUDGET4-LABEL: func.func @chain4
// BUDGET4-SAME: budget = 4 : i64
// BUDGET4-SAME: keep_all_peak = 6 : i64, live_peak = 4 : i64
// BUDGET4-SAME: recomputes = 3 : i64, step_flops = 4 : i64
// BUDGET5-LABEL: func.func @chain4
// BUDGET5-SAME: live_peak = 5 : i64, recompute_flops = 1 : i64, recomputes = 1 : i64
// BUDGET6-LABEL: func.func @chain4
// BUDGET6-SAME: live_peak = 6 : i64
// BUDGET6-SAME: recomputes = 0 : i64
// BUDGET6-NOT: ringi.recompute(

// What is recomputed says so; each clone goes before its first consumer.
// ALL-LABEL: func.func @chain4
// ALL: "t.f"(%{{.*}}) {{.*}}ringi.decision = ["recompute{{.*}}"], ringi.id = 0 : i64
// ALL: "t.dloss"{{.*}}ringi.replay = array<i64: 0, 1, 2, 3>
func.func @chain4(%x0: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
  %x1 = "t.f"(%x0) {ringi.phase = "forward", ringi.block = "0", ringi.recomputable = true, ringi.cost = 1.0} : (tensor<1xi8>) -> tensor<1xi8>
  %x2 = "t.f"(%x1) {ringi.phase = "forward", ringi.block = "1", ringi.recomputable = true, ringi.cost = 1.0} : (tensor<1xi8>) -> tensor<1xi8>
  %x3 = "t.f"(%x2) {ringi.phase = "forward", ringi.block = "2", ringi.recomputable = true, ringi.cost = 1.0} : (tensor<1xi8>) -> tensor<1xi8>
  %x4 = "t.f"(%x3) {ringi.phase = "forward", ringi.block = "3", ringi.recomputable = true, ringi.cost = 1.0} : (tensor<1xi8>) -> tensor<1xi8>
  %loss = "t.loss"(%x4) {ringi.phase = "forward", ringi.bytes = 0} : (tensor<1xi8>) -> tensor<1xi8>
  %g4 = "t.dloss"(%x4) {ringi.phase = "backward"} : (tensor<1xi8>) -> tensor<1xi8>
  %g3 = "t.b"(%x3, %g4) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  %g2 = "t.b"(%x2, %g3) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  %g1 = "t.b"(%x1, %g2) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  %g0 = "t.b"(%x0, %g1) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  return %loss, %g0 : tensor<1xi8>, tensor<1xi8>
}

// MARKS-LABEL: func.func @marks
// MARKS: ringi.decision = ["recompute: marked must-recompute"]{{.*}}ringi.must_recompute
// MARKS: ringi.decision = ["keep: marked must-keep"]{{.*}}ringi.must_keep
func.func @marks(%x: tensor<1xi8>) -> tensor<1xi8> {
  %t = "t.f"(%x) {ringi.must_recompute, ringi.phase = "forward", ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %u = "t.f"(%t) {ringi.must_keep, ringi.phase = "forward", ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %l = "t.loss"(%u) {ringi.phase = "forward"} : (tensor<1xi8>) -> tensor<1xi8>
  %g = "t.b"(%u, %l) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  %h = "t.b"(%t, %g) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  return %h : tensor<1xi8>
}

// Without marks the forward part ends with the returned loss, and says so.
// UNMARKED-LABEL: func.func @unmarked
// UNMARKED: "t.f"{{.*}}ringi.phase = "forward"
// UNMARKED: "t.loss"{{.*}}ringi.phase = "forward"
// UNMARKED: "t.b"{{.*}}ringi.phase = "backward"
func.func @unmarked(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %t = "t.f"(%x) {ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %l = "t.loss"(%t) : (tensor<4xf32>) -> tensor<f32>
  %g = "t.b"(%t) : (tensor<4xf32>) -> tensor<4xf32>
  return %l, %g : tensor<f32>, tensor<4xf32>
}
