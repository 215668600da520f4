// Stock passes leave alone what must stay: recomputes, and dropouts that have
// no id yet.
// RUN: ringi-opt %s --cse --canonicalize --loop-invariant-code-motion --symbol-dce --cse | FileCheck %s
// RUN: mlir-opt --load-dialect-plugin=%ringi_plugin %s --cse --canonicalize --loop-invariant-code-motion --symbol-dce --cse | FileCheck %s

// CHECK-LABEL: func.func @equal_recomputes
func.func @equal_recomputes(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: ringi.recompute
  %0 = ringi.recompute(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = ringi.relu %a : tensor<4xf32>
    ringi.yield %1 : tensor<4xf32>
  }
  %2 = ringi.recompute(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %1 = ringi.relu %a : tensor<4xf32>
    ringi.yield %1 : tensor<4xf32>
  }
  return %0, %2 : tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @constant_operands
func.func @constant_operands() -> tensor<4xf32> {
  %c = arith.constant dense<1.0> : tensor<4xf32>
  // CHECK: ringi.relu
  %0 = ringi.relu %c : tensor<4xf32>
  // CHECK: ringi.recompute(%[[A:.*]] = %{{.*}})
  // CHECK-NEXT: ringi.relu %[[A]]
  %1 = ringi.recompute(%a = %c) : (tensor<4xf32>) -> tensor<4xf32> {
    %2 = ringi.relu %a : tensor<4xf32>
    ringi.yield %2 : tensor<4xf32>
  }
  %3 = ringi.add %0, %1 : tensor<4xf32>, tensor<4xf32>
  return %3 : tensor<4xf32>
}

// CHECK-LABEL: func.func @inside_a_loop
func.func @inside_a_loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: scf.for
  // CHECK: ringi.recompute
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%y = %x) -> tensor<4xf32> {
    %0 = ringi.recompute(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
      %1 = ringi.relu %a : tensor<4xf32>
      ringi.yield %1 : tensor<4xf32>
    }
    %2 = ringi.add %y, %0 : tensor<4xf32>, tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @unused_recompute
func.func @unused_recompute(%x: tensor<4xf32>) {
  // CHECK: ringi.recompute
  %0 = ringi.recompute(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    ringi.yield %a : tensor<4xf32>
  }
  return
}

// CHECK-LABEL: func.func @dropouts_without_an_id
func.func @dropouts_without_an_id(%x: tensor<4xf32>, %s: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-2: ringi.dropout
  %0 = ringi.dropout %x, %s, %s {probability = 0.5} : tensor<4xf32>, tensor<i64>, tensor<i64>
  %1 = ringi.dropout %x, %s, %s {probability = 0.5} : tensor<4xf32>, tensor<i64>, tensor<i64>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Two dropouts of one id are one value.
// CHECK-LABEL: func.func @dropouts_of_one_id
func.func @dropouts_of_one_id(%x: tensor<4xf32>, %s: tensor<i64>) -> (tensor<4xf32>, tensor<4xf32>) {
  // CHECK-COUNT-1: ringi.dropout
  // CHECK-NOT: ringi.dropout
  %0 = ringi.dropout %x, %s, %s {probability = 0.5, random_id = 1 : i64} : tensor<4xf32>, tensor<i64>, tensor<i64>
  %1 = ringi.dropout %x, %s, %s {probability = 0.5, random_id = 1 : i64} : tensor<4xf32>, tensor<i64>, tensor<i64>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}
