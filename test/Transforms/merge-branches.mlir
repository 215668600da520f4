// cases.md 38: a step holds the residuals of the larger branch, not the sum of both, and nothing of the branch that did not run is read.
// RUN: ringi-opt %s --ringi-merge-branches | FileCheck %s
// RUN: ringi-opt %s --ringi-print-memory="function=concatenated alignment=1" -o /dev/null | FileCheck %s --check-prefix=BEFORE
// RUN: ringi-opt %s --ringi-merge-branches --ringi-print-memory="function=concatenated alignment=1" -o /dev/null | FileCheck %s --check-prefix=AFTER
// RUN: not ringi-opt %s --ringi-merge-branches=function=nobody 2>&1 | FileCheck %s --check-prefix=NOBODY
// NOBODY: error: no function 'nobody' with a body in the module; check the option 'function'

// The then branch has residuals of 64 and 32 bytes, the else branch one of 80: 176 beside each other, 96 together.
// BEFORE: if.1 forward 368
// AFTER: if.1 forward 288
// CHECK-LABEL: func.func @concatenated
// CHECK: %[[IF:.*]]:2 = scf.if %{{.*}} -> (tensor<16xf32>, tensor<24xf32>)
// CHECK: tensor.empty() : tensor<24xf32>
// CHECK: tensor.collapse_shape
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0] [16] [1]
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[16] [8] [1]
// CHECK: } else {
// CHECK: tensor.empty() : tensor<24xf32>
// CHECK: tensor.insert_slice %{{.*}} into %{{.*}}[0] [20] [1]
// CHECK: tensor.extract_slice %[[IF]]#1[0] [16] [1]
// CHECK: tensor.expand_shape {{.*}} into tensor<4x4xf32>
// CHECK: tensor.extract_slice %[[IF]]#1[16] [8] [1]
// CHECK: tensor.extract_slice %[[IF]]#1[0] [20] [1]
func.func @concatenated(%x: tensor<16xf32>, %p: i1) -> tensor<16xf32> {
  %u = tensor.empty() : tensor<4x4xf32>
  %v = tensor.empty() : tensor<8xf32>
  %w = arith.constant dense<0.0> : tensor<20xf32>
  %zero = arith.constant 0.0 : f32
  %f:4 = scf.if %p -> (tensor<16xf32>, tensor<4x4xf32>, tensor<8xf32>, tensor<20xf32>) {
    %a = math.exp %x : tensor<16xf32>
    %b = tensor.expand_shape %x [[0, 1]] output_shape [4, 4] : tensor<16xf32> into tensor<4x4xf32>
    %r1 = math.tanh %b : tensor<4x4xf32>
    %c = tensor.extract_slice %x[0] [8] [1] : tensor<16xf32> to tensor<8xf32>
    %r2 = math.tanh %c : tensor<8xf32>
    scf.yield %a, %r1, %r2, %w : tensor<16xf32>, tensor<4x4xf32>, tensor<8xf32>, tensor<20xf32>
  } else {
    %a = math.exp2 %x : tensor<16xf32>
    %b = tensor.pad %x low[0] high[4] {
    ^bb0(%i: index):
      tensor.yield %zero : f32
    } : tensor<16xf32> to tensor<20xf32>
    %r3 = math.tanh %b : tensor<20xf32>
    scf.yield %a, %u, %v, %r3 : tensor<16xf32>, tensor<4x4xf32>, tensor<8xf32>, tensor<20xf32>
  }
  %g = scf.if %p -> tensor<16xf32> {
    %b = tensor.collapse_shape %f#1 [[0, 1]] : tensor<4x4xf32> into tensor<16xf32>
    %d = arith.mulf %b, %f#0 : tensor<16xf32>
    %e = tensor.insert_slice %f#2 into %d[0] [8] [1] : tensor<8xf32> into tensor<16xf32>
    scf.yield %e : tensor<16xf32>
  } else {
    %d = tensor.extract_slice %f#3[0] [16] [1] : tensor<20xf32> to tensor<16xf32>
    %e = arith.mulf %d, %f#0 : tensor<16xf32>
    scf.yield %e : tensor<16xf32>
  }
  return %g : tensor<16xf32>
}

// Residuals of one type need no concatenation.
// CHECK-LABEL: func.func @same_type
// CHECK: %[[IF:.*]] = scf.if %{{.*}} -> (tensor<16xf32>)
// CHECK-NOT: tensor.empty
// CHECK: scf.if
// CHECK: arith.mulf %[[IF]]
// CHECK: arith.addf %[[IF]]
func.func @same_type(%x: tensor<16xf32>, %p: i1) -> tensor<16xf32> {
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %f:2 = scf.if %p -> (tensor<16xf32>, tensor<16xf32>) {
    %a = math.exp %x : tensor<16xf32>
    scf.yield %a, %z : tensor<16xf32>, tensor<16xf32>
  } else {
    %a = math.tanh %x : tensor<16xf32>
    scf.yield %z, %a : tensor<16xf32>, tensor<16xf32>
  }
  %g = scf.if %p -> tensor<16xf32> {
    %d = arith.mulf %f#0, %x : tensor<16xf32>
    scf.yield %d : tensor<16xf32>
  } else {
    %d = arith.addf %f#1, %x : tensor<16xf32>
    scf.yield %d : tensor<16xf32>
  }
  return %g : tensor<16xf32>
}

// Read where the other branch may have run, or under another condition: both stay, the placeholder is read.
// CHECK-LABEL: func.func @read_elsewhere
// CHECK: scf.if %{{.*}} -> (tensor<16xf32>, tensor<16xf32>)
func.func @read_elsewhere(%x: tensor<16xf32>, %p: i1, %q: i1) -> tensor<16xf32> {
  %z = arith.constant dense<0.0> : tensor<16xf32>
  %f:2 = scf.if %p -> (tensor<16xf32>, tensor<16xf32>) {
    %a = math.exp %x : tensor<16xf32>
    scf.yield %a, %z : tensor<16xf32>, tensor<16xf32>
  } else {
    %a = math.tanh %x : tensor<16xf32>
    scf.yield %z, %a : tensor<16xf32>, tensor<16xf32>
  }
  %g = scf.if %q -> tensor<16xf32> {
    scf.yield %f#0 : tensor<16xf32>
  } else {
    scf.yield %f#1 : tensor<16xf32>
  }
  return %g : tensor<16xf32>
}
