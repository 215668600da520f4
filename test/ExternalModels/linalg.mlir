// FLOPs from the iteration space times the arithmetic of the body, the class from maps and iterators, bytes of operands and results.
// RUN: ringi-opt %s --ringi-print-cost=function=costs -o /dev/null | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(ringi-print-cost{function=costs})' -o /dev/null | FileCheck %s
// RUN: ringi-opt %s --ringi-print-memory="function=destinations alignment=1" -o /dev/null | FileCheck %s --check-prefix=DESTINATIONS
// RUN: ringi-opt %s --ringi-print-memory="function=fills alignment=1" -o /dev/null | FileCheck %s --check-prefix=FILLS
// RUN: ringi-opt %s --ringi-plan-checkpoints="strategy=manual function=repeats" | FileCheck %s --check-prefix=REPEATS
// RUN: mlir-opt %s --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(ringi-plan-checkpoints{strategy=manual function=repeats})' \
// RUN:   | FileCheck %s --check-prefix=REPEATS

// 2 x 8 x 4 x 16.
// CHECK: {{^ *}}matmul.0 gemm 1.024{{0*}}e+03 FLOPs 1.024{{0*}}e+03 bytes
// The same product with the second operand transposed, spelled as a generic.
// CHECK: {{^ *}}generic.1 gemm 1.024{{0*}}e+03 FLOPs
// 1 x 5 x 8 x 8 results, each over 3 x 3 x 3, times 2.
// CHECK: {{^ *}}conv_2d_nchw_fchw.2 convolution 1.728{{0*}}e+04 FLOPs
// CHECK: {{^ *}}reduce.3 reduction 1.28{{0*}}e+02 FLOPs
// CHECK: {{^ *}}exp.4 elementwise 1.28{{0*}}e+02 FLOPs 1.536{{0*}}e+03 bytes
// Three arithmetic ops in the body; the constant and the index are none.
// CHECK: {{^ *}}generic.5 elementwise 3.84{{0*}}e+02 FLOPs
// CHECK: {{^ *}}transpose.6 elementwise 0.0{{0*}}e+00 FLOPs 1.536{{0*}}e+03 bytes
// CHECK: {{^ *}}softmax.7 normalization 6.4{{0*}}e+02 FLOPs
func.func @costs(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %c: tensor<4x16xf32>, %x: tensor<1x3x10x10xf32>, %w: tensor<5x3x3x3xf32>,
                 %o: tensor<8x4xf32>, %ox: tensor<1x5x8x8xf32>, %r: tensor<8xf32>, %t: tensor<16x8xf32>) {
  %0 = linalg.matmul ins(%a, %b : tensor<8x16xf32>, tensor<16x4xf32>) outs(%o : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(m, n, k) -> (m, k)>, affine_map<(m, n, k) -> (n, k)>, affine_map<(m, n, k) -> (m, n)>],
                       iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%a, %c : tensor<8x16xf32>, tensor<4x16xf32>) outs(%o : tensor<8x4xf32>) {
  ^bb0(%p: f32, %q: f32, %s: f32):
    %m = arith.mulf %p, %q : f32
    %n = arith.addf %s, %m : f32
    linalg.yield %n : f32
  } -> tensor<8x4xf32>
  %2 = linalg.conv_2d_nchw_fchw ins(%x, %w : tensor<1x3x10x10xf32>, tensor<5x3x3x3xf32>) outs(%ox : tensor<1x5x8x8xf32>) -> tensor<1x5x8x8xf32>
  %3 = linalg.reduce {arith.addf} ins(%a : tensor<8x16xf32>) outs(%r : tensor<8xf32>) dimensions = [1]
  %4 = linalg.exp ins(%a : tensor<8x16xf32>) outs(%a : tensor<8x16xf32>) -> tensor<8x16xf32>
  %5 = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>, affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      ins(%a : tensor<8x16xf32>) outs(%a : tensor<8x16xf32>) {
  ^bb0(%p: f32, %s: f32):
    %two = arith.constant 2.0 : f32
    %i = linalg.index 0 : index
    %u = arith.mulf %p, %two : f32
    %v = math.exp %u : f32
    %z = arith.addf %v, %s : f32
    linalg.yield %z : f32
  } -> tensor<8x16xf32>
  %6 = linalg.transpose ins(%a : tensor<8x16xf32>) outs(%t : tensor<16x8xf32>) permutation = [1, 0]
  %7 = linalg.softmax dimension(1) ins(%a : tensor<8x16xf32>) outs(%a : tensor<8x16xf32>) -> tensor<8x16xf32>
  return
}

// One tensor.empty serves three ops, as CSE leaves it. It holds nothing: each op's result owns its bytes, and %0 dies when %1 is made
// (64 + 64), %1 is overwritten by %2 where the init says so.
// DESTINATIONS: memory of 'destinations': live peak 192 bytes at exp.1
// DESTINATIONS: exp.0 forward 128
// DESTINATIONS: exp.1 forward 192
// DESTINATIONS: generic.2 forward 128
func.func @destinations(%x: tensor<16xf32>) -> tensor<16xf32> {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.exp ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %1 = linalg.exp ins(%0 : tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
      ins(%x : tensor<16xf32>) outs(%1 : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    %r = arith.addf %a, %o : f32
    linalg.yield %r : f32
  } -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// A fill costs a destination nothing; read as an operand it exists while its reader runs, and so does a splat constant. A constant
// with data is stored throughout (64 bytes beside the argument's 64).
// FILLS: memory of 'fills': live peak 320 bytes at add.1
// FILLS: max.0 forward 256
// FILLS: add.1 forward 320
// FILLS: add.2 forward 256
func.func @fills(%x: tensor<16xf32>) -> tensor<16xf32> {
  %zero = arith.constant 0.0 : f32
  %splat = arith.constant dense<2.0> : tensor<16xf32>
  %data = arith.constant dense<[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0, 9.0, 10.0, 11.0, 12.0, 13.0, 14.0, 15.0]> : tensor<16xf32>
  %e = tensor.empty() : tensor<16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %0 = linalg.max ins(%x, %f : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %1 = linalg.add ins(%0, %splat : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %2 = linalg.add ins(%1, %data : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %2 : tensor<16xf32>
}

// REPEATS-LABEL: func.func @repeats
// REPEATS: linalg.matmul {{.*}}ringi.decision = ["recompute
// REPEATS: linalg.exp {{.*}}ringi.decision = ["recompute
func.func @repeats(%x: tensor<8x8xf32>, %w: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %e = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.matmul {ringi.must_recompute, ringi.phase = "forward"} ins(%x, %w : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.exp {ringi.must_recompute, ringi.phase = "forward"} ins(%0 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %s = linalg.tanh {ringi.phase = "forward"} ins(%1 : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = linalg.negf {ringi.phase = "backward"} ins(%s : tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.mul {ringi.phase = "backward"} ins(%1, %0 : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %2, %t : tensor<8x8xf32>, tensor<8x8xf32>
}
