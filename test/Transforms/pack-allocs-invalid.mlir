// RUN: split-file %s %t
// RUN: not ringi-opt %t/ok.mlir --ringi-pack-allocs=arena=stack 2>&1 | FileCheck %s --check-prefix=ARENA
// RUN: not ringi-opt %t/ok.mlir --ringi-pack-allocs=alignment=48 2>&1 | FileCheck %s --check-prefix=ALIGNMENT
// RUN: not ringi-opt %t/ok.mlir --ringi-pack-allocs=effort=-1 2>&1 | FileCheck %s --check-prefix=EFFORT
// RUN: not ringi-opt %t/ok.mlir --ringi-pack-allocs=function=g 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: not ringi-opt %t/ok.mlir --ringi-pack-allocs --ringi-pack-allocs 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ringi-opt %t/ok.mlir --ringi-pack-allocs=report=%t/none/report.json 2>&1 | FileCheck %s --check-prefix=REPORT
// RUN: not ringi-opt %t/blocks.mlir --ringi-pack-allocs 2>&1 | FileCheck %s --check-prefix=BLOCKS
// RUN: not ringi-opt %t/tensors.mlir --ringi-pack-allocs 2>&1 | FileCheck %s --check-prefix=TENSORS
// RUN: not ringi-opt %t/called.mlir --ringi-pack-allocs="arena=argument function=f" 2>&1 | FileCheck %s --check-prefix=CALLED
// RUN: ringi-opt %t/called.mlir --ringi-pack-allocs="arena=alloc function=f" -o /dev/null

// ARENA: error: arena=stack is not known; use alloc or argument
// ALIGNMENT: error: alignment=48 must be a power of two of at most 1073741824, and effort=200000 not negative
// EFFORT: error: alignment=64 must be a power of two of at most 1073741824, and effort=-1 not negative
// FUNCTION: error: no function 'g' with a body in the module; check the option 'function'
// TWICE: error: 'f' has an arena already; pack buffers once
// REPORT: error: {{.*}}report.json
// BLOCKS: blocks.mlir:1:{{.*}} error: 'f' has 2 blocks; pack its buffers before control flow is lowered to branches
// TENSORS: tensors.mlir:2:{{.*}} error: {{.*}}computes with tensors; bufferize 'f' before --ringi-pack-allocs
// CALLED: called.mlir:7:{{.*}} error: calls 'f', whose signature arena=argument would change; use arena=alloc

//--- ok.mlir
func.func @f(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  memref.copy %a, %x : memref<64xf32> to memref<64xf32>
  return
}
//--- blocks.mlir
func.func @f() {
  cf.br ^end
^end:
  return
}
//--- tensors.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
//--- called.mlir
func.func @f(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  memref.copy %x, %a : memref<64xf32> to memref<64xf32>
  return
}
func.func @g(%x: memref<64xf32>) {
  call @f(%x) : (memref<64xf32>) -> ()
  return
}
