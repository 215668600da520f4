// RUN: split-file %s %t
// RUN: not ringi-opt %t/pair.mlir --ringi-join-step="forward=f backward=bw" 2>&1 | FileCheck %s --check-prefix=NONAME
// RUN: not ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=fw" 2>&1 | FileCheck %s --check-prefix=SAME
// RUN: not ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw" 2>&1 | FileCheck %s --check-prefix=UNSAID
// RUN: not ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw outputs=3" 2>&1 | FileCheck %s --check-prefix=OUTPUTS
// RUN: not ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw outputs=0" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=few outputs=0" 2>&1 | FileCheck %s --check-prefix=FEW
// RUN: not ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw outputs=1 name=few" 2>&1 | FileCheck %s --check-prefix=TAKEN
// RUN: not ringi-opt %t/pair.mlir --ringi-join-step="forward=blocks backward=bw" 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not ringi-opt %t/number.mlir --ringi-join-step="forward=fw backward=bw" 2>&1 | FileCheck %s --check-prefix=NUMBER
// RUN: not ringi-opt %t/called.mlir --ringi-join-step="forward=fw backward=bw" 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: not ringi-opt %t/called.mlir --ringi-split-step="function=step" 2>&1 | FileCheck %s --check-prefix=SPLITCALLED
// RUN: not ringi-opt %t/two.mlir --ringi-split-step 2>&1 | FileCheck %s --check-prefix=TWO
// RUN: not ringi-opt %t/two.mlir --ringi-split-step="function=step forward=other" 2>&1 | FileCheck %s --check-prefix=CLASH
// RUN: not ringi-opt %t/two.mlir --ringi-split-step="function=step forward=a backward=a" 2>&1 | FileCheck %s --check-prefix=EQUAL
// RUN: not ringi-opt %t/pair.mlir --ringi-split-step="function=few" 2>&1 | FileCheck %s --check-prefix=NOBACKWARD

// NONAME: error: no function 'f' with a body in the module; check the option 'forward'
// SAME: error: 'fw' is given as forward and as backward function
// UNSAID: error: no argument of 'bw' has 'ringi.saved'; say there which result each one takes, or give outputs=N
// OUTPUTS: error: outputs=3 but 'fw' has 2 results
// TYPE: error: argument 0 of 'bw' is a 'tensor<8xf32>' but result 0 of 'fw' is a 'tensor<4xf32>'
// FEW: error: 'fw' saves 2 tensors but 'few' has 1 arguments; check the option 'outputs'
// TAKEN: error: the module has a 'few' already; give the joint step another name
// BLOCKS: error: function 'blocks' has 2 blocks but half of a step has 1; turn branches into scf operations
// NUMBER: error: argument 0 names 2 : i64 as its saved tensor but 'fw' has 2 results
// CALLED: error: calls 'fw', which becomes a part of the joint step; remove the call
// SPLITCALLED: error: calls 'step', which becomes two functions; remove the call
// TWO: error: 'step' and 'other' have backward parts; name one by the option 'function'
// CLASH: error: the module would have two functions named 'other'; give the halves other names
// EQUAL: error: the module would have two functions named 'a'; give the halves other names
// NOBACKWARD: error: no function with a backward part to split; mark its operations 'ringi.phase'

//--- pair.mlir
func.func @fw(%x: tensor<8xf32>) -> (tensor<4xf32>, tensor<8xf32>) {
  %0 = tensor.extract_slice %x[0] [4] [1] : tensor<8xf32> to tensor<4xf32>
  return %0, %x : tensor<4xf32>, tensor<8xf32>
}
func.func @bw(%a: tensor<8xf32>, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.mulf %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func @few(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func @blocks(%a: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^end
^end:
  return %a : tensor<8xf32>
}
//--- number.mlir
func.func @fw(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  return %x, %x : tensor<8xf32>, tensor<8xf32>
}
func.func @bw(%a: tensor<8xf32> {ringi.saved = 2 : i64}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
//--- called.mlir
func.func @fw(%x: tensor<8xf32>) -> tensor<8xf32> {
  return %x : tensor<8xf32>
}
func.func @bw(%a: tensor<8xf32> {ringi.saved = 0 : i64}) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %x {ringi.phase = "forward"} : tensor<8xf32>
  %1 = arith.mulf %0, %x {ringi.phase = "backward"} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func @main(%x: tensor<8xf32>) {
  %0 = call @fw(%x) : (tensor<8xf32>) -> tensor<8xf32>
  %1:2 = call @step(%0) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)
  return
}
//--- two.mlir
func.func @step(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %x {ringi.phase = "forward"} : tensor<8xf32>
  %1 = arith.mulf %0, %x {ringi.phase = "backward"} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func @other(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %x {ringi.phase = "forward"} : tensor<8xf32>
  %1 = arith.mulf %0, %x {ringi.phase = "backward"} : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
