// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-inline-recompute | FileCheck %s --check-prefix=FLAT
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-inline-recompute="barrier=t.barrier strip" | FileCheck %s --check-prefix=BARRIER

// FLAT-LABEL: func.func @step
// FLAT-SAME: %[[X:[a-z0-9]+]]: tensor<4xf32> {{.*}}, %[[W:[a-z0-9]+]]: tensor<4xf32>
// FLAT: %[[A:.*]] = "t.f"
// FLAT: %[[D:.*]] = "t.d"
// FLAT-NEXT: %[[C:.*]] = "t.g"(%[[A]], %[[W]], %[[D]]) {ringi.origin = 0 : i64}
// FLAT-NEXT: "t.b"(%[[C]])

// The kept activation goes through the barrier; the parameter and the gradient
// do not. Nothing of the plan is left.
// BARRIER-LABEL: func.func @step
// BARRIER-SAME: %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>
// BARRIER: %[[A:.*]] = "t.f"
// BARRIER: %[[D:.*]] = "t.d"
// BARRIER-NEXT: %[[K:.*]] = "t.barrier"(%[[A]]) : (tensor<4xf32>) -> tensor<4xf32>
// BARRIER-NEXT: %[[C:.*]] = "t.g"(%[[K]], %[[W]], %[[D]]) :
// BARRIER-NEXT: "t.b"(%[[C]])
// BARRIER-NOT: ringi.
func.func @step(%x: tensor<4xf32> {ringi.role = "input"}, %w: tensor<4xf32>) -> tensor<4xf32> {
  %a = "t.f"(%x) {ringi.phase = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  %g = "t.g"(%a, %w, %x) {ringi.id = 0 : i64, ringi.phase = "forward"} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %d = "t.d"(%g) {ringi.phase = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  %r = ringi.recompute(%i = %a, %j = %w, %k = %d) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %c = "t.g"(%i, %j, %k) {ringi.origin = 0 : i64} : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ringi.yield %c : tensor<4xf32>
  } {ringi.phase = "backward"}
  %h = "t.b"(%r) {ringi.phase = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}
