// RUN: ringi-opt %s --ringi-build-step="optimizer=sgd lr=0.1" --split-input-file | FileCheck %s

// Whole signature, roles, and the update right after the parameter's last use.
// CHECK-LABEL: func.func @linear(
// CHECK-SAME: %[[W:[^:]*]]: tensor<8x3xf32> {ringi.name = "w", ringi.role = "parameter"}
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x8xf32> {ringi.name = "x", ringi.role = "input"}
// CHECK-SAME: %[[T:[^:]*]]: tensor<4x3xf32> {ringi.name = "arg2", ringi.role = "target"}
// CHECK-SAME: %[[LR:[^:]*]]: tensor<f32> {ringi.init = #ringi.init<constant, 1.000000e-01 : f64>, ringi.name = "learning_rate", ringi.role = "learning_rate"}
// CHECK-SAME: -> (tensor<f32> {ringi.name = "loss", ringi.role = "loss"}, tensor<8x3xf32> {ringi.name = "w", ringi.role = "updated_parameter", ringi.updates = "w"})
// CHECK-SAME: attributes {ringi.step}
func.func @linear(%w: tensor<8x3xf32> {ringi.role = "parameter", ringi.name = "w"},
                  %x: tensor<4x8xf32> {ringi.role = "input", ringi.name = "x"},
                  %t: tensor<4x3xf32> {ringi.role = "target"}) -> tensor<f32> {
  // CHECK: %[[Y:.*]] = ringi.matmul %[[X]], %[[W]] {ringi.block = "head", ringi.phase = "forward"}
  // CHECK-NEXT: %[[S:.*]] = ringi.save %[[Y]] {ringi.block = "head", ringi.phase = "forward"}
  // CHECK-NEXT: %[[LOSS:.*]] = ringi.mse %[[Y]], %[[T]] {ringi.phase = "forward"}
  // CHECK-NEXT: %[[ONE:.*]] = ringi.fill {factor = 1.000000e+00 : f64, ringi.phase = "backward"} : tensor<f32>
  // CHECK-NEXT: %[[YB:.*]] = ringi.load %[[S]] {ringi.phase = "backward"}
  // CHECK-NEXT: %[[DY:.*]] = ringi.mse_backward %[[ONE]], %[[YB]], %[[T]]
  // No dx: the input needs none. The weight is not saved for it either.
  // CHECK-NEXT: %[[DW:.*]] = ringi.matmul %[[X]], %[[DY]] {ringi.block = "head", ringi.phase = "backward", transpose_a}
  // CHECK-NEXT: %[[NEW:.*]] = ringi.sgd %[[W]], %[[DW]], %[[LR]] {ringi.phase = "optimizer"}
  // CHECK-NEXT: return %[[LOSS]], %[[NEW]]
  %y = ringi.block "head" -> tensor<4x3xf32> {
    %0 = ringi.matmul %x, %w : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<4x3xf32>
    ringi.yield %0 : tensor<4x3xf32>
  }
  %loss = ringi.mse %y, %t : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}

// -----

// Weight gradients stand where they free an activation; each update follows the
// last op that reads its parameter.
// CHECK-LABEL: func.func @two_layers
// CHECK-SAME: %[[W1:[^:]*]]: tensor<8x8xf32>
// CHECK-SAME: %[[W2:[^:]*]]: tensor<8x8xf32>
func.func @two_layers(%w1: tensor<8x8xf32> {ringi.role = "parameter"}, %w2: tensor<8x8xf32> {ringi.role = "parameter"},
                      %x: tensor<4x8xf32> {ringi.role = "input"}) -> tensor<f32> {
  // CHECK: %[[H:.*]] = ringi.relu
  // CHECK-NEXT: %[[S:.*]] = ringi.save %[[H]]
  // CHECK: %[[DY:.*]] = ringi.broadcast
  // CHECK-NEXT: %[[HB:.*]] = ringi.load %[[S]]
  // CHECK-NEXT: %[[DW2:.*]] = ringi.matmul %[[HB]], %[[DY]] {{.*}}transpose_a
  // CHECK-NEXT: %[[DH:.*]] = ringi.matmul %[[DY]], %[[W2]] {{.*}}transpose_b
  // CHECK-NEXT: ringi.sgd %[[W2]], %[[DW2]]
  // CHECK-NEXT: %[[DA:.*]] = ringi.relu_backward %[[DH]], %[[HB]]
  // CHECK-NEXT: %[[DW1:.*]] = ringi.matmul %{{.*}}, %[[DA]] {{.*}}transpose_a
  // CHECK-NEXT: ringi.sgd %[[W1]], %[[DW1]]
  // CHECK-NEXT: return
  %a = ringi.matmul %x, %w1 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %h = ringi.relu %a : tensor<4x8xf32>
  %y = ringi.matmul %h, %w2 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %l = ringi.reduce_sum %y [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Two paths: the gradients add.
// CHECK-LABEL: func.func @two_paths
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>
func.func @two_paths(%x: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  // CHECK: %[[G:.*]] = ringi.broadcast
  // CHECK-NEXT: %[[B:.*]] = ringi.scale %[[G]] {factor = 3.0
  // CHECK-NEXT: %[[A:.*]] = ringi.scale %[[G]] {factor = 2.0
  // CHECK-NEXT: %[[SUM:.*]] = ringi.add %[[B]], %[[A]]
  // CHECK-NEXT: ringi.sgd %[[X]], %[[SUM]]
  %a = ringi.scale %x {factor = 2.0} : tensor<4xf32>
  %b = ringi.scale %x {factor = 3.0} : tensor<4xf32>
  %c = ringi.add %a, %b : tensor<4xf32>, tensor<4xf32>
  %l = ringi.reduce_sum %c [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// A tied weight: one gradient, the sum of both uses, and one update.
// CHECK-LABEL: func.func @tied
// CHECK-SAME: %[[W:[^:]*]]: tensor<9x8xf32>
func.func @tied(%w: tensor<9x8xf32> {ringi.role = "parameter", ringi.name = "wte"}, %ids: tensor<4xi32> {ringi.role = "input"},
                %t: tensor<4xi32> {ringi.role = "target"}) -> tensor<f32> {
  // CHECK: %[[HEAD:.*]] = ringi.matmul %{{.*}}, %{{.*}} {{.*}}transpose_a} : (tensor<4x9xf32>, tensor<4x8xf32>) -> tensor<9x8xf32>
  // CHECK: %[[TABLE:.*]] = ringi.embedding_backward
  // CHECK-NEXT: %[[SUM:.*]] = ringi.add %[[HEAD]], %[[TABLE]]
  // CHECK-NEXT: ringi.sgd %[[W]], %[[SUM]]
  // CHECK-NOT: ringi.sgd
  %e = ringi.embedding %ids, %w : (tensor<4xi32>, tensor<9x8xf32>) -> tensor<4x8xf32>
  %y = ringi.matmul %e, %w {transpose_b} : (tensor<4x8xf32>, tensor<9x8xf32>) -> tensor<4x9xf32>
  %l, %lse = ringi.cross_entropy %y, %t : (tensor<4x9xf32>, tensor<4xi32>) -> (tensor<f32>, tensor<4xf32>)
  return %l : tensor<f32>
}

// -----

// A frozen weight has no gradient, and the activation that only it would need
// is not saved.
// CHECK-LABEL: func.func @frozen
func.func @frozen(%w1: tensor<8x8xf32> {ringi.role = "parameter"}, %w2: tensor<8x8xf32> {ringi.role = "parameter", ringi.frozen},
                  %x: tensor<4x8xf32> {ringi.role = "input"}) -> tensor<f32> {
  // CHECK-NOT: ringi.save
  // CHECK-COUNT-1: ringi.sgd
  // CHECK-NOT: ringi.sgd
  %a = ringi.matmul %x, %w1 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %y = ringi.matmul %a, %w2 : (tensor<4x8xf32>, tensor<8x8xf32>) -> tensor<4x8xf32>
  %l = ringi.reduce_sum %y [0, 1] : (tensor<4x8xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Neither detach nor no_grad lets a gradient through or saves for it.
// CHECK-LABEL: func.func @cuts
func.func @cuts(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  // CHECK: ringi.gelu
  // CHECK-NOT: ringi.save
  // CHECK: ringi.exp
  // CHECK-NOT: ringi.save
  // CHECK: ringi.add
  // CHECK-NOT: ringi.gelu_backward
  // CHECK: ringi.sgd
  %g = ringi.no_grad -> tensor<4xf32> {
    %0 = ringi.gelu %w : tensor<4xf32>
    ringi.yield %0 : tensor<4xf32>
  }
  %d = ringi.detach %w : tensor<4xf32>
  %e = ringi.exp %d : tensor<4xf32>
  %0 = ringi.add %w, %g : tensor<4xf32>, tensor<4xf32>
  %1 = ringi.add %0, %e : tensor<4xf32>, tensor<4xf32>
  %l = ringi.reduce_sum %1 [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Every dropout gets its own id, past those that are taken; its backward has
// the same one and nothing is saved.
// CHECK-LABEL: func.func @dropouts
func.func @dropouts(%w: tensor<4xf32> {ringi.role = "parameter"}, %s: tensor<i64> {ringi.role = "seed"},
                    %n: tensor<i64> {ringi.role = "step"}) -> tensor<f32> {
  // CHECK: ringi.dropout %{{.*}} random_id = 1 : i64
  // CHECK-NEXT: ringi.dropout %{{.*}} random_id = 0 : i64
  // CHECK-NEXT: ringi.dropout %{{.*}} random_id = 2 : i64
  // CHECK-NOT: ringi.save
  // CHECK: ringi.dropout_backward %{{.*}} random_id = 2 : i64
  // CHECK-NEXT: ringi.dropout_backward %{{.*}} random_id = 0 : i64
  // CHECK-NEXT: ringi.dropout_backward %{{.*}} random_id = 1 : i64
  %0 = ringi.dropout %w, %s, %n {probability = 0.5} : tensor<4xf32>, tensor<i64>, tensor<i64>
  %1 = ringi.dropout %0, %s, %n {probability = 0.5, random_id = 0 : i64} : tensor<4xf32>, tensor<i64>, tensor<i64>
  %2 = ringi.dropout %1, %s, %n {probability = 0.5} : tensor<4xf32>, tensor<i64>, tensor<i64>
  %l = ringi.reduce_sum %2 [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Values used directly inside a block, nested ones too, get their gradients.
// CHECK-LABEL: func.func @closure
func.func @closure(%w: tensor<4xf32> {ringi.role = "parameter"}, %x: tensor<4xf32> {ringi.role = "input"}) -> tensor<f32> {
  // CHECK: ringi.mul %{{.*}} {ringi.block = "outer/inner", ringi.phase = "forward"}
  // CHECK: ringi.mul %{{.*}} {ringi.block = "outer/inner", ringi.phase = "backward"}
  // CHECK: ringi.sgd
  %y = ringi.block "outer" -> tensor<4xf32> {
    %0 = ringi.block "inner" -> tensor<4xf32> {
      %1 = ringi.mul %x, %w : tensor<4xf32>, tensor<4xf32>
      ringi.yield %1 : tensor<4xf32>
    }
    ringi.yield %0 : tensor<4xf32>
  }
  %l = ringi.reduce_sum %y [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// The update waits for reads through views: u's gradient reads w detached.
// CHECK-LABEL: func.func @read_through_a_view
// CHECK-SAME: %[[U:[^:]*]]: tensor<4xf32>
// CHECK-SAME: %[[W:[^:]*]]: tensor<4xf32>
// CHECK: %[[D:.*]] = ringi.detach %[[W]]
// CHECK-NEXT: %[[S:.*]] = ringi.save %[[D]]
// CHECK: %[[L:.*]] = ringi.load %[[S]]
// CHECK-NEXT: %[[DU:.*]] = ringi.mul %{{.*}}, %[[L]]
// CHECK-DAG: ringi.sgd %[[U]], %[[DU]]
// CHECK-DAG: ringi.sgd %[[W]]
func.func @read_through_a_view(%u: tensor<4xf32> {ringi.role = "parameter"}, %w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %d = ringi.detach %w : tensor<4xf32>
  %0 = ringi.mul %u, %d : tensor<4xf32>, tensor<4xf32>
  %1 = ringi.tanh %0 : tensor<4xf32>
  %2 = ringi.add %1, %w : tensor<4xf32>, tensor<4xf32>
  %l = ringi.reduce_sum %2 [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
