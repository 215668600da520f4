// After planning, the stock passes of any mlir-opt change neither the number of
// runs of an op nor the live peak: the verifier compares both with the plan.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=recompute-all" \
// RUN:   --cse --canonicalize --loop-invariant-code-motion --symbol-dce --cse --ringi-verify-plan \
// RUN:   | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%ringi_plugin \
// RUN:   --pass-pipeline='builtin.module(ringi-checkpoint{strategy=recompute-all},cse,canonicalize,func.func(loop-invariant-code-motion),symbol-dce,ringi-verify-plan)' \
// RUN:   | FileCheck %s
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=recompute-all" -o %t.planned.mlir
// RUN: ringi-opt %t.planned.mlir --allow-unregistered-dialect --cse --canonicalize --loop-invariant-code-motion --symbol-dce \
// RUN:   -o %t.after.mlir
// RUN: diff %t.planned.mlir %t.after.mlir

// The clones have the operands and attributes of their origins, one of them a
// constant; without their region CSE would merge them.
// CHECK-LABEL: func.func @step
// CHECK-COUNT-2: ringi.gelu
// CHECK: ringi.recompute
// CHECK: ringi.gelu
func.func @step(%x: tensor<64xf32>, %w: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>, tensor<64xf32>) {
  %c = arith.constant dense<2.0> : tensor<64xf32>
  %0 = ringi.mul %x, %c {ringi.phase = "forward"} : tensor<64xf32>, tensor<64xf32>
  %1 = ringi.gelu %0 {ringi.phase = "forward"} : tensor<64xf32>
  %2 = ringi.mul %1, %w {ringi.phase = "forward"} : tensor<64xf32>, tensor<64xf32>
  %3 = ringi.gelu %2 {ringi.phase = "forward"} : tensor<64xf32>
  %loss = ringi.mse %3, %x {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  %one = ringi.fill {factor = 1.0, ringi.phase = "backward"} : tensor<f32>
  %d3 = ringi.mse_backward %one, %3, %x {ringi.phase = "backward"} : (tensor<f32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %d2 = ringi.gelu_backward %d3, %2 {ringi.phase = "backward"} : tensor<64xf32>
  %dw = ringi.mul %d2, %1 {ringi.phase = "backward"} : tensor<64xf32>, tensor<64xf32>
  %d1 = ringi.mul %d2, %w {ringi.phase = "backward"} : tensor<64xf32>, tensor<64xf32>
  %d0 = ringi.gelu_backward %d1, %0 {ringi.phase = "backward"} : tensor<64xf32>
  %dx = ringi.mul %d0, %c {ringi.phase = "backward"} : tensor<64xf32>, tensor<64xf32>
  return %loss, %dw, %dx : tensor<f32>, tensor<64xf32>, tensor<64xf32>
}

// A function without a backward part is left byte for byte.
// CHECK-LABEL: func.func @forward_only
// CHECK-NEXT: ringi.block "b" -> tensor<64xf32> {
// CHECK-NEXT: ringi.gelu %{{.*}} : tensor<64xf32>
// CHECK-NEXT: ringi.yield
// CHECK-NEXT: }
// CHECK-NEXT: return
func.func @forward_only(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = ringi.block "b" -> tensor<64xf32> {
    %1 = ringi.gelu %x : tensor<64xf32>
    ringi.yield %1 : tensor<64xf32>
  }
  return %0 : tensor<64xf32>
}
