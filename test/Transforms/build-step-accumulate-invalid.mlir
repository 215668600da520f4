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

// -----

// The second micro-batch's ids would begin behind the last one there is.
// expected-error@+1 {{accumulate=2 needs random ids below 8589934592, but they end at 4294967296; leave random_id out, or give small ones}}
func.func @random_ids(%w: tensor<4xf32> {ringi.role = "parameter"}, %x: tensor<4xf32> {ringi.role = "input", ringi.name = "x"},
                      %s: tensor<i64> {ringi.role = "seed", ringi.name = "seed"}, %n: tensor<i64> {ringi.role = "step", ringi.name = "step"}) -> tensor<f32> {
  %0 = ringi.mul %w, %x : tensor<4xf32>, tensor<4xf32>
  %1 = ringi.dropout %0, %s, %n {probability = 0.5, random_id = 4294967295 : i64} : tensor<4xf32>, tensor<i64>, tensor<i64>
  %l = ringi.reduce_sum %1 [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
