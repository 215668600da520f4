// Trip counts that segments do not divide, one iteration and none; rows that are made again; the binomial schedule. cases.md 36, 37.
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=4 alignment=1 function=scan17" 2>&1 | FileCheck %s --check-prefix=T17
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=4 alignment=1 function=scan1" 2>&1 | FileCheck %s --check-prefix=T1
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=4 alignment=1 function=scan0" 2>&1 | FileCheck %s --check-prefix=T0
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=4 alignment=1 function=invariants" --canonicalize 2>&1 | FileCheck %s --check-prefix=INVARIANTS

// 17 = 4 x 4 + 1: four stored carries before the last segment of one iteration, each segment replayed with its own rows.
// T17: remark: this loop of 17 iterations stores its carry every 4 iterations and replays 16; its reversal holds 13 bytes
// T17-LABEL: func.func @scan17
// T17: %[[S4:.*]] = scf.for %{{.*}} = %c0{{.*}} to %c4{{.*}} iter_args(%{{.*}} = %{{.*}}) -> (tensor<1xi8>)
// T17: %[[S8:.*]] = scf.for %{{.*}} to %c8{{.*}} iter_args(%{{.*}} = %[[S4]])
// T17: %[[S12:.*]] = scf.for %{{.*}} to %c12{{.*}} iter_args(%{{.*}} = %[[S8]])
// T17: %[[S16:.*]] = scf.for %{{.*}} to %c16{{.*}} iter_args(%{{.*}} = %[[S12]])
// T17: %[[S17:.*]]:2 = scf.for %{{.*}} to %c17{{.*}} iter_args(%{{.*}} = %[[S16]], %{{.*}} = %{{.*}}) -> (tensor<1xi8>, tensor<1x1xi8>)
// T17: %[[G17:.*]] = scf.for %{{.*}} to %c1{{.*}} iter_args(%{{.*}} = %[[S17]]#0)
// T17: tensor.extract_slice %[[S17]]#1
// T17: scf.for %{{.*}} to %c16{{.*}} iter_args(%{{.*}} = %[[S12]], {{.*}} -> (tensor<1xi8>, tensor<4x1xi8>)
// T17: scf.for %{{.*}} to %c4{{.*}} iter_args(%{{.*}} = %[[G17]])
// T17: return
func.func @scan17(%x: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant 16 : index
  %trips = arith.constant 17 : index
  %e = tensor.empty() : tensor<17x1xi8>
  %f:2 = scf.for %i = %c0 to %trips step %c1 iter_args(%c = %x, %s = %e) -> (tensor<1xi8>, tensor<17x1xi8>) {
    %a = arith.addi %c, %c : tensor<1xi8>
    %n = arith.muli %a, %c : tensor<1xi8>
    %t = tensor.insert_slice %a into %s[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<17x1xi8>
    scf.yield %n, %t : tensor<1xi8>, tensor<17x1xi8>
  }
  %g = scf.for %k = %c0 to %trips step %c1 iter_args(%g0 = %f#0) -> (tensor<1xi8>) {
    %j = arith.subi %last, %k : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 1] [1, 1] : tensor<17x1xi8> to tensor<1xi8>
    %p = arith.muli %g0, %a : tensor<1xi8>
    scf.yield %p : tensor<1xi8>
  }
  return %f#0, %g : tensor<1xi8>, tensor<1xi8>
}

// T1: remark: this loop of 1 iterations keeps every iteration
// T1-LABEL: func.func @scan1
// T1-COUNT-2: scf.for
// T1-NOT: scf.for
// T1: return
func.func @scan1(%x: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<1x1xi8>
  %f:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<1xi8>, tensor<1x1xi8>) {
    %a = arith.addi %c, %c : tensor<1xi8>
    %t = tensor.insert_slice %a into %s[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<1x1xi8>
    scf.yield %a, %t : tensor<1xi8>, tensor<1x1xi8>
  }
  %g = scf.for %k = %c0 to %c1 step %c1 iter_args(%g0 = %f#0) -> (tensor<1xi8>) {
    %j = arith.subi %c0, %k : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 1] [1, 1] : tensor<1x1xi8> to tensor<1xi8>
    %p = arith.muli %g0, %a : tensor<1xi8>
    scf.yield %p : tensor<1xi8>
  }
  return %f#0, %g : tensor<1xi8>, tensor<1xi8>
}

// Without an iteration nothing is stacked and nothing changes.
// T0-NOT: remark
// T0-LABEL: func.func @scan0
// T0-COUNT-2: scf.for
// T0-NOT: scf.for
// T0: return
func.func @scan0(%x: tensor<1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %last = arith.constant -1 : index
  %e = tensor.empty() : tensor<0x1xi8>
  %f:2 = scf.for %i = %c0 to %c0 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<1xi8>, tensor<0x1xi8>) {
    %a = arith.addi %c, %c : tensor<1xi8>
    %t = tensor.insert_slice %a into %s[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<0x1xi8>
    scf.yield %a, %t : tensor<1xi8>, tensor<0x1xi8>
  }
  %g = scf.for %k = %c0 to %c0 step %c1 iter_args(%g0 = %f#0) -> (tensor<1xi8>) {
    %j = arith.subi %last, %k : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 1] [1, 1] : tensor<0x1xi8> to tensor<1xi8>
    %p = arith.muli %g0, %a : tensor<1xi8>
    scf.yield %p : tensor<1xi8>
  }
  return %f#0, %g : tensor<1xi8>, tensor<1xi8>
}

// %w is the same in every iteration, %row is a slice of an argument, %number depends on the iteration's number alone: none of the
// three is stacked, the backward loop makes them again.
// INVARIANTS: remark: {{.*}}its reversal holds 10 bytes
// INVARIANTS-LABEL: func.func @invariants
// INVARIANTS-SAME: (%[[X:.*]]: tensor<1xi8>, %[[W:.*]]: tensor<1xi8>, %[[ROWS:.*]]: tensor<8x1xi8>)
// INVARIANTS-NOT: tensor<8x1xi8>)
// INVARIANTS: scf.for {{.*}} -> (tensor<1xi8>)
// INVARIANTS: scf.for {{.*}} -> (tensor<1xi8>, tensor<4x1xi8>)
// INVARIANTS-NOT: -> (tensor<1xi8>, tensor<4x1xi8>, tensor
// INVARIANTS: tensor.extract_slice %[[ROWS]]
// INVARIANTS: return
func.func @invariants(%x: tensor<1xi8>, %w: tensor<1xi8>, %rows: tensor<8x1xi8>) -> (tensor<1xi8>, tensor<1xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c8 = arith.constant 8 : index
  %e = tensor.empty() : tensor<8x1xi8>
  %f:5 = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %x, %s1 = %e, %s2 = %e, %s3 = %e, %s4 = %e)
      -> (tensor<1xi8>, tensor<8x1xi8>, tensor<8x1xi8>, tensor<8x1xi8>, tensor<8x1xi8>) {
    %row = tensor.extract_slice %rows[%i, 0] [1, 1] [1, 1] : tensor<8x1xi8> to tensor<1xi8>
    %i8 = arith.index_cast %i : index to i8
    %number = tensor.from_elements %i8 : tensor<1xi8>
    %a = arith.addi %c, %row : tensor<1xi8>
    %b = arith.muli %a, %w : tensor<1xi8>
    %n = arith.addi %b, %number : tensor<1xi8>
    %t1 = tensor.insert_slice %w into %s1[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<8x1xi8>
    %t2 = tensor.insert_slice %row into %s2[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<8x1xi8>
    %t3 = tensor.insert_slice %number into %s3[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<8x1xi8>
    %t4 = tensor.insert_slice %a into %s4[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<8x1xi8>
    scf.yield %n, %t1, %t2, %t3, %t4 : tensor<1xi8>, tensor<8x1xi8>, tensor<8x1xi8>, tensor<8x1xi8>, tensor<8x1xi8>
  }
  %g = scf.for %k = %c0 to %c8 step %c1 iter_args(%g0 = %f#0) -> (tensor<1xi8>) {
    %j = arith.subi %c7, %k : index
    %w1 = tensor.extract_slice %f#1[%j, 0] [1, 1] [1, 1] : tensor<8x1xi8> to tensor<1xi8>
    %row = tensor.extract_slice %f#2[%j, 0] [1, 1] [1, 1] : tensor<8x1xi8> to tensor<1xi8>
    %number = tensor.extract_slice %f#3[%j, 0] [1, 1] [1, 1] : tensor<8x1xi8> to tensor<1xi8>
    %a = tensor.extract_slice %f#4[%j, 0] [1, 1] [1, 1] : tensor<8x1xi8> to tensor<1xi8>
    %p = arith.muli %g0, %a : tensor<1xi8>
    %q = arith.addi %p, %w1 : tensor<1xi8>
    %r = arith.xori %q, %row : tensor<1xi8>
    %s = arith.addi %r, %number : tensor<1xi8>
    scf.yield %s : tensor<1xi8>
  }
  return %f#0, %g : tensor<1xi8>, tensor<1xi8>
}
