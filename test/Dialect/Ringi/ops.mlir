// RUN: ringi-opt %s | ringi-opt | FileCheck %s
// RUN: ringi-opt %s --mlir-print-op-generic | ringi-opt | FileCheck %s

// CHECK-LABEL: func.func @matrix_products
func.func @matrix_products(%x: tensor<2x4x8xf32>, %w: tensor<16x8xf32>, %b: tensor<16xf32>, %k: tensor<2x8x3xf32>,
                           %q: tensor<1x2x4x8xbf16>, %ids: tensor<5xi32>, %table: tensor<9x8xf32>,
                           %rows: tensor<5x16xf32>, %columns: tensor<5x8xf32>) {
  // CHECK: ringi.matmul %{{.*}}, %{{.*}} bias(%{{.*}}) {transpose_b} : (tensor<2x4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<2x4x16xf32>
  %0 = ringi.matmul %x, %w bias(%b) {transpose_b} : (tensor<2x4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<2x4x16xf32>
  // CHECK: ringi.matmul %{{.*}}, %{{.*}} : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  %1 = ringi.matmul %x, %k : (tensor<2x4x8xf32>, tensor<2x8x3xf32>) -> tensor<2x4x3xf32>
  // CHECK: ringi.matmul %{{.*}}, %{{.*}} {transpose_a} : (tensor<2x4x8xf32>, tensor<2x4x3xf32>) -> tensor<2x8x3xf32>
  %2 = ringi.matmul %x, %1 {transpose_a} : (tensor<2x4x8xf32>, tensor<2x4x3xf32>) -> tensor<2x8x3xf32>
  // CHECK: ringi.matmul_gelu %{{.*}}, %{{.*}} bias(%{{.*}}) {approximate_tanh, transpose_b} : (tensor<2x4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>)
  %g, %pre = ringi.matmul_gelu %x, %w bias(%b) {transpose_b, approximate_tanh} : (tensor<2x4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> (tensor<2x4x16xf32>, tensor<2x4x16xf32>)
  // CHECK: ringi.matmul_gelu_backward %{{.*}}, %{{.*}}, %{{.*}} {transpose_b} : (tensor<2x4x8xf32>, tensor<16x8xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  %dg = ringi.matmul_gelu_backward %x, %w, %pre {transpose_b} : (tensor<2x4x8xf32>, tensor<16x8xf32>, tensor<2x4x16xf32>) -> tensor<2x4x16xf32>
  // CHECK: ringi.matmul_bias_gradient %{{.*}}, %{{.*}} {sum_a} : (tensor<5x16xf32>, tensor<5x8xf32>) -> (tensor<16x8xf32>, tensor<16xf32>)
  %dw, %db = ringi.matmul_bias_gradient %rows, %columns {sum_a} : (tensor<5x16xf32>, tensor<5x8xf32>) -> (tensor<16x8xf32>, tensor<16xf32>)
  // CHECK: ringi.attention %{{.*}}, %{{.*}}, %{{.*}} {causal, factor = 1.250000e-01 : f64} : (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>) -> (tensor<1x2x4x8xbf16>, tensor<1x2x4xf32>)
  %o, %lse = ringi.attention %q, %q, %q {causal, factor = 0.125} : (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>) -> (tensor<1x2x4x8xbf16>, tensor<1x2x4xf32>)
  // CHECK: ringi.embedding %{{.*}}, %{{.*}} : (tensor<5xi32>, tensor<9x8xf32>) -> tensor<5x8xf32>
  %3 = ringi.embedding %ids, %table : (tensor<5xi32>, tensor<9x8xf32>) -> tensor<5x8xf32>
  // CHECK: ringi.embedding_backward %{{.*}}, %{{.*}} : (tensor<5x8xf32>, tensor<5xi32>) -> tensor<9x8xf32>
  %4 = ringi.embedding_backward %3, %ids : (tensor<5x8xf32>, tensor<5xi32>) -> tensor<9x8xf32>
  // CHECK: ringi.attention_backward
  %dq, %dk, %dv = ringi.attention_backward %o, %q, %q, %q, %o, %lse {causal, factor = 0.125} : (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4xf32>) -> (tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>, tensor<1x2x4x8xbf16>)
  return
}

// CHECK-LABEL: func.func @elementwise
func.func @elementwise(%x: tensor<3x8xf64>, %b: tensor<8xf64>) {
  // CHECK: ringi.add %{{.*}}, %{{.*}} : tensor<3x8xf64>, tensor<8xf64>
  %0 = ringi.add %x, %b : tensor<3x8xf64>, tensor<8xf64>
  // CHECK: ringi.mul %{{.*}}, %{{.*}} : tensor<3x8xf64>, tensor<3x8xf64>
  %1 = ringi.mul %0, %x : tensor<3x8xf64>, tensor<3x8xf64>
  // CHECK: ringi.scale %{{.*}} {factor = 5.000000e-01 : f64} : tensor<3x8xf64>
  %2 = ringi.scale %1 {factor = 0.5} : tensor<3x8xf64>
  // CHECK: ringi.relu %{{.*}} {inplace} : tensor<3x8xf64>
  %3 = ringi.relu %2 {inplace} : tensor<3x8xf64>
  // CHECK: ringi.gelu %{{.*}} {approximate_tanh} : tensor<3x8xf64>
  %4 = ringi.gelu %3 {approximate_tanh} : tensor<3x8xf64>
  // CHECK: ringi.silu
  %5 = ringi.silu %4 : tensor<3x8xf64>
  // CHECK: ringi.tanh
  %6 = ringi.tanh %5 : tensor<3x8xf64>
  // CHECK: ringi.sigmoid
  %7 = ringi.sigmoid %6 : tensor<3x8xf64>
  // CHECK: ringi.exp
  %8 = ringi.exp %7 : tensor<3x8xf64>
  // CHECK: ringi.softmax %{{.*}} {causal} : tensor<3x8xf64>
  %9 = ringi.softmax %8 {causal} : tensor<3x8xf64>
  // CHECK: ringi.relu_backward %{{.*}}, %{{.*}} : tensor<3x8xf64>
  %10 = ringi.relu_backward %9, %3 : tensor<3x8xf64>
  // CHECK: ringi.gelu_backward %{{.*}}, %{{.*}} {approximate_tanh} : tensor<3x8xf64>
  %11 = ringi.gelu_backward %10, %3 {approximate_tanh} : tensor<3x8xf64>
  // CHECK: ringi.silu_backward
  %12 = ringi.silu_backward %11, %4 : tensor<3x8xf64>
  // CHECK: ringi.tanh_backward
  %13 = ringi.tanh_backward %12, %6 : tensor<3x8xf64>
  // CHECK: ringi.sigmoid_backward
  %14 = ringi.sigmoid_backward %13, %7 : tensor<3x8xf64>
  // CHECK: ringi.softmax_backward %{{.*}}, %{{.*}} {causal} : tensor<3x8xf64>
  %15 = ringi.softmax_backward %14, %9 {causal} : tensor<3x8xf64>
  return
}

// CHECK-LABEL: func.func @norms
func.func @norms(%x: tensor<2x3x8xbf16>, %g: tensor<8xbf16>) {
  // CHECK: ringi.layer_norm %{{.*}}, %{{.*}}, %{{.*}} : (tensor<2x3x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<2x3x8xbf16>, tensor<2x3xf32>, tensor<2x3xf32>)
  %y, %mean, %rstd = ringi.layer_norm %x, %g, %g : (tensor<2x3x8xbf16>, tensor<8xbf16>, tensor<8xbf16>) -> (tensor<2x3x8xbf16>, tensor<2x3xf32>, tensor<2x3xf32>)
  // CHECK: ringi.rms_norm %{{.*}}, %{{.*}} {epsilon = 9.99{{[0-9]*}}E-7 : f64}
  %z, %r = ringi.rms_norm %x, %g {epsilon = 1.0e-6} : (tensor<2x3x8xbf16>, tensor<8xbf16>) -> (tensor<2x3x8xbf16>, tensor<2x3xf32>)
  // CHECK: ringi.layer_norm_backward
  %0:3 = ringi.layer_norm_backward %y, %x, %g, %mean, %rstd : (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>, tensor<8xbf16>, tensor<2x3xf32>, tensor<2x3xf32>) -> (tensor<2x3x8xbf16>, tensor<8xbf16>, tensor<8xbf16>)
  // CHECK: ringi.rms_norm_backward
  %1:2 = ringi.rms_norm_backward %z, %x, %g, %r : (tensor<2x3x8xbf16>, tensor<2x3x8xbf16>, tensor<8xbf16>, tensor<2x3xf32>) -> (tensor<2x3x8xbf16>, tensor<8xbf16>)
  return
}

// CHECK-LABEL: func.func @randomness
func.func @randomness(%x: tensor<4xf16>, %seed: tensor<i64>, %step: tensor<i64>) {
  // CHECK: ringi.dropout %{{.*}}, %{{.*}}, %{{.*}} {probability = 1.000000e-01 : f64, random_id = 7 : i64} : tensor<4xf16>, tensor<i64>, tensor<i64>
  %0 = ringi.dropout %x, %seed, %step {probability = 0.1, random_id = 7 : i64} : tensor<4xf16>, tensor<i64>, tensor<i64>
  // CHECK: ringi.dropout_backward
  %1 = ringi.dropout_backward %0, %seed, %step {probability = 0.1, random_id = 7 : i64} : tensor<4xf16>, tensor<i64>, tensor<i64>
  // CHECK: ringi.dropout_mask %{{.*}}, %{{.*}} {probability = 1.000000e-01 : f64, random_id = 8 : i64} : (tensor<i64>, tensor<i64>) -> tensor<4xi8>
  %m = ringi.dropout_mask %seed, %step {probability = 0.1, random_id = 8 : i64} : (tensor<i64>, tensor<i64>) -> tensor<4xi8>
  // CHECK: ringi.dropout_apply %{{.*}}, %{{.*}} {probability = 1.000000e-01 : f64} : tensor<4xf16>, tensor<4xi8>
  %2 = ringi.dropout_apply %x, %m {probability = 0.1} : tensor<4xf16>, tensor<4xi8>
  return
}

// CHECK-LABEL: func.func @shapes
func.func @shapes(%x: tensor<4x6xf32>) {
  // CHECK: ringi.reshape %{{.*}} : tensor<4x6xf32> -> tensor<2x12xf32>
  %0 = ringi.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  // CHECK: ringi.transpose %{{.*}} [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  %1 = ringi.transpose %x [1, 0] : (tensor<4x6xf32>) -> tensor<6x4xf32>
  // CHECK: ringi.slice %{{.*}} {axis = 1 : i64, start = 2 : i64} : tensor<4x6xf32> -> tensor<4x3xf32>
  %2 = ringi.slice %x {axis = 1 : i64, start = 2 : i64} : tensor<4x6xf32> -> tensor<4x3xf32>
  // CHECK: ringi.pad_slice %{{.*}} {axis = 1 : i64, start = 2 : i64} : tensor<4x3xf32> -> tensor<4x6xf32>
  %3 = ringi.pad_slice %2 {axis = 1 : i64, start = 2 : i64} : tensor<4x3xf32> -> tensor<4x6xf32>
  // CHECK: %[[P:.*]]:2 = ringi.split %{{.*}} {axis = 0 : i64} : (tensor<4x6xf32>) -> (tensor<1x6xf32>, tensor<3x6xf32>)
  %4:2 = ringi.split %x {axis = 0 : i64} : (tensor<4x6xf32>) -> (tensor<1x6xf32>, tensor<3x6xf32>)
  // CHECK: ringi.concat %[[P]]#0, %[[P]]#1 {axis = 0 : i64} : (tensor<1x6xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  %5 = ringi.concat %4#0, %4#1 {axis = 0 : i64} : (tensor<1x6xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
  // CHECK: ringi.reduce_sum %{{.*}} [0] : (tensor<4x6xf32>) -> tensor<6xf32>
  %6 = ringi.reduce_sum %5 [0] : (tensor<4x6xf32>) -> tensor<6xf32>
  // CHECK: ringi.reduce_mean %{{.*}} [0, 1] : (tensor<4x6xf32>) -> tensor<f32>
  %7 = ringi.reduce_mean %5 [0, 1] : (tensor<4x6xf32>) -> tensor<f32>
  // CHECK: ringi.broadcast %{{.*}} [0] : tensor<6xf32> -> tensor<4x6xf32>
  %8 = ringi.broadcast %6 [0] : tensor<6xf32> -> tensor<4x6xf32>
  // CHECK: ringi.cast %{{.*}} : tensor<4x6xf32> -> tensor<4x6xbf16>
  %9 = ringi.cast %8 : tensor<4x6xf32> -> tensor<4x6xbf16>
  // CHECK: ringi.fill {factor = 1.000000e+00 : f64} : tensor<f32>
  %10 = ringi.fill {factor = 1.0} : tensor<f32>
  return
}

// CHECK-LABEL: func.func @losses
func.func @losses(%x: tensor<2x3x9xbf16>, %t: tensor<2x3xi64>) {
  // CHECK: ringi.cross_entropy %{{.*}}, %{{.*}} : (tensor<2x3x9xbf16>, tensor<2x3xi64>) -> (tensor<f32>, tensor<2x3xf32>)
  %loss, %lse = ringi.cross_entropy %x, %t : (tensor<2x3x9xbf16>, tensor<2x3xi64>) -> (tensor<f32>, tensor<2x3xf32>)
  // CHECK: ringi.cross_entropy_backward
  %0 = ringi.cross_entropy_backward %loss, %x, %t, %lse : (tensor<f32>, tensor<2x3x9xbf16>, tensor<2x3xi64>, tensor<2x3xf32>) -> tensor<2x3x9xbf16>
  // CHECK: ringi.mse
  %1 = ringi.mse %x, %0 : (tensor<2x3x9xbf16>, tensor<2x3x9xbf16>) -> tensor<f32>
  // CHECK: ringi.mse_backward
  %2 = ringi.mse_backward %1, %x, %0 : (tensor<f32>, tensor<2x3x9xbf16>, tensor<2x3x9xbf16>) -> tensor<2x3x9xbf16>
  return
}

// CHECK-LABEL: func.func @updates
func.func @updates(%p: tensor<4xbf16>, %g: tensor<4xbf16>, %m: tensor<4xf32>, %step: tensor<i64>, %lr: tensor<f32>) {
  // CHECK: ringi.sgd %{{.*}}, %{{.*}}, %{{.*}} {weight_decay = 1.000000e-01 : f64} : (tensor<4xbf16>, tensor<4xbf16>, tensor<f32>) -> tensor<4xbf16>
  %0 = ringi.sgd %p, %g, %lr {weight_decay = 0.1} : (tensor<4xbf16>, tensor<4xbf16>, tensor<f32>) -> tensor<4xbf16>
  // CHECK: ringi.momentum %{{.*}} {momentum = 9.000000e-01 : f64, nesterov}
  %1:2 = ringi.momentum %p, %g, %m, %lr {momentum = 0.9, nesterov} : (tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>, tensor<f32>) -> (tensor<4xbf16>, tensor<4xf32>)
  // CHECK: ringi.adamw
  %2:3 = ringi.adamw %p, %g, %m, %m, %step, %lr {beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-8} : (tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>)
  // CHECK: ringi.adamw {{.*}} master(%{{.*}})
  %3:4 = ringi.adamw %p, %g, %m, %m, %step, %lr master(%m) {beta1 = 0.9, beta2 = 0.999, epsilon = 1.0e-8} : (tensor<4xbf16>, tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<i64>, tensor<f32>, tensor<4xf32>) -> (tensor<4xbf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}
