// Steps in which the plan and the program once disagreed: a mean whose sum
// needs scratch, an op that reads one storage twice, a split that copies parts
// nobody reads. All are exported, and each peak is the planned one.
// RUN: split-file %s %t
// RUN: ringi-opt %t/mean.mlir --ringi-train=optimizer=sgd --ringi-export-program=file=%t/mean.rgp -o %t/mean.out
// RUN: ringi-run %t/mean.rgp --verify --steps 2 | FileCheck %s
// RUN: ringi-opt %t/twice.mlir --ringi-train=optimizer=sgd --ringi-export-program=file=%t/twice.rgp -o %t/twice.out
// RUN: ringi-run %t/twice.rgp --verify --steps 2 | FileCheck %s
// RUN: ringi-opt %t/split.mlir --ringi-train=optimizer=sgd --ringi-export-program=file=%t/split.rgp -o %t/split.out
// RUN: ringi-run %t/split.rgp --verify --steps 2 | FileCheck %s
// CHECK: measured peak: {{.*}} (equal to the plan)
// CHECK-NOT: FAILED
// RUN: FileCheck %s --check-prefix=SPLIT --input-file %t/split.out
// SPLIT-NOT: ringi.split
// SPLIT: ringi.slice {{.*}}start = 3

// A step that was written with such a split is refused at the split.
// RUN: not ringi-opt %t/written.mlir --ringi-assign-memory=function=s --ringi-export-program=file=%t/w.rgp -o %t/w.out 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITTEN
// WRITTEN: written.mlir:2:10: error: {{.*}}copies a part that nobody reads, which a program would free earlier than the plan; write ringi.slice for the other parts

//--- mean.mlir
func.func @f(%w: tensor<144xf32> {ringi.role = "parameter", ringi.name = "w"}) -> tensor<f32> {
  %l = ringi.reduce_mean %w [0] : (tensor<144xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

//--- twice.mlir
func.func @f(%w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "w"}) -> tensor<f32> {
  %k = ringi.add %w, %w : tensor<4xf32>, tensor<4xf32>
  %l = ringi.mse %k, %k : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

//--- split.mlir
func.func @f(%x: tensor<2x8xf32> {ringi.role = "input", ringi.name = "x"}, %w: tensor<f32> {ringi.role = "parameter", ringi.name = "w"}) -> tensor<f32> {
  %p:3 = ringi.split %x {axis = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x3xf32>, tensor<2x1xf32>, tensor<2x4xf32>)
  %s = ringi.reduce_sum %p#1 [0, 1] : (tensor<2x1xf32>) -> tensor<f32>
  %l = ringi.mul %s, %w : tensor<f32>, tensor<f32>
  return %l : tensor<f32>
}

//--- written.mlir
func.func @s(%x: tensor<2x8xf32> {ringi.role = "input", ringi.name = "x"}) -> tensor<2x4xf32> {
  %p:2 = ringi.split %x {axis = 1 : i64} : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  return %p#1 : tensor<2x4xf32>
}
