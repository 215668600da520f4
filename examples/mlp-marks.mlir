// mlp.mlir with marks for strategy=manual: everything is kept but what is marked must_recompute. Marks bind every other
// strategy too.
func.func @mlp(
    %x: tensor<64x32xf32> {ringi.role = "input", ringi.name = "x", ringi.init = #ringi.init<normal, 1.0 : f64>},
    %targets: tensor<64xi32> {ringi.role = "target", ringi.name = "targets", ringi.init = #ringi.init<tokens, 10.0 : f64>},
    %up0: tensor<32x128xf32> {ringi.role = "parameter", ringi.name = "up0", ringi.init = #ringi.init<normal, 0.18 : f64>},
    %up_bias0: tensor<128xf32> {ringi.role = "parameter", ringi.name = "up_bias0", ringi.init = #ringi.init<zeros>},
    %down0: tensor<128x32xf32> {ringi.role = "parameter", ringi.name = "down0", ringi.init = #ringi.init<normal, 0.05 : f64>},
    %up1: tensor<32x128xf32> {ringi.role = "parameter", ringi.name = "up1", ringi.init = #ringi.init<normal, 0.18 : f64>},
    %up_bias1: tensor<128xf32> {ringi.role = "parameter", ringi.name = "up_bias1", ringi.init = #ringi.init<zeros>},
    %down1: tensor<128x32xf32> {ringi.role = "parameter", ringi.name = "down1", ringi.init = #ringi.init<normal, 0.05 : f64>},
    %up2: tensor<32x128xf32> {ringi.role = "parameter", ringi.name = "up2", ringi.init = #ringi.init<normal, 0.18 : f64>},
    %up_bias2: tensor<128xf32> {ringi.role = "parameter", ringi.name = "up_bias2", ringi.init = #ringi.init<zeros>},
    %down2: tensor<128x32xf32> {ringi.role = "parameter", ringi.name = "down2", ringi.init = #ringi.init<normal, 0.05 : f64>},
    %head: tensor<32x10xf32> {ringi.role = "parameter", ringi.name = "head", ringi.init = #ringi.init<normal, 0.18 : f64>}
) -> tensor<f32> {
  %x0 = ringi.block "block0" -> tensor<64x32xf32> {
    %a = ringi.matmul %x, %up0 bias(%up_bias0) : (tensor<64x32xf32>, tensor<32x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
    %h = ringi.gelu %a {ringi.must_recompute} : tensor<64x128xf32>
    %y = ringi.matmul %h, %down0 : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    %sum = ringi.add %x, %y : tensor<64x32xf32>, tensor<64x32xf32>
    ringi.yield %sum : tensor<64x32xf32>
  }
  %x1 = ringi.block "block1" -> tensor<64x32xf32> {
    %a = ringi.matmul %x0, %up1 bias(%up_bias1) : (tensor<64x32xf32>, tensor<32x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
    %h = ringi.gelu %a {ringi.must_recompute} : tensor<64x128xf32>
    %y = ringi.matmul %h, %down1 : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    %sum = ringi.add %x0, %y : tensor<64x32xf32>, tensor<64x32xf32>
    ringi.yield %sum : tensor<64x32xf32>
  }
  %x2 = ringi.block "block2" -> tensor<64x32xf32> {
    %a = ringi.matmul %x1, %up2 bias(%up_bias2) : (tensor<64x32xf32>, tensor<32x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
    %h = ringi.gelu %a {ringi.must_keep} : tensor<64x128xf32>
    %y = ringi.matmul %h, %down2 : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    %sum = ringi.add %x1, %y : tensor<64x32xf32>, tensor<64x32xf32>
    ringi.yield %sum : tensor<64x32xf32>
  }
  %logits = ringi.matmul %x2, %head : (tensor<64x32xf32>, tensor<32x10xf32>) -> tensor<64x10xf32>
  %loss, %lse = ringi.cross_entropy %logits, %targets : (tensor<64x10xf32>, tensor<64xi32>) -> (tensor<f32>, tensor<64xf32>)
  return %loss : tensor<f32>
}
