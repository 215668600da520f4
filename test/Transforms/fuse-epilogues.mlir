// RUN: ringi-opt %s --ringi-build-step="optimizer=none" --ringi-fuse-epilogues --split-input-file | FileCheck %s
// RUN: ringi-opt %s --ringi-build-step="optimizer=sgd" --ringi-fuse-epilogues --split-input-file | FileCheck %s --check-prefix=UPDATE

// A layer, its gelu and the layer behind it: each product takes what is around it. Values of rank 3, weights as they are and transposed.
// CHECK-LABEL: func.func @perceptron(
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4x8xf32>
// CHECK-SAME: %[[W1:[^:]*]]: tensor<8x16xf32>
// CHECK-SAME: %[[B1:[^:]*]]: tensor<16xf32>
// CHECK-SAME: %[[W2:[^:]*]]: tensor<6x16xf32>
// CHECK: %[[Y:.*]], %[[P:.*]] = ringi.matmul_gelu %[[X]], %[[W1]] bias(%[[B1]]) {approximate_tanh, ringi.phase = "forward"}
// CHECK-DAG: ringi.save %[[Y]]
// CHECK-DAG: %[[SAVED:.*]] = ringi.save %[[P]]
// CHECK: ringi.matmul %[[Y]], %[[W2]] bias
// CHECK: %[[DW2:.*]], %[[DB2:.*]] = ringi.matmul_bias_gradient %{{.*}}, %{{.*}} {ringi.phase = "backward", sum_a} : (tensor<8x6xf32>, tensor<8x16xf32>) -> (tensor<6x16xf32>, tensor<6xf32>)
// CHECK: %[[LOADED:.*]] = ringi.load %[[SAVED]]
// CHECK: %[[DP:.*]] = ringi.matmul_gelu_backward %{{.*}}, %[[W2]], %[[LOADED]] {approximate_tanh, ringi.phase = "backward"}
// CHECK: %[[ROWS:.*]] = ringi.reshape %[[DP]]
// CHECK: %[[DW1:.*]], %[[DB1:.*]] = ringi.matmul_bias_gradient %{{.*}}, %[[ROWS]] {ringi.phase = "backward"} : (tensor<8x8xf32>, tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<16xf32>)
// CHECK-NOT: ringi.gelu
// CHECK-NOT: ringi.reduce_sum
// CHECK: return %{{.*}}, %[[DW1]], %[[DB1]], %[[DW2]], %[[DB2]]
// The second weight is overwritten only after the fused product has read it.
// UPDATE-LABEL: func.func @perceptron(
// UPDATE: ringi.matmul_gelu_backward
// UPDATE: ringi.sgd
func.func @perceptron(%x: tensor<2x4x8xf32> {ringi.role = "input"}, %w1: tensor<8x16xf32> {ringi.role = "parameter"},
                      %b1: tensor<16xf32> {ringi.role = "parameter"}, %w2: tensor<6x16xf32> {ringi.role = "parameter"},
                      %b2: tensor<6xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.matmul %x, %w1 bias(%b1) : (tensor<2x4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> tensor<2x4x16xf32>
  %1 = ringi.gelu %0 {approximate_tanh} : tensor<2x4x16xf32>
  %2 = ringi.matmul %1, %w2 bias(%b2) {transpose_b} : (tensor<2x4x16xf32>, tensor<6x16xf32>, tensor<6xf32>) -> tensor<2x4x6xf32>
  %l = ringi.reduce_sum %2 [0, 1, 2] : (tensor<2x4x6xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A gelu whose input no backward reads, one in another block, a product that something else reads, and a function that is no step stay.
// CHECK-LABEL: func.func @apart(
// CHECK: ringi.matmul {{.*}}ringi.block = "a"
// CHECK: ringi.gelu {{.*}}ringi.block = "b"
// CHECK: ringi.matmul {{.*}}ringi.block = "b"
// CHECK: ringi.gelu {{.*}}ringi.block = "b"
// CHECK-NOT: matmul_gelu
// CHECK-LABEL: func.func @no_step
// CHECK: ringi.matmul %
// CHECK: ringi.gelu
// UPDATE-LABEL: func.func @apart(
func.func @apart(%x: tensor<4x8xf32> {ringi.role = "input"}, %w: tensor<8x8xf32> {ringi.role = "parameter"},
                 %fixed: tensor<8x8xf32> {ringi.role = "parameter", ringi.frozen}) -> tensor<f32> {
  %0 = ringi.block "a" -> tensor<4x8xf32> {
    %p = ringi.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    ringi.yield %p : tensor<4x8xf32>
  }
  %1 = ringi.block "b" -> tensor<4x8xf32> {
    %g = ringi.gelu %0 : tensor<4x8xf32>
    %p = ringi.matmul %x, %fixed : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
    %h = ringi.gelu %p : tensor<4x8xf32>
    %s = ringi.add %g, %h : tensor<4x8xf32>, tensor<4x8xf32>
    ringi.yield %s : tensor<4x8xf32>
  }
  %l = ringi.reduce_sum %1 [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

func.func @no_step(%x: tensor<4x8xf32>, %w: tensor<8x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = ringi.matmul %x, %w : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %1 = ringi.gelu %0 : tensor<4x8xf32>
  return %0, %1 : tensor<4x8xf32>, tensor<4x8xf32>
}
