// What a loop stacks for a later one, and what that makes again. Units: tensor<64xf32> is 256 bytes, an array of 4 rows 1024.
// RUN: ringi-opt %s --ringi-thin-loops="function=derived" 2>&1 | FileCheck %s --check-prefix=DERIVED
// RUN: ringi-opt %s --ringi-thin-loops="function=derived stacks=50%%" 2>&1 | FileCheck %s --check-prefix=HALF
// RUN: ringi-opt %s --ringi-thin-loops="function=carry" 2>&1 | FileCheck %s --check-prefix=CARRY
// RUN: ringi-opt %s --ringi-thin-loops="function=free" 2>&1 | FileCheck %s --check-prefix=FREE
// RUN: ringi-opt %s --ringi-thin-loops="function=also_returned" 2>&1 | FileCheck %s --check-prefix=RETURNED
// RUN: ringi-opt %s --ringi-thin-loops="function=derived" 2>/dev/null \
// RUN:   | ringi-opt --cse --canonicalize --loop-invariant-code-motion --cse | FileCheck %s --check-prefix=STOCK

// Of two arrays one is made again from the other, whichever way the row numbers are computed.
// DERIVED: remark: the loops of 'derived' stack 1024 of 2048 bytes and compute again 256 FLOPs
// DERIVED-LABEL: func.func @derived
// DERIVED: scf.for {{.*}} -> (tensor<64xf32>, tensor<4x64xf32>)
// DERIVED: scf.for
// DERIVED: %[[ROW:.*]] = tensor.extract_slice
// DERIVED: ringi.recompute(%{{.*}} = %[[ROW]])
// DERIVED-NEXT: math.exp
// DERIVED: ringi.stacks = {bytes = 1024 : i64, bytes_before = 2048 : i64, replay_flops = 2.560000e+02 : f64, trips = 4 : i64}
// HALF: stack 1024 of 2048 bytes
// Stock passes neither merge the replay nor move it out of its loop.
// STOCK-LABEL: func.func @derived
// STOCK-COUNT-2: scf.for
// STOCK: ringi.recompute
// STOCK: math.exp
func.func @derived(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %m1 = arith.constant -1 : index
  %e = tensor.empty() : tensor<4x64xf32>
  %f:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e, %t = %e)
      -> (tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
    %a = arith.addf %c, %c : tensor<64xf32>
    %b = math.exp %a : tensor<64xf32>
    %j = arith.subi %c3, %i : index
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    %t1 = tensor.insert_slice %b into %t[%j, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    %n = arith.mulf %b, %c : tensor<64xf32>
    scf.yield %n, %s1, %t1 : tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %back = arith.muli %k, %m1 : index
    %j = arith.addi %back, %c3 : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %b = tensor.extract_slice %f#2[%k, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %p = arith.mulf %g0, %a : tensor<64xf32>
    %q = arith.addf %p, %b : tensor<64xf32>
    scf.yield %q : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// Neither of the two can be made from the other; the carried value makes both, and takes the place of one.
// CARRY: remark: the loops of 'carry' stack 1024 of 2048 bytes and compute again 512 FLOPs
// CARRY-LABEL: func.func @carry
// CARRY: scf.for {{.*}} iter_args(%[[C:.*]] = %{{.*}}, %{{.*}} = %{{.*}}) -> (tensor<64xf32>, tensor<4x64xf32>)
// CARRY: tensor.insert_slice %[[C]]
// CARRY: ringi.recompute
// CARRY: math.exp
// CARRY: math.sin
func.func @carry(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  %f:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e, %t = %e)
      -> (tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
    %a = math.exp %c : tensor<64xf32>
    %b = math.sin %c : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    %t1 = tensor.insert_slice %b into %t[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    %n = arith.mulf %b, %a : tensor<64xf32>
    scf.yield %n, %s1, %t1 : tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %b = tensor.extract_slice %f#2[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %q = arith.addf %a, %b : tensor<64xf32>
    %p = arith.mulf %g0, %q : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// A slice of an argument and a value from outside cost nothing: no array is left.
// FREE: remark: the loops of 'free' stack 0 of 2048 bytes and compute again 0 FLOPs
// FREE-LABEL: func.func @free
// FREE-SAME: %[[ROWS:[^:]*]]: tensor<4x64xf32>
// FREE-NOT: tensor.empty
// FREE: scf.for {{.*}} -> (tensor<64xf32>)
// FREE: scf.for {{.*}} -> (tensor<64xf32>)
// FREE: ringi.recompute({{.*}} = %[[ROWS]]
func.func @free(%rows: tensor<4x64xf32>, %w: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  %f:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %w, %s = %e, %t = %e)
      -> (tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
    %a = tensor.extract_slice %rows[%i, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    %t1 = tensor.insert_slice %w into %t[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    %n = arith.mulf %c, %a : tensor<64xf32>
    scf.yield %n, %s1, %t1 : tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %b = tensor.extract_slice %f#2[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %q = arith.addf %a, %b : tensor<64xf32>
    %p = arith.mulf %g0, %q : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %f#0, %g : tensor<64xf32>, tensor<64xf32>
}

// An array that the step returns stays, and what is in it costs nothing.
// RETURNED: remark: the loops of 'also_returned' stack 0 of 1024 bytes and compute again 256 FLOPs
// RETURNED-LABEL: func.func @also_returned
// RETURNED: %[[F:.*]]:2 = scf.for {{.*}} -> (tensor<64xf32>, tensor<4x64xf32>)
// RETURNED: %[[ROW:.*]] = tensor.extract_slice %[[F]]#1
// RETURNED: ringi.recompute(%{{.*}} = %[[ROW]])
func.func @also_returned(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<4x64xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x64xf32>
  %f:3 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e, %t = %e)
      -> (tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) {
    %a = arith.addf %c, %c : tensor<64xf32>
    %b = math.exp %a : tensor<64xf32>
    %s1 = tensor.insert_slice %a into %s[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    %t1 = tensor.insert_slice %b into %t[%i, 0] [1, 64] [1, 1] : tensor<64xf32> into tensor<4x64xf32>
    scf.yield %b, %s1, %t1 : tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<64xf32>) {
    %j = arith.subi %c3, %k : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %b = tensor.extract_slice %f#2[%j, 0] [1, 64] [1, 1] : tensor<4x64xf32> to tensor<64xf32>
    %q = arith.addf %a, %b : tensor<64xf32>
    %p = arith.mulf %g0, %q : tensor<64xf32>
    scf.yield %p : tensor<64xf32>
  }
  return %g, %f#1 : tensor<64xf32>, tensor<4x64xf32>
}
