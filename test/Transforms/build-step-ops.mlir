// The backward of every differentiable op, and what it saves.
// RUN: ringi-opt %s --ringi-build-step="optimizer=none" --split-input-file | FileCheck %s

// Save the output: relu, tanh, sigmoid, exp, softmax. Save the input: gelu, silu.
// CHECK-LABEL: func.func @output_savers
// CHECK: %[[RELU:.*]] = ringi.relu
// CHECK-NEXT: ringi.save %[[RELU]]
// CHECK-NEXT: %[[TANH:.*]] = ringi.tanh
// CHECK-NEXT: ringi.save %[[TANH]]
// CHECK-NEXT: %[[SIGMOID:.*]] = ringi.sigmoid
// CHECK-NEXT: ringi.save %[[SIGMOID]]
// CHECK-NEXT: %[[EXP:.*]] = ringi.exp
// CHECK-NEXT: ringi.save %[[EXP]]
// CHECK-NEXT: %[[SOFTMAX:.*]] = ringi.softmax
// CHECK-NEXT: ringi.save %[[SOFTMAX]]
// CHECK-NEXT: ringi.reduce_sum
// CHECK: ringi.load
// CHECK-NEXT: ringi.softmax_backward {{.*}}causal
// CHECK-NEXT: ringi.load
// CHECK-NEXT: ringi.mul
// CHECK-NEXT: ringi.load
// CHECK-NEXT: ringi.sigmoid_backward
// CHECK-NEXT: ringi.load
// CHECK-NEXT: ringi.tanh_backward
// CHECK-NEXT: ringi.load
// CHECK-NEXT: ringi.relu_backward
func.func @output_savers(%x: tensor<4x4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.relu %x : tensor<4x4xf32>
  %1 = ringi.tanh %0 : tensor<4x4xf32>
  %2 = ringi.sigmoid %1 : tensor<4x4xf32>
  %3 = ringi.exp %2 : tensor<4x4xf32>
  %4 = ringi.softmax %3 {causal} : tensor<4x4xf32>
  %l = ringi.reduce_sum %4 [0, 1] : (tensor<4x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @input_savers
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x4xf32>
// CHECK-NEXT: %[[GELU:.*]] = ringi.gelu %[[X]]
// CHECK-NEXT: %[[S:.*]] = ringi.save %[[GELU]]
// CHECK-NEXT: %[[SILU:.*]] = ringi.silu
// CHECK-NOT: ringi.save
// CHECK: %[[L:.*]] = ringi.load %[[S]]
// CHECK: ringi.silu_backward %{{.*}}, %[[L]]
// CHECK: ringi.gelu_backward %{{.*}}, %[[X]] {approximate_tanh
func.func @input_savers(%x: tensor<4x4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.gelu %x {approximate_tanh} : tensor<4x4xf32>
  %1 = ringi.silu %0 : tensor<4x4xf32>
  %l = ringi.reduce_sum %1 [0, 1] : (tensor<4x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A suffix-broadcast operand's gradient is summed over what it lacks.
// CHECK-LABEL: func.func @broadcast_operands
// CHECK: %[[DY:.*]] = ringi.broadcast {{.*}} : tensor<f32> -> tensor<2x3x4xf32>
// CHECK-NEXT: %[[DM:.*]] = ringi.mul %[[DY]], %{{.*}} : tensor<2x3x4xf32>, tensor<4xf32>
// CHECK-NEXT: %{{.*}} = ringi.load
// CHECK-NEXT: %[[P:.*]] = ringi.mul %[[DY]], %{{.*}} : tensor<2x3x4xf32>, tensor<2x3x4xf32>
// CHECK-NEXT: %[[DS:.*]] = ringi.reduce_sum %[[P]] [0, 1] {{.*}} -> tensor<4xf32>
// CHECK-NEXT: %[[DB:.*]] = ringi.reduce_sum %[[DM]] [0] {{.*}} -> tensor<3x4xf32>
// CHECK-NEXT: return %{{.*}}, %[[DM]], %[[DB]], %[[DS]]
func.func @broadcast_operands(%x: tensor<2x3x4xf32> {ringi.role = "parameter"}, %b: tensor<3x4xf32> {ringi.role = "parameter"},
                              %s: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.add %x, %b : tensor<2x3x4xf32>, tensor<3x4xf32>
  %1 = ringi.mul %0, %s : tensor<2x3x4xf32>, tensor<4xf32>
  %l = ringi.reduce_sum %1 [0, 1, 2] : (tensor<2x3x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// The weight's gradient comes first, on rows of one matrix; the bias is summed.
// CHECK-LABEL: func.func @matmul_2d_right
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4x8xf32>
// CHECK-SAME: %[[W:[^:]*]]: tensor<3x8xf32>
// CHECK: %[[DY:.*]] = ringi.broadcast
// CHECK-NEXT: %[[A:.*]] = ringi.reshape %[[X]] {{.*}} -> tensor<8x8xf32>
// CHECK-NEXT: %[[R:.*]] = ringi.reshape %[[DY]] {{.*}} -> tensor<8x3xf32>
// CHECK-NEXT: %[[DW:.*]] = ringi.matmul %[[R]], %[[A]] {ringi.phase = "backward", transpose_a} : (tensor<8x3xf32>, tensor<8x8xf32>) -> tensor<3x8xf32>
// CHECK-NEXT: %[[DB:.*]] = ringi.reduce_sum %[[DY]] [0, 1]
// CHECK-NEXT: %[[DX:.*]] = ringi.matmul %[[DY]], %[[W]] {ringi.phase = "backward"} : (tensor<2x4x3xf32>, tensor<3x8xf32>) -> tensor<2x4x8xf32>
// CHECK-NEXT: return %{{.*}}, %[[DX]], %[[DW]], %[[DB]]
func.func @matmul_2d_right(%x: tensor<2x4x8xf32> {ringi.role = "parameter"}, %w: tensor<3x8xf32> {ringi.role = "parameter"},
                           %b: tensor<3xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.matmul %x, %w bias(%b) {transpose_b} : (tensor<2x4x8xf32>, tensor<3x8xf32>, tensor<3xf32>) -> tensor<2x4x3xf32>
  %l = ringi.reduce_sum %0 [0, 1, 2] : (tensor<2x4x3xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @matmul_batched_transposed
// CHECK-SAME: %[[A:[^:]*]]: tensor<2x8x4xf32>
// CHECK-SAME: %[[B:[^:]*]]: tensor<2x3x8xf32>
// CHECK: %[[DY:.*]] = ringi.broadcast
// CHECK-NEXT: %[[DB:.*]] = ringi.matmul %[[DY]], %[[A]] {ringi.phase = "backward", transpose_a, transpose_b} : (tensor<2x4x3xf32>, tensor<2x8x4xf32>) -> tensor<2x3x8xf32>
// CHECK-NEXT: %[[DA:.*]] = ringi.matmul %[[B]], %[[DY]] {ringi.phase = "backward", transpose_a, transpose_b} : (tensor<2x3x8xf32>, tensor<2x4x3xf32>) -> tensor<2x8x4xf32>
func.func @matmul_batched_transposed(%a: tensor<2x8x4xf32> {ringi.role = "parameter"}, %b: tensor<2x3x8xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.matmul %a, %b {transpose_a, transpose_b} : (tensor<2x8x4xf32>, tensor<2x3x8xf32>) -> tensor<2x4x3xf32>
  %l = ringi.reduce_sum %0 [0, 1, 2] : (tensor<2x4x3xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Attention saves its output and log-sum-exp only.
// CHECK-LABEL: func.func @attention
// CHECK: %[[O:.*]], %[[LSE:.*]] = ringi.attention
// CHECK-DAG: %[[SO:.*]] = ringi.save %[[O]]
// CHECK-DAG: %[[SL:.*]] = ringi.save %[[LSE]]
// CHECK: ringi.attention_backward %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} {causal, factor = 5.000000e-01 : f64
func.func @attention(%q: tensor<1x2x4x4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %o, %lse = ringi.attention %q, %q, %q {causal, factor = 0.5} : (tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>, tensor<1x2x4x4xf32>) -> (tensor<1x2x4x4xf32>, tensor<1x2x4xf32>)
  %l = ringi.reduce_sum %o [0, 1, 2, 3] : (tensor<1x2x4x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @norms
// CHECK: %[[Y:.*]], %[[MEAN:.*]], %[[RSTD:.*]] = ringi.layer_norm
// CHECK-DAG: ringi.save %[[MEAN]]
// CHECK-DAG: ringi.save %[[RSTD]]
// CHECK: ringi.rms_norm_backward
// CHECK: ringi.layer_norm_backward
func.func @norms(%x: tensor<3x4xf32> {ringi.role = "parameter"}, %g: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0:3 = ringi.layer_norm %x, %g, %g : (tensor<3x4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>, tensor<3xf32>)
  %1:2 = ringi.rms_norm %0#0, %g : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>)
  %l = ringi.reduce_sum %1#0 [0, 1] : (tensor<3x4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// CHECK-LABEL: func.func @shapes
// CHECK-NOT: ringi.save
// CHECK: ringi.scale {{.*}} {factor = 0.083333333333333329
// CHECK-NEXT: ringi.broadcast {{.*}} [0, 1, 2]
// CHECK-NEXT: ringi.reduce_sum {{.*}} [2]
// CHECK-NEXT: ringi.cast {{.*}} : tensor<2x3xf32> -> tensor<2x3xbf16>
// CHECK-NEXT: ringi.pad_slice
// CHECK-NEXT: ringi.transpose {{.*}} [1, 0] {{.*}} : (tensor<2x4xbf16>) -> tensor<4x2xbf16>
// CHECK-NEXT: %[[P:.*]] = ringi.slice {{.*}}axis = 1 {{.*}}start = 0
// CHECK-NEXT: %[[Q:.*]] = ringi.slice {{.*}}axis = 1 {{.*}}start = 1
// CHECK-NEXT: ringi.concat %[[Q]], %[[P]]
// CHECK-NEXT: ringi.reshape {{.*}} : tensor<4x2xbf16> -> tensor<8xbf16>
func.func @shapes(%x: tensor<8xbf16> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.reshape %x : tensor<8xbf16> -> tensor<4x2xbf16>
  %1:2 = ringi.split %0 {axis = 1 : i64} : (tensor<4x2xbf16>) -> (tensor<4x1xbf16>, tensor<4x1xbf16>)
  %2 = ringi.concat %1#1, %1#0 {axis = 1 : i64} : (tensor<4x1xbf16>, tensor<4x1xbf16>) -> tensor<4x2xbf16>
  %3 = ringi.transpose %2 [1, 0] : (tensor<4x2xbf16>) -> tensor<2x4xbf16>
  %4 = ringi.slice %3 {axis = 1 : i64, start = 1 : i64} : tensor<2x4xbf16> -> tensor<2x3xbf16>
  %5 = ringi.cast %4 : tensor<2x3xbf16> -> tensor<2x3xf32>
  %6 = ringi.broadcast %5 [2] : tensor<2x3xf32> -> tensor<2x3x2xf32>
  %l = ringi.reduce_mean %6 [0, 1, 2] : (tensor<2x3x2xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Only one part of a split reaches the loss: zeros stand for the other.
// CHECK-LABEL: func.func @half_of_a_split
// CHECK: %[[Z:.*]] = ringi.fill {factor = 0.000000e+00
// CHECK-NEXT: ringi.concat %{{.*}}, %[[Z]]
func.func @half_of_a_split(%x: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0:2 = ringi.split %x {axis = 0 : i64} : (tensor<4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %l = ringi.reduce_sum %0#0 [0] : (tensor<2xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Both sides of mse may need a gradient.
// CHECK-LABEL: func.func @mse
// CHECK: %[[G:.*]] = ringi.mse_backward
// CHECK-NEXT: %[[N:.*]] = ringi.scale %[[G]] {factor = -1.0
// CHECK-NEXT: return %{{.*}}, %[[G]], %[[N]]
func.func @mse(%p: tensor<4xf32> {ringi.role = "parameter"}, %t: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %l = ringi.mse %p, %t : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
