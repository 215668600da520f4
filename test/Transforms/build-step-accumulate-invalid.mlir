// RUN: ringi-opt %s --ringi-build-step="optimizer=sgd accumulate=2" --split-input-file --verify-diagnostics

// expected-error@+1 {{accumulate=2 needs an argument of role input or target, but the function has none}}
func.func @no_input(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %l = ringi.reduce_sum %w [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error@+1 {{argument 'x' has type 'tensor<?xf32>', but accumulate needs a statically shaped tensor}}
func.func @dynamic(%w: tensor<4xf32> {ringi.role = "parameter"}, %x: tensor<?xf32> {ringi.role = "input", ringi.name = "x"}) -> tensor<f32> {
  %l = ringi.reduce_sum %w [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
