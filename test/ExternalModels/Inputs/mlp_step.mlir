// A training step of somebody's linalg pipeline: four tanh layers, squared error, gradients of the weights.
// 64 rows of 16: every activation has 4096 bytes, every weight 1024.
#a = affine_map<(m, n, k) -> (k, m)>
#b = affine_map<(m, n, k) -> (k, n)>
#bt = affine_map<(m, n, k) -> (n, k)>
#ad = affine_map<(m, n, k) -> (m, k)>
#c = affine_map<(m, n, k) -> (m, n)>
#id = affine_map<(i, j) -> (i, j)>
func.func @step(%x: tensor<64x16xf32>, %t: tensor<64x16xf32>, %w1: tensor<16x16xf32>, %w2: tensor<16x16xf32>,
                %w3: tensor<16x16xf32>, %w4: tensor<16x16xf32>)
    -> (tensor<f32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<64x16xf32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %ew = tensor.empty() : tensor<16x16xf32>
  %fw = linalg.fill ins(%zero : f32) outs(%ew : tensor<16x16xf32>) -> tensor<16x16xf32>

  %h1 = linalg.matmul ins(%x, %w1 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
  %a1 = linalg.tanh ins(%h1 : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %h2 = linalg.matmul ins(%a1, %w2 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
  %a2 = linalg.tanh ins(%h2 : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %h3 = linalg.matmul ins(%a2, %w3 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
  %a3 = linalg.tanh ins(%h3 : tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %y = linalg.matmul ins(%a3, %w4 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
  %d4 = linalg.sub ins(%y, %t : tensor<64x16xf32>, tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) -> tensor<64x16xf32>
  %es = tensor.empty() : tensor<f32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [#id, affine_map<(i, j) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%d4 : tensor<64x16xf32>) outs(%fs : tensor<f32>) {
  ^bb0(%d: f32, %o: f32):
    %p = arith.mulf %d, %d : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>

  %dw4 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a3, %d4 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%fw : tensor<16x16xf32>) -> tensor<16x16xf32>
  %g3 = linalg.matmul indexing_maps = [#ad, #bt, #c] ins(%d4, %w4 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
  %d3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g3, %a3 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%g: f32, %a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.mulf %g, %p : f32
    %r = arith.subf %g, %q : f32
    linalg.yield %r : f32
  } -> tensor<64x16xf32>
  %dw3 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a2, %d3 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%fw : tensor<16x16xf32>) -> tensor<16x16xf32>
  %g2 = linalg.matmul indexing_maps = [#ad, #bt, #c] ins(%d3, %w3 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
  %d2 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g2, %a2 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%g: f32, %a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.mulf %g, %p : f32
    %r = arith.subf %g, %q : f32
    linalg.yield %r : f32
  } -> tensor<64x16xf32>
  %dw2 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%a1, %d2 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%fw : tensor<16x16xf32>) -> tensor<16x16xf32>
  %g1 = linalg.matmul indexing_maps = [#ad, #bt, #c] ins(%d2, %w2 : tensor<64x16xf32>, tensor<16x16xf32>) outs(%f : tensor<64x16xf32>) -> tensor<64x16xf32>
  %d1 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel", "parallel"]}
      ins(%g1, %a1 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%e : tensor<64x16xf32>) {
  ^bb0(%g: f32, %a: f32, %o: f32):
    %p = arith.mulf %a, %a : f32
    %q = arith.mulf %g, %p : f32
    %r = arith.subf %g, %q : f32
    linalg.yield %r : f32
  } -> tensor<64x16xf32>
  %dw1 = linalg.matmul indexing_maps = [#a, #b, #c] ins(%x, %d1 : tensor<64x16xf32>, tensor<64x16xf32>) outs(%fw : tensor<16x16xf32>) -> tensor<16x16xf32>
  return %loss, %dw1, %dw2, %dw3, %dw4 : tensor<f32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
}
