// Marks bind every strategy, and what several readers share is replayed once.
// RUN: ringi-opt %s --split-input-file --ringi-checkpoint="strategy=manual" --verify-diagnostics | FileCheck %s

// Attention with both results recomputed runs once more, not once per reader.
// CHECK-LABEL: func.func @attention_replayed
// CHECK: ringi.attention
// CHECK: ringi.mse_backward
// CHECK: ringi.recompute
// CHECK-NEXT: ringi.attention
// CHECK-NEXT: ringi.yield %{{.*}}, %{{.*}} : tensor<1x1x4x8xf32>, tensor<1x1x4xf32>
// CHECK-NOT: ringi.attention %
// CHECK: ringi.attention_backward
func.func @attention_replayed(%q: tensor<1x1x4x8xf32>, %t: tensor<1x1x4x8xf32>) -> (tensor<f32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) {
  %o, %lse = ringi.attention %q, %q, %q {factor = 0.5, ringi.must_recompute, ringi.phase = "forward"} : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>, tensor<1x1x4xf32>)
  %y = ringi.scale %o {factor = 2.0, ringi.phase = "forward"} : tensor<1x1x4x8xf32>
  %loss = ringi.mse %y, %t {ringi.phase = "forward"} : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<f32>
  %one = ringi.fill {factor = 1.0, ringi.phase = "backward"} : tensor<f32>
  %dy = ringi.mse_backward %one, %y, %t {ringi.phase = "backward"} : (tensor<f32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %e = ringi.mul %dy, %o {ringi.phase = "backward"} : tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
  %dq, %dk, %dv = ringi.attention_backward %dy, %q, %q, %q, %o, %lse {factor = 0.5, ringi.phase = "backward"} : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4xf32>) -> (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
  return %loss, %dq, %e : tensor<f32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>
}

// -----

// With nothing marked, manual keeps everything: it runs once.
// CHECK-LABEL: func.func @attention_kept
// CHECK-COUNT-1: ringi.attention %
// CHECK-NOT: ringi.attention %
// CHECK-NOT: ringi.recompute(
// CHECK: return
// expected-warning @+1 {{strategy manual saves 0 of}}
func.func @attention_kept(%q: tensor<1x1x4x8xf32>, %t: tensor<1x1x4x8xf32>) -> (tensor<f32>, tensor<1x1x4x8xf32>) {
  %o, %lse = ringi.attention %q, %q, %q {factor = 0.5, ringi.phase = "forward"} : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> (tensor<1x1x4x8xf32>, tensor<1x1x4xf32>)
  %loss = ringi.mse %o, %t {ringi.phase = "forward"} : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<f32>
  %one = ringi.fill {factor = 1.0, ringi.phase = "backward"} : tensor<f32>
  %dy = ringi.mse_backward %one, %o, %t {ringi.phase = "backward"} : (tensor<f32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>) -> tensor<1x1x4x8xf32>
  %dq, %dk, %dv = ringi.attention_backward %dy, %q, %q, %q, %o, %lse {factor = 0.5, ringi.phase = "backward"} : (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4xf32>) -> (tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>, tensor<1x1x4x8xf32>)
  return %loss, %dq : tensor<f32>, tensor<1x1x4x8xf32>
}
