// RUN: ringi-opt %s --ringi-build-step --split-input-file --verify-diagnostics
// RUN: not ringi-opt %s --ringi-build-step="optimizer=lion" 2>&1 | FileCheck %s --check-prefix=OPTIMIZER
// RUN: not ringi-opt %s --ringi-build-step="dropout-mask=bits" 2>&1 | FileCheck %s --check-prefix=MASK
// RUN: not ringi-opt %s --ringi-build-step="accumulate=0" 2>&1 | FileCheck %s --check-prefix=ACCUMULATE
// RUN: not ringi-opt %s --ringi-build-step="accumulate=1000000000" 2>&1 | FileCheck %s --check-prefix=MANY
// RUN: not ringi-opt %s --ringi-build-step="beta1=1.5" 2>&1 | FileCheck %s --check-prefix=BETA
// RUN: not ringi-opt %s --ringi-build-step="speed=fast" 2>&1 | FileCheck %s --check-prefix=OPTION
// OPTIMIZER: error: {{.*}}unknown optimizer 'lion'; known are sgd, momentum, adamw, none
// MASK: error: {{.*}}unknown dropout-mask 'bits'; known are recompute, stored
// ACCUMULATE: error: {{.*}}accumulate is 0, but must be at least 1
// MANY: error: {{.*}}accumulate is 1000000000, but a step holds at most 4096 micro-batches, each with its own ops; enlarge the micro-batch
// BETA: error: {{.*}}beta1 is 1.5, but must be from 0 to 1
// OPTION: no such option speed

// expected-error@+1 {{function 'no_loss' returns 0 values, but a step is built from one scalar loss}}
func.func @no_loss(%w: tensor<4xf32> {ringi.role = "parameter"}) {
  return
}

// -----

// expected-error@+1 {{function 'two' returns 2 values, but a step is built from one scalar loss}}
func.func @two(%w: tensor<f32> {ringi.role = "parameter"}) -> (tensor<f32>, tensor<f32>) {
  return %w, %w : tensor<f32>, tensor<f32>
}

// -----

// expected-error@+1 {{function 'vector' returns 'tensor<4xf32>', but the loss must be a scalar such as tensor<f32>; end it in ringi.cross_entropy, ringi.mse or ringi.reduce_mean}}
func.func @vector(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<4xf32> {
  return %w : tensor<4xf32>
}

// -----

// expected-error@+1 {{function 'frozen' has no trainable parameter; mark an argument by ringi.role = "parameter" without ringi.frozen}}
func.func @frozen(%w: tensor<4xf32> {ringi.role = "parameter", ringi.frozen}) -> tensor<f32> {
  %0 = ringi.reduce_sum %w [0] : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{argument #1 of 'half_marked' has no ringi.role, but others have; say what it is to the step}}
func.func @half_marked(%w: tensor<4xf32> {ringi.role = "parameter"}, %x: tensor<4xf32>) -> tensor<f32> {
  %0 = ringi.mse %w, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{arguments #0 and #1 of 'names' share the name 'w'; give each its own ringi.name}}
func.func @names(%w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "w"},
                 %x: tensor<4xf32> {ringi.role = "input", ringi.name = "w"}) -> tensor<f32> {
  %0 = ringi.mse %w, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{argument #0 of 'integers' is a parameter of type 'tensor<4xi32>', but parameters are statically shaped tensors of f64, f32, bf16 or f16}}
func.func @integers(%w: tensor<4xi32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.fill {factor = 0.0} : tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{argument #0 of 'state' has the role optimizer_state, which only --ringi-build-step gives}}
func.func @state(%w: tensor<f32> {ringi.role = "optimizer_state"}) -> tensor<f32> {
  return %w : tensor<f32>
}

// -----

// expected-error@+1 {{the loss of 'cut' depends on no trainable parameter}}
func.func @cut(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %0 = ringi.detach %w : tensor<4xf32>
  %1 = ringi.reduce_sum %0 [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @no_rule(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  // expected-error@+1 {{'math.sin' op is on the path from a parameter to the loss but has no gradient rule (DifferentiableOpInterface); cut the path by ringi.detach or ringi.no_grad}}
  %0 = math.sin %w : tensor<4xf32>
  %1 = ringi.reduce_sum %0 [0] : (tensor<4xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @statistics(%w: tensor<4xf32> {ringi.role = "parameter"}, %x: tensor<3x4xf32> {ringi.role = "input"}) -> tensor<f32> {
  // expected-error@+1 {{result #1 is a statistic without a gradient rule, but the loss depends on it; use result #0 (y) or cut it by ringi.detach}}
  %y, %r = ringi.rms_norm %x, %w : (tensor<3x4xf32>, tensor<4xf32>) -> (tensor<3x4xf32>, tensor<3xf32>)
  %1 = ringi.reduce_sum %r [0] : (tensor<3xf32>) -> tensor<f32>
  return %1 : tensor<f32>
}

// -----

func.func @random_ids(%w: tensor<4xf32> {ringi.role = "parameter"}, %s: tensor<i64> {ringi.role = "seed"}, %n: tensor<i64> {ringi.role = "step"}) -> tensor<f32> {
  // expected-note@+1 {{the other dropout is here}}
  %0 = ringi.dropout %w, %s, %n {probability = 0.5, random_id = 3 : i64} : tensor<4xf32>, tensor<i64>, tensor<i64>
  // expected-error@+1 {{has random_id 3, which another dropout has too: both would draw the same mask; leave ids out or make them distinct}}
  %1 = ringi.dropout %0, %s, %n {probability = 0.5, random_id = 3 : i64} : tensor<4xf32>, tensor<i64>, tensor<i64>
  %2 = ringi.reduce_sum %1 [0] : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

func.func @block_names(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  // expected-note@+1 {{the other block is here}}
  %0 = ringi.block "a" -> tensor<4xf32> {
    ringi.yield %w : tensor<4xf32>
  }
  // expected-error@+1 {{has the path 'a', which another block has too; give each checkpointable unit its own name}}
  %1 = ringi.block "a" -> tensor<4xf32> {
    ringi.yield %0 : tensor<4xf32>
  }
  %2 = ringi.reduce_sum %1 [0] : (tensor<4xf32>) -> tensor<f32>
  return %2 : tensor<f32>
}

// -----

// expected-error@+1 {{the loss of 'argument' is the argument 'w' itself; compute it, for instance by ringi.reduce_sum}}
func.func @argument(%w: tensor<1xf32> {ringi.role = "parameter", ringi.name = "w"}) -> tensor<f32> {
  %0 = ringi.reshape %w : tensor<1xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-error@+1 {{function 'branches' has 2 basic blocks, but a step is built from 1}}
func.func @branches(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  cf.br ^next
^next:
  %0 = ringi.reduce_sum %w [0] : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// expected-warning@+1 {{parameter 'unused' of 'unreached' does not reach the loss; it gets no gradient and no update}}
func.func @unreached(%w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "w"},
                     %u: tensor<4xf32> {ringi.role = "parameter", ringi.name = "unused"}) -> tensor<f32> {
  %0 = ringi.reduce_sum %w [0] : (tensor<4xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
