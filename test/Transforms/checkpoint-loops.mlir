// cases.md 36: T = 16 iterations, carry 1, internals 3. Segments of 1, 2, 4, 8, 16 iterations hold 20, 16, 20, 34, 65 bytes.
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=1 alignment=1 function=scan16" -o /dev/null 2>&1 | FileCheck %s --check-prefix=S1
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=2 alignment=1 function=scan16" -o /dev/null 2>&1 | FileCheck %s --check-prefix=S2
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=4 alignment=1 function=scan16" -o /dev/null 2>&1 | FileCheck %s --check-prefix=S4
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=8 alignment=1 function=scan16" -o /dev/null 2>&1 | FileCheck %s --check-prefix=S8
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=16 alignment=1 function=scan16" -o /dev/null 2>&1 | FileCheck %s --check-prefix=S16
// S1: holds 20 bytes
// S2: stores its carry every 2 iterations and replays 14; its reversal holds 16 bytes
// S4: holds 20 bytes
// S8: holds 34 bytes
// S16: keeps every iteration; its reversal holds 65 bytes

#row = affine_map<(i) -> (i)>
func.func @scan16(%x: tensor<1xi8>) -> (tensor<i8>, tensor<1xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c15 = arith.constant 15 : index
  %c16 = arith.constant 16 : index
  %z = arith.constant 0 : i8
  %e = tensor.empty() : tensor<16x1xi8>
  %f:4 = scf.for %i = %c0 to %c16 step %c1 iter_args(%c = %x, %s1 = %e, %s2 = %e, %s3 = %e)
      -> (tensor<1xi8>, tensor<16x1xi8>, tensor<16x1xi8>, tensor<16x1xi8>) {
    %a = arith.addi %c, %c : tensor<1xi8>
    %b = arith.muli %a, %c : tensor<1xi8>
    %d = arith.xori %b, %a : tensor<1xi8>
    %n = arith.addi %d, %c : tensor<1xi8>
    %t1 = tensor.insert_slice %a into %s1[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<16x1xi8>
    %t2 = tensor.insert_slice %b into %s2[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<16x1xi8>
    %t3 = tensor.insert_slice %d into %s3[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<16x1xi8>
    scf.yield %n, %t1, %t2, %t3 : tensor<1xi8>, tensor<16x1xi8>, tensor<16x1xi8>, tensor<16x1xi8>
  }
  %loss = tensor.extract %f#0[%c0] : tensor<1xi8>
  %l = tensor.from_elements %loss : tensor<i8>
  %g = scf.for %k = %c0 to %c16 step %c1 iter_args(%g0 = %f#0) -> (tensor<1xi8>) {
    %j = arith.subi %c15, %k : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 1] [1, 1] : tensor<16x1xi8> to tensor<1xi8>
    %b = tensor.extract_slice %f#2[%j, 0] [1, 1] [1, 1] : tensor<16x1xi8> to tensor<1xi8>
    %d = tensor.extract_slice %f#3[%j, 0] [1, 1] [1, 1] : tensor<16x1xi8> to tensor<1xi8>
    %p = arith.muli %g0, %a : tensor<1xi8>
    %q = arith.addi %p, %b : tensor<1xi8>
    %r = arith.xori %q, %d : tensor<1xi8>
    scf.yield %r : tensor<1xi8>
  }
  return %l, %g : tensor<i8>, tensor<1xi8>
}
