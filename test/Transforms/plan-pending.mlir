// A plan that is not carried out gets no memory and no program; planning a step
// that has memory drops it.
// RUN: not ringi-opt %s --ringi-plan-checkpoints=strategy=recompute-all --ringi-assign-memory 2>&1 | FileCheck %s --check-prefix=PENDING
// RUN: not ringi-opt %s --ringi-checkpoint=strategy=none --ringi-assign-memory --ringi-plan-checkpoints=strategy=recompute-all \
// RUN:   --ringi-export-program=file=%t.rgp 2>&1 | FileCheck %s --check-prefix=EXPORT
// RUN: ringi-opt %s --ringi-checkpoint=strategy=none --ringi-assign-memory --ringi-checkpoint=strategy=recompute-all \
// RUN:   --ringi-assign-memory --ringi-verify-plan | FileCheck %s

// PENDING: error: 'step' has a plan that is not carried out; run --ringi-apply-plan first
// EXPORT: error: 0 functions have assigned memory but a program holds 1; run --ringi-assign-memory first
// CHECK: ringi.recompute
// CHECK: ringi.gelu {{.*}}ringi.offsets
func.func @step(%x: tensor<64xf32> {ringi.role = "input"}, %w: tensor<64xf32> {ringi.role = "parameter"}) -> (tensor<f32>, tensor<64xf32>) {
  %0 = ringi.mul %x, %w {ringi.phase = "forward"} : tensor<64xf32>, tensor<64xf32>
  %1 = ringi.gelu %0 {ringi.phase = "forward"} : tensor<64xf32>
  %2 = ringi.gelu %1 {ringi.phase = "forward"} : tensor<64xf32>
  %loss = ringi.mse %2, %x {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  %one = ringi.fill {factor = 1.0, ringi.phase = "backward"} : tensor<f32>
  %d2 = ringi.mse_backward %one, %2, %x {ringi.phase = "backward"} : (tensor<f32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %d1 = ringi.gelu_backward %d2, %1 {ringi.phase = "backward"} : tensor<64xf32>
  %d0 = ringi.gelu_backward %d1, %0 {ringi.phase = "backward"} : tensor<64xf32>
  %dw = ringi.mul %d0, %x {ringi.phase = "backward"} : tensor<64xf32>, tensor<64xf32>
  return %loss, %dw : tensor<f32>, tensor<64xf32>
}
