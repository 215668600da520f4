// A forward and a backward function with saved tensors between them are planned as one step; the signatures follow the plan.
// RUN: split-file %s %t
// RUN: ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw" | FileCheck %s --check-prefix=JOINED
// RUN: ringi-opt %t/ordered.mlir --ringi-join-step="forward=fw backward=bw outputs=1 name=joint" | FileCheck %s --check-prefix=ORDERED
// RUN: ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw" --ringi-split-step="forward=fw backward=bw" | FileCheck %s --check-prefix=SPLIT
// RUN: ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw" --ringi-checkpoint=strategy=manual \
// RUN:   --ringi-split-step="forward=fw backward=bw" | FileCheck %s --check-prefix=PLANNED
// RUN: mlir-opt %t/pair.mlir --load-dialect-plugin=%ringi_plugin \
// RUN:   --pass-pipeline='builtin.module(ringi-join-step{forward=fw backward=bw},ringi-checkpoint{strategy=manual},ringi-split-step{forward=fw backward=bw})' \
// RUN:   | FileCheck %s --check-prefix=PLANNED
// What was split is joined again: the same ops in the same order.
// RUN: ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw name=s" --ringi-split-step="forward=fw backward=bw" \
// RUN:   --ringi-join-step="forward=fw backward=bw name=s" --canonicalize -o %t/again.mlir
// RUN: ringi-opt %t/pair.mlir --ringi-join-step="forward=fw backward=bw name=s" --canonicalize -o %t/once.mlir
// RUN: diff %t/once.mlir %t/again.mlir

// JOINED: func.func @fw_step(%[[X:.*]]: tensor<8x8xf32> {ringi.name = "x"}, %[[W:.*]]: tensor<8x8xf32>, %[[G:.*]]: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>)
// JOINED: %[[A:.*]] = math.exp %{{.*}} {ringi.must_recompute, ringi.phase = "forward"}
// JOINED: %[[B:.*]] = math.tanh %[[A]] {ringi.phase = "forward"}
// JOINED: arith.mulf %[[G]], %[[B]] {ringi.phase = "backward"}
// JOINED: arith.mulf %{{.*}}, %[[A]] {ringi.phase = "backward"}
// JOINED-NOT: func.func

// ORDERED: func.func @joint(%{{.*}}: tensor<8xf32>, %{{.*}}: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>)

// Both activations are saved, 256 bytes each; the backward function takes them in order.
// SPLIT: func.func @fw(%{{.*}}: tensor<8x8xf32> {ringi.name = "x"}, %{{.*}}: tensor<8x8xf32>)
// SPLIT-SAME: -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>)
// SPLIT-SAME: ringi.saved_bytes = 512 : i64
// SPLIT: func.func @bw(%{{.*}}: tensor<8x8xf32> {ringi.saved = 1 : i64}, %{{.*}}: tensor<8x8xf32> {ringi.saved = 2 : i64}, %{{.*}}: tensor<8x8xf32>) -> tensor<8x8xf32>

// One activation is marked: it is recomputed in the backward function, whose signature takes what that needs, %x, instead.
// PLANNED: func.func @fw(
// PLANNED-SAME: -> (tensor<8x8xf32>, tensor<8x8xf32>) attributes {ringi.saved_bytes = 256 : i64}
// PLANNED: func.func @bw(%{{.*}}: tensor<8x8xf32> {ringi.saved = 1 : i64}, %{{.*}}: tensor<8x8xf32> {ringi.name = "x"}, %{{.*}}: tensor<8x8xf32>) -> tensor<8x8xf32>
// PLANNED: ringi.recompute
// PLANNED: math.exp

//--- pair.mlir
func.func @fw(%x: tensor<8x8xf32> {ringi.name = "x"}, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %1 = math.exp %x {ringi.must_recompute} : tensor<8x8xf32>
  %2 = math.tanh %1 : tensor<8x8xf32>
  %3 = arith.addf %2, %w : tensor<8x8xf32>
  return %3, %2, %1 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}
func.func @bw(%a: tensor<8x8xf32> {ringi.saved = 2 : i64}, %b: tensor<8x8xf32> {ringi.saved = 1 : i64}, %g: tensor<8x8xf32>) -> tensor<8x8xf32> {
  %0 = arith.mulf %g, %b : tensor<8x8xf32>
  %1 = arith.mulf %0, %a : tensor<8x8xf32>
  return %1 : tensor<8x8xf32>
}
//--- ordered.mlir
func.func @fw(%x: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = math.exp %x : tensor<8xf32>
  %1 = math.tanh %0 : tensor<8xf32>
  return %1, %0 : tensor<8xf32>, tensor<8xf32>
}
func.func @bw(%saved: tensor<8xf32>, %g: tensor<8xf32>) -> tensor<8xf32> {
  %0 = arith.mulf %g, %saved : tensor<8xf32>
  return %0 : tensor<8xf32>
}
