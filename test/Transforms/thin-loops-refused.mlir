// More than the loops can do without, and options that are wrong.
// RUN: not ringi-opt %s --ringi-thin-loops="stacks=100" 2>&1 | FileCheck %s --check-prefix=LEAST
// RUN: not ringi-opt %s --ringi-thin-loops="stacks=many" 2>&1 | FileCheck %s --check-prefix=WORD
// RUN: not ringi-opt %s --ringi-thin-loops="op-table=nothing" 2>&1 | FileCheck %s --check-prefix=TABLE
// LEAST: error: the loops of 'step' stack at least 1024 bytes, but stacks=100 allows 100; raise it, or replay whole iterations with --ringi-checkpoint-loops
// WORD: error:
// TABLE: error: unknown op table 'nothing'
func.func @step(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<64xf32>, tensor<4x64xf32>) {
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
