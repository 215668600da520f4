// Names that state files and reports could not tell apart are refused.
// RUN: ringi-opt %s --split-input-file --verify-diagnostics --ringi-build-step=optimizer=adamw

// expected-error @+1 {{result #1 of the step is the second named "loss"; loss, step, seed, learning_rate and a parameter's name with .grad, .m, .v or .momentum are taken, choose another ringi.name}}
func.func @loss(%w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "loss"}) -> tensor<f32> {
  %l = ringi.reduce_sum %w [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error @+1 {{argument #0 of the step is named "__metadata__", which state files reserve; choose another ringi.name}}
func.func @reserved(%w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "__metadata__"}) -> tensor<f32> {
  %l = ringi.reduce_sum %w [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// expected-error @+1 {{argument #2 of the step is the second named "w.m"}}
func.func @moment(%w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "w"}, %v: tensor<4xf32> {ringi.role = "parameter", ringi.name = "w.m"}) -> tensor<f32> {
  %k = ringi.mul %w, %v : tensor<4xf32>, tensor<4xf32>
  %l = ringi.reduce_sum %k [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
