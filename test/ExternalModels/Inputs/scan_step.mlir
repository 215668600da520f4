// Twelve steps of h = c w + row, t = tanh(h), c' = c + t w, and what reads their rows from the last to the first. The forward loop
// stacks c, h and t; t costs no product to make again from h, and h can be made again from c, w and the row.
func.func @scan_step(%x: tensor<32x32xf32>, %w: tensor<32x32xf32>, %rows: tensor<12x32x32xf32>)
    -> (tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c11 = arith.constant 11 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<12x32x32xf32>
  %f:4 = scf.for %i = %c0 to %c12 step %c1 iter_args(%c = %x, %cs = %e, %hs = %e, %ts = %e)
      -> (tensor<32x32xf32>, tensor<12x32x32xf32>, tensor<12x32x32xf32>, tensor<12x32x32xf32>) {
    %row = tensor.extract_slice %rows[%i, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<12x32x32xf32> to tensor<32x32xf32>
    %e0 = tensor.empty() : tensor<32x32xf32>
    %z = linalg.fill ins(%zero : f32) outs(%e0 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %p = linalg.matmul ins(%c, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%z : tensor<32x32xf32>) -> tensor<32x32xf32>
    %e1 = tensor.empty() : tensor<32x32xf32>
    %h = linalg.add ins(%p, %row : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e1 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %e2 = tensor.empty() : tensor<32x32xf32>
    %t = linalg.tanh ins(%h : tensor<32x32xf32>) outs(%e2 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %s1 = tensor.insert_slice %c into %cs[%i, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<32x32xf32> into tensor<12x32x32xf32>
    %s2 = tensor.insert_slice %h into %hs[%i, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<32x32xf32> into tensor<12x32x32xf32>
    %s3 = tensor.insert_slice %t into %ts[%i, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<32x32xf32> into tensor<12x32x32xf32>
    %n = linalg.matmul ins(%t, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%c : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %n, %s1, %s2, %s3 : tensor<32x32xf32>, tensor<12x32x32xf32>, tensor<12x32x32xf32>, tensor<12x32x32xf32>
  } {ringi.phase = "forward"}
  %e4 = tensor.empty() : tensor<32x32xf32>
  %z0 = linalg.fill {ringi.phase = "backward"} ins(%zero : f32) outs(%e4 : tensor<32x32xf32>) -> tensor<32x32xf32>
  %b:2 = scf.for %k = %c0 to %c12 step %c1 iter_args(%g = %f#0, %dw = %z0) -> (tensor<32x32xf32>, tensor<32x32xf32>) {
    %j = arith.subi %c11, %k : index
    %c = tensor.extract_slice %f#1[%j, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<12x32x32xf32> to tensor<32x32xf32>
    %h = tensor.extract_slice %f#2[%j, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<12x32x32xf32> to tensor<32x32xf32>
    %t = tensor.extract_slice %f#3[%j, 0, 0] [1, 32, 32] [1, 1, 1] : tensor<12x32x32xf32> to tensor<32x32xf32>
    %e5 = tensor.empty() : tensor<32x32xf32>
    %tt = linalg.mul ins(%t, %t : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e5 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %e6 = tensor.empty() : tensor<32x32xf32>
    %gt = linalg.mul ins(%g, %tt : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e6 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %e7 = tensor.empty() : tensor<32x32xf32>
    %dh = linalg.sub ins(%g, %gt : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e7 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %e8 = tensor.empty() : tensor<32x32xf32>
    %q = linalg.mul ins(%dh, %h : tensor<32x32xf32>, tensor<32x32xf32>) outs(%e8 : tensor<32x32xf32>) -> tensor<32x32xf32>
    %dc = linalg.matmul ins(%q, %w : tensor<32x32xf32>, tensor<32x32xf32>) outs(%g : tensor<32x32xf32>) -> tensor<32x32xf32>
    %ndw = linalg.matmul ins(%c, %dh : tensor<32x32xf32>, tensor<32x32xf32>) outs(%dw : tensor<32x32xf32>) -> tensor<32x32xf32>
    scf.yield %dc, %ndw : tensor<32x32xf32>, tensor<32x32xf32>
  } {ringi.phase = "backward"}
  return %f#0, %b#0, %b#1 : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
}
