// A product of B x D by D x K has 2BDK FLOPs, and its backward twice as many.
// AdamW in bf16 holds 2 bytes of parameter, 2 of gradient and 8 of state per
// element, 12 without a master copy; here 1536 elements.
// RUN: ringi-opt %s --ringi-build-step=optimizer=adamw --ringi-print-cost="format=json" -o /dev/null | FileCheck %s --check-prefix=COST
// RUN: ringi-opt %s --ringi-build-step=optimizer=adamw --ringi-print-memory="format=json alignment=1" -o /dev/null | FileCheck %s --check-prefix=MEMORY

// COST: "classes": {
// COST: "gemm": {
// COST-NEXT: "bytes":
// COST-NEXT: "flops": 98304,
// COST: "op": "matmul.0",
// COST: "flops": 32768,

// MEMORY: "categories": {
// The loss is not kept for backward, and recomputed is nothing.
// MEMORY: "forward_temporary": 2,
// MEMORY: "gradient": 3072,
// MEMORY: "optimizer_state": 12288,
// MEMORY: "parameter": 3072,
// MEMORY: "recomputed_temporary": 0,
func.func @step(%y: tensor<16x32xbf16> {ringi.role = "parameter", ringi.name = "y"},
                %w: tensor<32x32xbf16> {ringi.role = "parameter", ringi.name = "w"}) -> tensor<bf16> {
  %0 = ringi.matmul %y, %w : (tensor<16x32xbf16>, tensor<32x32xbf16>) -> tensor<16x32xbf16>
  %l = ringi.reduce_sum %0 [0, 1] : (tensor<16x32xbf16>) -> tensor<bf16>
  return %l : tensor<bf16>
}
