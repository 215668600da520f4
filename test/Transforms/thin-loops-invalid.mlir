// Loops whose rows are not understood, each with its reason.
// RUN: ringi-opt %s --ringi-thin-loops --verify-diagnostics --split-input-file -o /dev/null

// The trip count is an argument.
func.func @bounds(%x: tensor<64xf32>, %n: index) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but its bounds are not constant; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<4x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %b = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// -----

// Every iteration writes the same row.
func.func @same_row(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but its rows are not one per iteration; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<4x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%c0, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %b = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// -----

// The row is an argument.
func.func @unknown_put(%x: tensor<64xf32>, %n: index) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but the number of a row that it puts is not known; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<4x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%n, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %b = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// -----

// So is the row that is taken.
func.func @unknown_take(%x: tensor<64xf32>, %n: index) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but the number of a row that the later loop takes is not known; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<4x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %b = tensor.extract_slice %f#1[%n, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// -----

// Rows 4 to 7 hold what the array held before.
func.func @beside(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<8x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but the later loop takes a row that no iteration put; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<8x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<8x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<8x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %j4 = arith.addi %j, %c4 : index
    %b = tensor.extract_slice %f#1[%j4, 0] [1, 64] [1, 1] : tensor<8x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// -----

// The later loop reads the whole array.
func.func @whole(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but the later loop reads an array of rows in another way than by taking one row; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<4x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %w = math.exp %f#1 : tensor<4x64xf32>
    %b = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// -----

// One iteration takes rows k and 3 - k.
func.func @two_at_once(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but the later loop takes rows of several iterations at once; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<4x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %other = tensor.extract_slice %f#1[%k, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %b = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// -----

// The user speaks of the loop as a whole.
func.func @meant(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but a loop of the pair carries 'ringi.recomputable', which is meant for the loop as it is; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<4x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<4x64xf32>
  } {ringi.recomputable = false}
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %b = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// -----

// Too many iterations to compare row by row.
func.func @long(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %many = arith.constant 20000 : index
  %e = tensor.empty() : tensor<20000x64xf32>
  // expected-warning@+1 {{stacks rows that a later loop takes, but it has 20000 iterations, but only loops of at most 16384 are followed; they stay as they are}}
  %f:2 = scf.for %i = %c0 to %many step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<20000x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<20000x64xf32>
    scf.yield %a, %s1 : tensor<64xf32>, tensor<20000x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %b = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<20000x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %b : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}
