// Costs that a table gives to ops of a dialect that is not loaded.
// RUN: split-file %s %t
// RUN: ringi-opt %t/ops.mlir --allow-unregistered-dialect --ringi-print-cost="op-table=%t/table.json format=json" \
// RUN:   -o %t/out.mlir | FileCheck %s

//--- table.json
{
  "note": "every function of the formula language",
  "dialect": "t",
  "ops": [
    {"op": "arithmetic", "class": "other", "pure": true, "flops": "2 + 3 * (4 - 1) / 2 - -1"},
    {"op": "bounds", "class": "other", "pure": true, "flops": "min(7, 3) + max(1e3, 2) + log2(8)"},
    {"op": "sizes", "class": "elementwise", "pure": true, "flops": "elements(operand) + elements(operands) + elements(result[1])",
     "bytes": "bytes(results) * 10"},
    {"op": "dimensions", "class": "gemm", "pure": true, "flops": "dim(operand[1], -1) * 100 + dim(operand, 0)"},
    {"op": ["listed", "opaque", "dictionary"], "class": "gemm", "pure": true, "flops": "2 * dims(operand, numbers.lhs)"},
    {"op": ["array", "dense", "list", "one"], "class": "gemm", "pure": true, "flops": "dims(operand, numbers)"},
    {"op": ["named", "opaque_named"], "class": "convolution", "pure": true, "flops": "labelled(operand, labels, 1, o)"},
    {"op": "window", "class": "reduction", "pure": true, "flops": "product(window.size) * product(absent)"},
    {"op": "either", "when": {"kind": "fast"}, "class": "gemm", "pure": true, "flops": "1"},
    {"op": "either", "class": "other", "pure": true, "flops": "2"}
  ]
}

//--- ops.mlir
// CHECK: "flops": 7.5
// CHECK: "op": "arithmetic.0"
// CHECK: "flops": 1006
// CHECK: "op": "bounds.1"
// 6 + (6 + 4) + 5, and 10 * (6 + 5) * 4 bytes.
// CHECK: "bytes": 440
// CHECK: "flops": 21
// CHECK: "op": "sizes.2"
// CHECK: "flops": 402
// CHECK: "op": "dimensions.3"
// Dimensions 0 and 2 of 2x3x5, twice.
// CHECK: "flops": 20
// CHECK: "op": "listed.4"
// CHECK: "flops": 20
// CHECK: "op": "opaque.5"
// CHECK: "flops": 20
// CHECK: "op": "dictionary.6"
// CHECK-COUNT-3: "flops": 10,
// CHECK: "op": "list.9"
// CHECK: "flops": 3
// CHECK: "op": "one.10"
// The second group is io01: o is dimension 1.
// CHECK: "flops": 3
// CHECK: "op": "named.11"
// CHECK: "flops": 3
// CHECK: "op": "opaque_named.12"
// CHECK: "flops": 21
// CHECK: "op": "window.13"
// CHECK: "class": "gemm"
// CHECK: "flops": 1
// CHECK: "op": "either.14"
// CHECK: "class": "other"
// CHECK: "flops": 2
// CHECK: "op": "either.15"
// CHECK: "known": false
// CHECK: "op": "nobody.16"
func.func @ops(%a: tensor<2x3xf32>, %b: tensor<4xf32>, %c: tensor<2x3x5xf32>) -> tensor<f32> {
  %0 = "t.arithmetic"() : () -> tensor<f32>
  %1 = "t.bounds"() : () -> tensor<f32>
  %2:2 = "t.sizes"(%a, %b) : (tensor<2x3xf32>, tensor<4xf32>) -> (tensor<6xf32>, tensor<5xf32>)
  %3 = "t.dimensions"(%a, %b) : (tensor<2x3xf32>, tensor<4xf32>) -> tensor<f32>
  %4 = "t.listed"(%c) {numbers = "rhs=[1] lhs=[0, 2]"} : (tensor<2x3x5xf32>) -> tensor<f32>
  %5 = "t.opaque"(%c) {numbers = #t.dot<lhs_batch = [1], lhs = [0, 2], rhs = [0]>} : (tensor<2x3x5xf32>) -> tensor<f32>
  %6 = "t.dictionary"(%c) <{numbers = {lhs = array<i64: 0, 2>}}> : (tensor<2x3x5xf32>) -> tensor<f32>
  %7 = "t.array"(%c) {numbers = array<i64: 0, 2>} : (tensor<2x3x5xf32>) -> tensor<f32>
  %8 = "t.dense"(%c) {numbers = dense<[0, 2]> : tensor<2xi64>} : (tensor<2x3x5xf32>) -> tensor<f32>
  %9 = "t.list"(%c) {numbers = [0, 2]} : (tensor<2x3x5xf32>) -> tensor<f32>
  %10 = "t.one"(%c) {numbers = 1 : i64} : (tensor<2x3x5xf32>) -> tensor<f32>
  %11 = "t.named"(%c) {labels = "b01f_io01->b01f"} : (tensor<2x3x5xf32>) -> tensor<f32>
  %12 = "t.opaque_named"(%c) {labels = #t.conv<[b, 0, 1, f]x[i, o, 0, 1]->[b, 0, 1, f]>} : (tensor<2x3x5xf32>) -> tensor<f32>
  %13 = "t.window"(%a) {window = "{size=3x7 stride=2x2 pad=1_1x1_1}"} : (tensor<2x3xf32>) -> tensor<f32>
  %14 = "t.either"(%a) {kind = "\"fast\""} : (tensor<2x3xf32>) -> tensor<f32>
  %15 = "t.either"(%a) {kind = "slow"} : (tensor<2x3xf32>) -> tensor<f32>
  %16 = "t.nobody"(%a) : (tensor<2x3xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
