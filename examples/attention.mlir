// One pre-norm transformer block with causal attention and dropout, written by hand: 2 sequences of 32 positions,
// hidden size 32, 2 heads of size 16. See mlp.mlir for roles, names and inits.
//
// Dropout reads the arguments with the roles "seed" and "step": a mask is a function of seed, random_id, step and element,
// so a recomputed dropout draws the same mask, and nothing is saved for it.
func.func @attention(
    %x: tensor<2x32x32xf32> {ringi.role = "input", ringi.name = "x", ringi.init = #ringi.init<normal, 1.0 : f64>},
    %target: tensor<2x32x32xf32> {ringi.role = "target", ringi.name = "target", ringi.init = #ringi.init<normal, 1.0 : f64>},
    %seed: tensor<i64> {ringi.role = "seed", ringi.name = "seed"},
    %step: tensor<i64> {ringi.role = "step", ringi.name = "step"},
    %gamma1: tensor<32xf32> {ringi.role = "parameter", ringi.name = "gamma1", ringi.init = #ringi.init<ones>},
    %beta1: tensor<32xf32> {ringi.role = "parameter", ringi.name = "beta1", ringi.init = #ringi.init<zeros>},
    %wq: tensor<32x32xf32> {ringi.role = "parameter", ringi.name = "wq", ringi.init = #ringi.init<normal, 0.18 : f64>},
    %wk: tensor<32x32xf32> {ringi.role = "parameter", ringi.name = "wk", ringi.init = #ringi.init<normal, 0.18 : f64>},
    %wv: tensor<32x32xf32> {ringi.role = "parameter", ringi.name = "wv", ringi.init = #ringi.init<normal, 0.18 : f64>},
    %wo: tensor<32x32xf32> {ringi.role = "parameter", ringi.name = "wo", ringi.init = #ringi.init<normal, 0.1 : f64>},
    %gamma2: tensor<32xf32> {ringi.role = "parameter", ringi.name = "gamma2", ringi.init = #ringi.init<ones>},
    %beta2: tensor<32xf32> {ringi.role = "parameter", ringi.name = "beta2", ringi.init = #ringi.init<zeros>},
    %up: tensor<32x128xf32> {ringi.role = "parameter", ringi.name = "up", ringi.init = #ringi.init<normal, 0.18 : f64>},
    %down: tensor<128x32xf32> {ringi.role = "parameter", ringi.name = "down", ringi.init = #ringi.init<normal, 0.05 : f64>}
) -> tensor<f32> {
  %y = ringi.block "layer" -> tensor<2x32x32xf32> {
    // Attention. Mean and 1/standard deviation of each row are results 1 and 2 of the norm: what its backward reads.
    %n1, %mean1, %rstd1 = ringi.layer_norm %x, %gamma1, %beta1 {epsilon = 1.0e-5} : (tensor<2x32x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<2x32x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>)
    %q0 = ringi.matmul %n1, %wq : (tensor<2x32x32xf32>, tensor<32x32xf32>) -> tensor<2x32x32xf32>
    %k0 = ringi.matmul %n1, %wk : (tensor<2x32x32xf32>, tensor<32x32xf32>) -> tensor<2x32x32xf32>
    %v0 = ringi.matmul %n1, %wv : (tensor<2x32x32xf32>, tensor<32x32xf32>) -> tensor<2x32x32xf32>
    // [batch, position, hidden] -> [batch, head, position, size]: a view, then a copy.
    %q1 = ringi.reshape %q0 : tensor<2x32x32xf32> -> tensor<2x32x2x16xf32>
    %k1 = ringi.reshape %k0 : tensor<2x32x32xf32> -> tensor<2x32x2x16xf32>
    %v1 = ringi.reshape %v0 : tensor<2x32x32xf32> -> tensor<2x32x2x16xf32>
    %q = ringi.transpose %q1 [0, 2, 1, 3] : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32>
    %k = ringi.transpose %k1 [0, 2, 1, 3] : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32>
    %v = ringi.transpose %v1 [0, 2, 1, 3] : (tensor<2x32x2x16xf32>) -> tensor<2x2x32x16xf32>
    // The quadratic part: three tensors of heads x 32 x 32 values per sequence.
    %scores = ringi.matmul %q, %k {transpose_b} : (tensor<2x2x32x16xf32>, tensor<2x2x32x16xf32>) -> tensor<2x2x32x32xf32>
    %scaled = ringi.scale %scores {factor = 0.25} : tensor<2x2x32x32xf32>
    %p = ringi.softmax %scaled {causal} : tensor<2x2x32x32xf32>
    %pd = ringi.dropout %p, %seed, %step {probability = 0.1} : tensor<2x2x32x32xf32>, tensor<i64>, tensor<i64>
    %c0 = ringi.matmul %pd, %v : (tensor<2x2x32x32xf32>, tensor<2x2x32x16xf32>) -> tensor<2x2x32x16xf32>
    %c1 = ringi.transpose %c0 [0, 2, 1, 3] : (tensor<2x2x32x16xf32>) -> tensor<2x32x2x16xf32>
    %c = ringi.reshape %c1 : tensor<2x32x2x16xf32> -> tensor<2x32x32xf32>
    %o = ringi.matmul %c, %wo : (tensor<2x32x32xf32>, tensor<32x32xf32>) -> tensor<2x32x32xf32>
    %od = ringi.dropout %o, %seed, %step {probability = 0.1} : tensor<2x32x32xf32>, tensor<i64>, tensor<i64>
    %x1 = ringi.add %x, %od : tensor<2x32x32xf32>, tensor<2x32x32xf32>
    // Feed-forward.
    %n2, %mean2, %rstd2 = ringi.layer_norm %x1, %gamma2, %beta2 {epsilon = 1.0e-5} : (tensor<2x32x32xf32>, tensor<32xf32>, tensor<32xf32>) -> (tensor<2x32x32xf32>, tensor<2x32xf32>, tensor<2x32xf32>)
    %a = ringi.matmul %n2, %up : (tensor<2x32x32xf32>, tensor<32x128xf32>) -> tensor<2x32x128xf32>
    %h = ringi.gelu %a {approximate_tanh} : tensor<2x32x128xf32>
    %f = ringi.matmul %h, %down : (tensor<2x32x128xf32>, tensor<128x32xf32>) -> tensor<2x32x32xf32>
    %x2 = ringi.add %x1, %f : tensor<2x32x32xf32>, tensor<2x32x32xf32>
    ringi.yield %x2 : tensor<2x32x32xf32>
  }
  %loss = ringi.mse %y, %target : (tensor<2x32x32xf32>, tensor<2x32x32xf32>) -> tensor<f32>
  return %loss : tensor<f32>
}
