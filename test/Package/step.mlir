// A joint step with an op of the consumer's dialect, which is cheap to run again and has 1024 bytes of scratch.
func.func @step(%x: tensor<64xf32>, %w: tensor<64xf32>) -> (tensor<f32>, tensor<64xf32>) {
  %0 = ringi.mul %x, %w {ringi.phase = "forward"} : tensor<64xf32>, tensor<64xf32>
  %1 = consumer.swish %0 {ringi.phase = "forward"} : tensor<64xf32>
  %2 = ringi.mul %1, %w {ringi.phase = "forward"} : tensor<64xf32>, tensor<64xf32>
  %loss = ringi.mse %2, %x {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<f32>
  %one = ringi.fill {factor = 1.0, ringi.phase = "backward"} : tensor<f32>
  %d2 = ringi.mse_backward %one, %2, %x {ringi.phase = "backward"} : (tensor<f32>, tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %dw = ringi.mul %d2, %1 {ringi.phase = "backward"} : tensor<64xf32>, tensor<64xf32>
  return %loss, %dw : tensor<f32>, tensor<64xf32>
}
