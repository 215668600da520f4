// RUN: ringi-opt %s --split-input-file --verify-diagnostics

// expected-error@+1 {{'ringi.role' is "weight"; known are parameter, input, target, constant_state, seed, step, optimizer_state, learning_rate}}
func.func @role(%x: tensor<4xf32> {ringi.role = "weight"}) {
  return
}

// -----

// expected-error@+1 {{'ringi.name' must be a string, but is 3 : i64}}
func.func @name(%x: tensor<4xf32> {ringi.name = 3}) {
  return
}

// -----

// expected-error@+1 {{'ringi.init' of argument #0 must be a #ringi.init, but is 0.000000e+00 : f64}}
func.func @init(%x: tensor<4xf32> {ringi.init = 0.0}) {
  return
}

// -----

// expected-error@+1 {{argument #0 is initialised with tokens and must be an integer tensor}}
func.func @tokens(%x: tensor<4xf32> {ringi.init = #ringi.init<tokens, 3.0>}) {
  return
}

// -----

// expected-error@+1 {{argument #0 is initialised with normal and must be a floating-point tensor}}
func.func @normal(%x: tensor<4xi32> {ringi.init = #ringi.init<normal, 3.0>}) {
  return
}

// -----

// expected-error@+1 {{'ringi.frozen' takes no value, but is true}}
func.func @frozen(%x: tensor<4xf32> {ringi.frozen = true}) {
  return
}

// -----

// expected-error@+1 {{'ringi.role' is "parameter"; known are loss, updated_parameter, updated_state, gradient, output}}
func.func @result_role(%x: tensor<4xf32>) -> (tensor<4xf32> {ringi.role = "parameter"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'ringi.step' takes no value, but is 1 : i64}}
func.func @step() attributes {ringi.step = 1} {
  return
}

// -----

func.func @phase(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ringi.phase' is "later"; known are forward, backward, optimizer}}
  %0 = ringi.relu %x {ringi.phase = "later"} : tensor<4xf32>
  return
}

// -----

func.func @block(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ringi.block' must be a string, but is 1 : i64}}
  %0 = ringi.relu %x {ringi.block = 1} : tensor<4xf32>
  return
}

// -----

func.func @not_a_function(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ringi.step' belongs on a function}}
  %0 = ringi.relu %x {ringi.step} : tensor<4xf32>
  return
}

// -----

// expected-error@+1 {{init 'normal' needs a number, as in <normal, 1.0>}}
#a = #ringi.init<normal>

// -----

// expected-error@+1 {{init 'zeros' takes no number, but got 1.000000e+00 : f64}}
#a = #ringi.init<zeros, 1.0>

// -----

// expected-error@+1 {{init 'uniform' needs a number >= 0, but got -1.000000e+00 : f64}}
#a = #ringi.init<uniform, -1.0>

// -----

// expected-error@+1 {{init 'tokens' needs a whole vocabulary size >= 1, but got 5.000000e-01 : f64}}
#a = #ringi.init<tokens, 0.5>

// -----

// expected-error@+1 {{init 'constant' needs a finite number, but got 0x7FF0000000000000 : f64}}
#a = #ringi.init<constant, 0x7FF0000000000000 : f64>

// -----

// expected-error@+1 {{unknown device 'abacus'; known are a100, b200, generic-cpu, h100, h200, rtx4090, or state flops, bandwidth, launch and memory}}
#a = #ringi.device<"abacus">

// -----

// expected-error@+1 {{device 'm' has no FLOP/s entry}}
#a = #ringi.device<"m", flops = {}, bandwidth = 1.0, launch = 0.0, memory = 1>

// -----

// expected-error@+1 {{device 'm': flops of 'f32' must be a float > 0, but got 1 : i64}}
#a = #ringi.device<"m", flops = {f32 = 1}, bandwidth = 1.0, launch = 0.0, memory = 1>

// -----

// expected-error@+1 {{device 'm': bandwidth must be > 0, but got 0.000000e+00 : f64}}
#a = #ringi.device<"m", flops = {f32 = 1.0}, bandwidth = 0.0, launch = 0.0, memory = 1>

// -----

// expected-error@+1 {{device 'm': launch must be >= 0, but got -1.000000e+00 : f64}}
#a = #ringi.device<"m", flops = {f32 = 1.0}, bandwidth = 1.0, launch = -1.0, memory = 1>

// -----

// expected-error@+1 {{device 'm': memory must be > 0, but got 0 : i64}}
#a = #ringi.device<"m", flops = {f32 = 1.0}, bandwidth = 1.0, launch = 0.0, memory = 0>
