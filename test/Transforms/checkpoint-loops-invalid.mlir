// RUN: not ringi-opt %s --ringi-checkpoint-loops 2>&1 | FileCheck %s --check-prefix=NEITHER
// RUN: not ringi-opt %s --ringi-checkpoint-loops="segment=2 budget=60%" 2>&1 | FileCheck %s --check-prefix=BOTH
// RUN: not ringi-opt %s --ringi-checkpoint-loops="segment=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE
// RUN: not ringi-opt %s --ringi-checkpoint-loops="segment=2 function=nobody" 2>&1 | FileCheck %s --check-prefix=NOBODY
// RUN: not ringi-opt %s --ringi-checkpoint-loops="budget=much function=ok" 2>&1 | FileCheck %s --check-prefix=MUCH
// RUN: not ringi-opt %s --ringi-checkpoint-loops="budget=1 alignment=1 function=ok" 2>&1 | FileCheck %s --check-prefix=BELOW
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=2 function=forward_order" -o /dev/null 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=2 function=steps" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STEPS
// RUN: ringi-opt %s --ringi-checkpoint-loops="segment=2 function=returned" -o /dev/null 2>&1 | FileCheck %s --check-prefix=RETURNED

// NEITHER: error: segment=0 and budget=''; give one of the two: the iterations between stored carries, or the live peak
// BOTH: error: segment=2 and budget='60%'; give one of the two
// NEGATIVE: error: segment=-1 and budget=''; give one of the two
// NOBODY: error: no function 'nobody' with a body in the module; check the option 'function'
// MUCH: error: {{.*}}much
// BELOW: error: a budget of 1 bytes is below what checkpointing the loops of 'ok' reaches, {{[0-9]+}} bytes; give that budget here and plan the rest with --ringi-checkpoint
// ORDER: warning: stacks a value of every iteration, but its stack is not read from the last row to the first; it stays as it is
// STEPS: warning: stacks a value of every iteration, but its bounds are no constants from 0 in steps of 1; it stays as it is
// RETURNED: warning: stacks a value of every iteration, but its stack is read by 'func.return' and not by rows in one backward loop; it stays as it is

func.func @ok(%x: tensor<1xi8>) -> tensor<1xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x1xi8>
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<1xi8>, tensor<4x1xi8>) {
    %a = arith.addi %c, %c : tensor<1xi8>
    %t = tensor.insert_slice %a into %s[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<4x1xi8>
    scf.yield %a, %t : tensor<1xi8>, tensor<4x1xi8>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<1xi8>) {
    %j = arith.subi %c3, %k : index
    %a = tensor.extract_slice %f#1[%j, 0] [1, 1] [1, 1] : tensor<4x1xi8> to tensor<1xi8>
    %p = arith.muli %g0, %a : tensor<1xi8>
    scf.yield %p : tensor<1xi8>
  }
  return %g : tensor<1xi8>
}

// The second loop reads the rows in the order in which the first one wrote them.
func.func @forward_order(%x: tensor<1xi8>) -> tensor<1xi8> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x1xi8>
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<1xi8>, tensor<4x1xi8>) {
    %a = arith.addi %c, %c : tensor<1xi8>
    %t = tensor.insert_slice %a into %s[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<4x1xi8>
    scf.yield %a, %t : tensor<1xi8>, tensor<4x1xi8>
  }
  %g = scf.for %k = %c0 to %c4 step %c1 iter_args(%g0 = %f#0) -> (tensor<1xi8>) {
    %a = tensor.extract_slice %f#1[%k, 0] [1, 1] [1, 1] : tensor<4x1xi8> to tensor<1xi8>
    %p = arith.muli %g0, %a : tensor<1xi8>
    scf.yield %p : tensor<1xi8>
  }
  return %g : tensor<1xi8>
}

// The trip count is an argument.
func.func @steps(%x: tensor<1xi8>, %n: index) -> (tensor<1xi8>, tensor<4x1xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4x1xi8>
  %f:2 = scf.for %i = %c0 to %n step %c1 iter_args(%c = %x, %s = %e) -> (tensor<1xi8>, tensor<4x1xi8>) {
    %a = arith.addi %c, %c : tensor<1xi8>
    %t = tensor.insert_slice %a into %s[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<4x1xi8>
    scf.yield %a, %t : tensor<1xi8>, tensor<4x1xi8>
  }
  return %f#0, %f#1 : tensor<1xi8>, tensor<4x1xi8>
}

// The stack is a result of the step.
func.func @returned(%x: tensor<1xi8>) -> (tensor<1xi8>, tensor<4x1xi8>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4x1xi8>
  %f:2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%c = %x, %s = %e) -> (tensor<1xi8>, tensor<4x1xi8>) {
    %a = arith.addi %c, %c : tensor<1xi8>
    %t = tensor.insert_slice %a into %s[%i, 0] [1, 1] [1, 1] : tensor<1xi8> into tensor<4x1xi8>
    scf.yield %a, %t : tensor<1xi8>, tensor<4x1xi8>
  }
  return %f#0, %f#1 : tensor<1xi8>, tensor<4x1xi8>
}
