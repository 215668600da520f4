// The same step with the op that says nothing of itself: it is pure, but nobody may conclude from that that it is worth running again.
func.func @step(%x: tensor<64xf32>, %w: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>) {
  %0 = ringi.mul %x, %w {ringi.phase = "forward"} : tensor<64xf32>, tensor<64xf32>
  %1 = consumer.plain_swish %0 {ringi.phase = "forward"} : tensor<64xf32>
  %2 = ringi.mul %1, %w {ringi.phase = "forward"} : tensor<64xf32>, tensor<64xf32>
  %loss = ringi.mse %2, %x {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  %one = ringi.fill {factor = 1.0, ringi.phase = "backward"} : tensor<f32>
  %d2 = ringi.mse_backward %one, %2, %x {ringi.phase = "backward"} : (tensor<f32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %dw = ringi.mul %d2, %1 {ringi.phase = "backward"} : tensor<64xf32>, tensor<64xf32>
  return %loss, %dw : tensor<f32>, tensor<64xf32>
}
