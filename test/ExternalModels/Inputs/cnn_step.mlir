// Two convolutions with rectifiers and a squared loss over somebody's linalg and tensor ops: pads, a splat constant as large as an
// activation, flattened views, a kernel turned around element by element.
#id4 = affine_map<(n, c, h, w) -> (n, c, h, w)>
#dwx = affine_map<(f, c, u, v, n, h, w) -> (n, c, h + u, w + v)>
#dwy = affine_map<(f, c, u, v, n, h, w) -> (n, f, h, w)>
#dwo = affine_map<(f, c, u, v, n, h, w) -> (f, c, u, v)>
func.func @step(%x: tensor<2x2x10x10xf32>, %k1: tensor<4x2x3x3xf32>, %k2: tensor<4x4x3x3xf32>)
    -> (tensor<f32>, tensor<4x2x3x3xf32>, tensor<4x4x3x3xf32>) {
  %zero = arith.constant 0.0 : f32
  %half = arith.constant dense<0.5> : tensor<2x4x6x6xf32>
  %e1 = tensor.empty() : tensor<2x4x8x8xf32>
  %f1 = linalg.fill ins(%zero : f32) outs(%e1 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %h1 = linalg.conv_2d_nchw_fchw ins(%x, %k1 : tensor<2x2x10x10xf32>, tensor<4x2x3x3xf32>) outs(%f1 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %a1 = linalg.max ins(%h1, %f1 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) outs(%e1 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %e2 = tensor.empty() : tensor<2x4x6x6xf32>
  %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %h2 = linalg.conv_2d_nchw_fchw ins(%a1, %k2 : tensor<2x4x8x8xf32>, tensor<4x4x3x3xf32>) outs(%f2 : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %a2 = linalg.max ins(%h2, %f2 : tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) outs(%e2 : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %s2 = linalg.mul ins(%a2, %half : tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) outs(%e2 : tensor<2x4x6x6xf32>) -> tensor<2x4x6x6xf32>
  %flat = tensor.collapse_shape %s2 [[0, 1, 2, 3]] : tensor<2x4x6x6xf32> into tensor<288xf32>
  %es = tensor.empty() : tensor<f32>
  %fs = linalg.fill ins(%zero : f32) outs(%es : tensor<f32>) -> tensor<f32>
  %loss = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> ()>], iterator_types = ["reduction"]}
      ins(%flat : tensor<288xf32>) outs(%fs : tensor<f32>) {
  ^bb0(%d: f32, %o: f32):
    %p = arith.mulf %d, %d : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<f32>

  // dL/dh2: s2 where the rectifier let it through (2 x 0.5 cancels).
  %g2 = linalg.generic {indexing_maps = [#id4, #id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%s2, %h2 : tensor<2x4x6x6xf32>, tensor<2x4x6x6xf32>) outs(%e2 : tensor<2x4x6x6xf32>) {
  ^bb0(%s: f32, %h: f32, %o: f32):
    %p = arith.cmpf ogt, %h, %zero : f32
    %r = arith.select %p, %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x4x6x6xf32>
  %ek2 = tensor.empty() : tensor<4x4x3x3xf32>
  %fk2 = linalg.fill ins(%zero : f32) outs(%ek2 : tensor<4x4x3x3xf32>) -> tensor<4x4x3x3xf32>
  %dk2 = linalg.generic {indexing_maps = [#dwx, #dwy, #dwo], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%a1, %g2 : tensor<2x4x8x8xf32>, tensor<2x4x6x6xf32>) outs(%fk2 : tensor<4x4x3x3xf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %p = arith.mulf %a, %g : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x4x3x3xf32>
  %turned = linalg.generic {indexing_maps = [#id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      outs(%ek2 : tensor<4x4x3x3xf32>) {
  ^bb0(%o: f32):
    %two = arith.constant 2 : index
    %f = linalg.index 0 : index
    %c = linalg.index 1 : index
    %u = linalg.index 2 : index
    %v = linalg.index 3 : index
    %tu = arith.subi %two, %u : index
    %tv = arith.subi %two, %v : index
    %r = tensor.extract %k2[%c, %f, %tu, %tv] : tensor<4x4x3x3xf32>
    linalg.yield %r : f32
  } -> tensor<4x4x3x3xf32>
  %wide = tensor.pad %g2 low[0, 0, 2, 2] high[0, 0, 2, 2] {
  ^bb0(%n: index, %c: index, %h: index, %w: index):
    tensor.yield %zero : f32
  } : tensor<2x4x6x6xf32> to tensor<2x4x10x10xf32>
  %da1 = linalg.conv_2d_nchw_fchw ins(%wide, %turned : tensor<2x4x10x10xf32>, tensor<4x4x3x3xf32>) outs(%f1 : tensor<2x4x8x8xf32>) -> tensor<2x4x8x8xf32>
  %g1 = linalg.generic {indexing_maps = [#id4, #id4, #id4], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
      ins(%da1, %h1 : tensor<2x4x8x8xf32>, tensor<2x4x8x8xf32>) outs(%e1 : tensor<2x4x8x8xf32>) {
  ^bb0(%s: f32, %h: f32, %o: f32):
    %p = arith.cmpf ogt, %h, %zero : f32
    %r = arith.select %p, %s, %zero : f32
    linalg.yield %r : f32
  } -> tensor<2x4x8x8xf32>
  %ek1 = tensor.empty() : tensor<4x2x3x3xf32>
  %fk1 = linalg.fill ins(%zero : f32) outs(%ek1 : tensor<4x2x3x3xf32>) -> tensor<4x2x3x3xf32>
  %dk1 = linalg.generic {indexing_maps = [#dwx, #dwy, #dwo], iterator_types = ["parallel", "parallel", "parallel", "parallel", "reduction", "reduction", "reduction"]}
      ins(%x, %g1 : tensor<2x2x10x10xf32>, tensor<2x4x8x8xf32>) outs(%fk1 : tensor<4x2x3x3xf32>) {
  ^bb0(%a: f32, %g: f32, %o: f32):
    %p = arith.mulf %a, %g : f32
    %r = arith.addf %o, %p : f32
    linalg.yield %r : f32
  } -> tensor<4x2x3x3xf32>
  return %loss, %dk1, %dk2 : tensor<f32>, tensor<4x2x3x3xf32>, tensor<4x4x3x3xf32>
}
