// A perceptron with three residual blocks, written by hand: 64 samples of 32 features, 10 classes.
//
// What Ringi needs to know of a forward function:
//   ringi.role   what an argument is. Parameters are trained; inputs and targets change with every step.
//   ringi.name   its name in reports, for --input and in saved states.
//   ringi.init   how ringi-run fills it: parameters once, inputs in every step unless --input names a file.
//   ringi.block  marks the units that every-block and sqrt recompute as a whole. A block uses outer values directly.
// The function returns one scalar, the loss. Backward and optimizer are derived by --ringi-build-step.
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
  // Three values of a block are read by its backward: its input (8 KiB, by the first matmul), %a (32 KiB, by gelu, which
  // reads its input) and %h (32 KiB, by the second matmul). The sum reads nothing back.
  %x0 = ringi.block "block0" -> tensor<64x32xf32> {
    %a = ringi.matmul %x, %up0 bias(%up_bias0) : (tensor<64x32xf32>, tensor<32x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
    %h = ringi.gelu %a : tensor<64x128xf32>
    %y = ringi.matmul %h, %down0 : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    %sum = ringi.add %x, %y : tensor<64x32xf32>, tensor<64x32xf32>
    ringi.yield %sum : tensor<64x32xf32>
  }
  %x1 = ringi.block "block1" -> tensor<64x32xf32> {
    %a = ringi.matmul %x0, %up1 bias(%up_bias1) : (tensor<64x32xf32>, tensor<32x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
    %h = ringi.gelu %a : tensor<64x128xf32>
    %y = ringi.matmul %h, %down1 : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    %sum = ringi.add %x0, %y : tensor<64x32xf32>, tensor<64x32xf32>
    ringi.yield %sum : tensor<64x32xf32>
  }
  %x2 = ringi.block "block2" -> tensor<64x32xf32> {
    %a = ringi.matmul %x1, %up2 bias(%up_bias2) : (tensor<64x32xf32>, tensor<32x128xf32>, tensor<128xf32>) -> tensor<64x128xf32>
    %h = ringi.gelu %a : tensor<64x128xf32>
    %y = ringi.matmul %h, %down2 : (tensor<64x128xf32>, tensor<128x32xf32>) -> tensor<64x32xf32>
    %sum = ringi.add %x1, %y : tensor<64x32xf32>, tensor<64x32xf32>
    ringi.yield %sum : tensor<64x32xf32>
  }
  %logits = ringi.matmul %x2, %head : (tensor<64x32xf32>, tensor<32x10xf32>) -> tensor<64x10xf32>
  %loss, %lse = ringi.cross_entropy %logits, %targets : (tensor<64x10xf32>, tensor<64xi32>) -> (tensor<f32>, tensor<64xf32>)
  return %loss : tensor<f32>
}
