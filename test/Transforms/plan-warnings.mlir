// RUN: ringi-opt %s --split-input-file --verify-diagnostics --ringi-checkpoint="strategy=every-block" | FileCheck %s

// A block with nothing inside to drop: its result is the boundary.
// expected-warning @+1 {{strategy every-block saves 0 of}}
func.func @nothing_to_drop(%x: tensor<64xf32>, %t: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>) {
  %a = ringi.relu %x {ringi.phase = "forward", ringi.block = "0"} : tensor<64xf32>
  %loss = ringi.mse %a, %t {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  %one = ringi.fill {factor = 1.0, ringi.phase = "backward"} : tensor<f32>
  %da = ringi.mse_backward %one, %a, %t {ringi.phase = "backward"} : (tensor<f32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %dx = ringi.relu_backward %da, %a {ringi.phase = "backward"} : tensor<64xf32>
  return %loss, %dx : tensor<f32>, tensor<64xf32>
}
// CHECK-LABEL: func.func @nothing_to_drop
// CHECK-NOT: ringi.recompute(
