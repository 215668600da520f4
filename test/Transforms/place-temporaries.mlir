// RUN: ringi-opt %s --ringi-place-temporaries | FileCheck %s
// RUN: not ringi-opt %s --ringi-place-temporaries=function=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: no function 'nobody' with a body in the module; check the option 'function'

// One destination, one fill and one splat constant that CSE shared: each reader gets its own, right before it, in its region.
// CHECK-LABEL: func.func @shared
// CHECK: %[[ZERO:.*]] = arith.constant 0.0
// CHECK-NEXT: %[[E0:.*]] = tensor.empty() : tensor<4x4xf32>
// CHECK-NEXT: %[[F0:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E0]]
// CHECK-NEXT: linalg.matmul {{.*}}outs(%[[F0]]
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2.0{{.*}} : f32
// CHECK-NEXT: %[[SPLAT:.*]] = tensor.splat %[[TWO]] : tensor<4x4xf32>
// CHECK-NEXT: %[[E1:.*]] = tensor.empty() : tensor<4x4xf32>
// CHECK-NEXT: linalg.mul ins(%{{.*}}, %[[SPLAT]] : {{.*}}outs(%[[E1]]
// CHECK: scf.for
// CHECK-NEXT: %[[E2:.*]] = tensor.empty() : tensor<4x4xf32>
// CHECK-NEXT: linalg.exp {{.*}}outs(%[[E2]]
// CHECK: return
func.func @shared(%x: tensor<4x4xf32>) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %zero = arith.constant 0.0 : f32
  %two = arith.constant dense<2.0> : tensor<4x4xf32>
  %e = tensor.empty() : tensor<4x4xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %0 = linalg.matmul ins(%x, %x : tensor<4x4xf32>, tensor<4x4xf32>) outs(%f : tensor<4x4xf32>) -> tensor<4x4xf32>
  %1 = linalg.mul ins(%0, %two : tensor<4x4xf32>, tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
  %2 = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %1) -> tensor<4x4xf32> {
    %3 = linalg.exp ins(%c : tensor<4x4xf32>) outs(%e : tensor<4x4xf32>) -> tensor<4x4xf32>
    scf.yield %3 : tensor<4x4xf32>
  }
  return %2 : tensor<4x4xf32>
}

// A fill of a value that is computed is an op like another; what is returned stays.
// CHECK-LABEL: func.func @stays
// CHECK: %[[E:.*]] = tensor.empty
// CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}} : f32) outs(%[[E]]
// CHECK: %[[S:.*]] = arith.constant dense<1.0
// CHECK: return %[[F]], %[[S]]
func.func @stays(%v: f32) -> (tensor<4xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<4xf32>
  %w = arith.addf %v, %v : f32
  %f = linalg.fill ins(%w : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %s = arith.constant dense<1.0> : tensor<4xf32>
  return %f, %s : tensor<4xf32>, tensor<4xf32>
}
