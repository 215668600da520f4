// Weight gradients that a frontend puts at the end run where they free what
// they read (case 17): under order=free, w2 runs before the gradient goes on.
// RUN: ringi-opt %s --allow-unregistered-dialect \
// RUN:   --ringi-checkpoint="strategy=memory-budget budget=100% order=free alignment=1" | FileCheck %s
// RUN: ringi-opt %s --allow-unregistered-dialect \
// RUN:   --ringi-checkpoint="strategy=memory-budget budget=100% order=fixed alignment=1" | FileCheck %s --check-prefix=FIXED

// CHECK: "t.d"
// CHECK-NEXT: "t.w2"
// CHECK-NEXT: "t.b2"
// CHECK-NEXT: "t.b1"
// CHECK-NEXT: "t.w1"

// FIXED: "t.d"
// FIXED-NEXT: "t.b2"
// FIXED-NEXT: "t.b1"
// FIXED-NEXT: "t.w2"
// FIXED-NEXT: "t.w1"
func.func @step(%x: tensor<10xi8>) -> (tensor<1xi8>, tensor<1xi8>, tensor<10xi8>) {
  %a1 = "t.f1"(%x) {ringi.phase = "forward", ringi.recomputable = true} : (tensor<10xi8>) -> tensor<10xi8>
  %a2 = "t.f2"(%a1) {ringi.phase = "forward", ringi.recomputable = true} : (tensor<10xi8>) -> tensor<10xi8>
  %g2 = "t.d"(%a2) {ringi.phase = "backward", ringi.recomputable = true} : (tensor<10xi8>) -> tensor<10xi8>
  %g1 = "t.b2"(%g2) {ringi.phase = "backward", ringi.recomputable = true} : (tensor<10xi8>) -> tensor<10xi8>
  %g0 = "t.b1"(%g1) {ringi.phase = "backward", ringi.recomputable = true} : (tensor<10xi8>) -> tensor<10xi8>
  %w2 = "t.w2"(%a1, %g2) {ringi.phase = "backward", ringi.recomputable = true} : (tensor<10xi8>, tensor<10xi8>) -> tensor<1xi8>
  %w1 = "t.w1"(%x, %g1) {ringi.phase = "backward", ringi.recomputable = true} : (tensor<10xi8>, tensor<10xi8>) -> tensor<1xi8>
  return %w1, %w2, %g0 : tensor<1xi8>, tensor<1xi8>, tensor<10xi8>
}
