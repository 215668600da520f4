// A step in StableHLO that no dialect of this tool knows: planned, carried out,
// parsed again in generic form, verified, and unharmed by stock passes (stock
// symbol-dce refuses unregistered ops with regions, planned or not).
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=memory-budget budget=84% op-table=stablehlo" \
// RUN:   -o %t.planned.mlir
// RUN: FileCheck %s < %t.planned.mlir
// RUN: ringi-opt %t.planned.mlir --allow-unregistered-dialect --mlir-print-op-generic --mlir-print-debuginfo -o %t.generic.mlir
// RUN: ringi-opt %t.generic.mlir --allow-unregistered-dialect --ringi-verify-plan -o %t.again.mlir
// RUN: diff %t.planned.mlir %t.again.mlir
// RUN: ringi-opt %t.planned.mlir --allow-unregistered-dialect --cse --canonicalize --loop-invariant-code-motion --cse \
// RUN:   --ringi-verify-plan -o %t.after.mlir
// RUN: diff %t.planned.mlir %t.after.mlir
// RUN: mlir-opt %s --allow-unregistered-dialect --load-dialect-plugin=%ringi_plugin \
// RUN:   --pass-pipeline='builtin.module(ringi-checkpoint{strategy=memory-budget budget=84% op-table=stablehlo})' \
// RUN:   | FileCheck %s
// RUN: ringi-opt %t.planned.mlir --allow-unregistered-dialect --ringi-inline-recompute=strip | FileCheck %s --check-prefix=FLAT
// RUN: ringi-opt %t.planned.mlir --allow-unregistered-dialect --ringi-inline-recompute="strip barrier=none" \
// RUN:   | FileCheck %s --check-prefix=NONE

// The loss is a returned scalar: what follows it is backward. The plan names
// its table, so that what reads it later asks the same.
// CHECK-LABEL: func.func @step
// CHECK-SAME: op_table = "stablehlo"
// CHECK: "stablehlo.dot_general"{{.*}}ringi.phase = "forward"
// CHECK: ringi.recompute
// CHECK-NOT: "stablehlo.dot_general"
// CHECK: "stablehlo.exponential"{{.*}}ringi.origin
// CHECK: ringi.yield

// The kept value goes through the table's barrier, the parameter does not.
// FLAT-LABEL: func.func @step
// FLAT-SAME: %[[X:.*]]: tensor<64x64xf32>, %[[W:.*]]: tensor<64x64xf32>
// FLAT: %[[KEPT:.*]] = "stablehlo.optimization_barrier"(%{{[0-9]+}}) : (tensor<64x64xf32>) -> tensor<64x64xf32>
// FLAT-NEXT: "stablehlo.exponential"(%[[KEPT]])
// FLAT-NOT: ringi.

// NONE-NOT: optimization_barrier
func.func @step(%x: tensor<64x64xf32>, %w: tensor<64x64xf32>) -> (tensor<f32>, tensor<64x64xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %h = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>}> {ringi.must_keep} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %a = "stablehlo.exponential"(%h) : (tensor<64x64xf32>) -> tensor<64x64xf32>
  %flat = "stablehlo.reshape"(%a) : (tensor<64x64xf32>) -> tensor<4096xf32>
  %b = "stablehlo.sine"(%flat) : (tensor<4096xf32>) -> tensor<4096xf32>
  %c = "stablehlo.tanh"(%b) : (tensor<4096xf32>) -> tensor<4096xf32>
  %loss = "stablehlo.reduce"(%c, %zero) <{dimensions = array<i64: 0>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) : (tensor<4096xf32>, tensor<f32>) -> tensor<f32>
  %dc = "stablehlo.multiply"(%c, %c) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %cos = "stablehlo.cosine"(%flat) : (tensor<4096xf32>) -> tensor<4096xf32>
  %db = "stablehlo.multiply"(%dc, %cos) : (tensor<4096xf32>, tensor<4096xf32>) -> tensor<4096xf32>
  %da = "stablehlo.reshape"(%db) : (tensor<4096xf32>) -> tensor<64x64xf32>
  %de = "stablehlo.multiply"(%da, %a) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %dh = "stablehlo.multiply"(%de, %h) : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  %dw = "stablehlo.dot_general"(%x, %dh) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [0], rhs_contracting_dimensions = [0]>}> : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
  return %loss, %dw : tensor<f32>, tensor<64x64xf32>
}

// A function without a backward part is left byte for byte.
// CHECK-LABEL: func.func @forward_only
// CHECK-NEXT: "stablehlo.sine"(%{{.*}}) : (tensor<4xf32>) -> tensor<4xf32>
func.func @forward_only(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "stablehlo.sine"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
