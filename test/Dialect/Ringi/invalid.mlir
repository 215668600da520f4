// RUN: ringi-opt %s --split-input-file --verify-diagnostics

func.func @contraction(%a: tensor<4x8xf32>, %b: tensor<5x3xf32>) {
  // expected-error@+1 {{contracts 8 columns of a with 5 rows of b}}
  %0 = ringi.matmul %a, %b : (tensor<4x8xf32>, tensor<5x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @matmul_of_a_vector(%a: tensor<8xf32>, %b: tensor<8x3xf32>) {
  // expected-error@+1 {{operand 0 (a) is f32[8], expected rank 2 or more}}
  %0 = ringi.matmul %a, %b : (tensor<8xf32>, tensor<8x3xf32>) -> tensor<3xf32>
  return
}

// -----

func.func @result_type(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>) {
  // expected-error@+1 {{result 0 (product) is f32[3x4], expected f32[4x3]}}
  %0 = ringi.matmul %a, %b : (tensor<4x8xf32>, tensor<8x3xf32>) -> tensor<3x4xf32>
  return
}

// -----

func.func @batch(%a: tensor<2x4x8xf32>, %b: tensor<3x8x3xf32>) {
  // expected-error@+1 {{operand 1 (b) is f32[3x8x3], expected rank 2 or the batch dimensions of f32[2x4x8]}}
  %0 = ringi.matmul %a, %b : (tensor<2x4x8xf32>, tensor<3x8x3xf32>) -> tensor<2x4x3xf32>
  return
}

// -----

func.func @bias(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %c: tensor<4xf32>) {
  // expected-error@+1 {{operand 2 (bias) is f32[4], expected f32[3]}}
  %0 = ringi.matmul %a, %b bias(%c) : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<4xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @gelu_of_another_shape(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>) {
  // expected-error@+1 {{result 1 (preactivation) is f32[3], expected f32[4x3]}}
  %0, %1 = "ringi.matmul_gelu"(%a, %b) : (tensor<4x8xf32>, tensor<8x3xf32>) -> (tensor<4x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @preactivation_of_another_shape(%a: tensor<4x8xf32>, %b: tensor<8x3xf32>, %x: tensor<4x8xf32>) {
  // expected-error@+1 {{result 0 (product) is f32[4x8], expected f32[4x3]}}
  %0 = ringi.matmul_gelu_backward %a, %b, %x : (tensor<4x8xf32>, tensor<8x3xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @bias_gradient_of_the_other(%a: tensor<6x8xf32>, %b: tensor<6x3xf32>) {
  // expected-error@+1 {{result 1 (bias gradient) is f32[3], expected f32[8]}}
  %0, %1 = ringi.matmul_bias_gradient %a, %b {sum_a} : (tensor<6x8xf32>, tensor<6x3xf32>) -> (tensor<8x3xf32>, tensor<3xf32>)
  return
}

// -----

func.func @broadcast_is_by_suffix(%a: tensor<4x8xf32>, %b: tensor<4xf32>) {
  // expected-error@+1 {{operand 1 (b) is f32[4], expected f32[4x8] or trailing dimensions of it}}
  %0 = ringi.add %a, %b : tensor<4x8xf32>, tensor<4xf32>
  return
}

// -----

func.func @dynamic_shape(%a: tensor<?xf32>) {
  // expected-error@+1 {{operand #0 must be statically shaped tensor of}}
  %0 = ringi.relu %a : tensor<?xf32>
  return
}

// -----

func.func @probability(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error@+1 {{attribute probability is 1.5, expected 0 to 1 (exclusive)}}
  %0 = ringi.dropout %x, %s, %s {probability = 1.5} : tensor<4xf32>, tensor<i64>, tensor<i64>
  return
}

// -----

// Its mask would be that of id 0.
func.func @random_id(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error@+1 {{attribute random_id is 4294967296, expected 0 to 4294967295}}
  %0 = ringi.dropout %x, %s, %s {probability = 0.5, random_id = 4294967296 : i64} : tensor<4xf32>, tensor<i64>, tensor<i64>
  return
}

// -----

func.func @negative_random_id(%x: tensor<4xf32>, %s: tensor<i64>) {
  // expected-error@+1 {{attribute random_id is -1, expected 0 to 4294967295}}
  %0 = ringi.dropout %x, %s, %s {probability = 0.5, random_id = -1 : i64} : tensor<4xf32>, tensor<i64>, tensor<i64>
  return
}

// -----

func.func @gamma(%x: tensor<4x8xf32>, %g: tensor<7xf32>) {
  // expected-error@+1 {{operand 1 (gamma) is f32[7], expected f32[8]}}
  %0:2 = ringi.rms_norm %x, %g : (tensor<4x8xf32>, tensor<7xf32>) -> (tensor<4x8xf32>, tensor<4xf32>)
  return
}

// -----

func.func @reshape_keeps_the_count(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{result has 33 elements, expected 32}}
  %0 = ringi.reshape %x : tensor<4x8xf32> -> tensor<33xf32>
  return
}

// -----

func.func @reshape_keeps_the_type(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{result is 'tensor<32xbf16>', expected elements of 'f32'}}
  %0 = ringi.reshape %x : tensor<4x8xf32> -> tensor<32xbf16>
  return
}

// -----

func.func @split_axis(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{attribute axis is 2, expected 0 to 2 (exclusive)}}
  %0 = ringi.split %x {axis = 2 : i64} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @split_covers_all(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{parts have 3 elements along axis 0, expected 4}}
  %0:2 = ringi.split %x {axis = 0 : i64} : (tensor<4x8xf32>) -> (tensor<1x8xf32>, tensor<2x8xf32>)
  return
}

// -----

func.func @split_part(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{part is 'tensor<4x7xf32>', expected 'tensor<4x8xf32>'}}
  %0 = ringi.split %x {axis = 0 : i64} : (tensor<4x8xf32>) -> tensor<4x7xf32>
  return
}

// -----

func.func @slice_inside(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{takes 3 from 2 of 4 along axis 0}}
  %0 = ringi.slice %x {axis = 0 : i64, start = 2 : i64} : tensor<4x8xf32> -> tensor<3x8xf32>
  return
}

// -----

func.func @transpose_dims(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{attribute dims is no permutation of the 2 dimensions of f32[4x8]}}
  %0 = ringi.transpose %x [0, 2] : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// -----

func.func @transpose_permutes(%x: tensor<4x4xf32>) {
  // expected-error@+1 {{attribute dims is no permutation of the 2 dimensions of f32[4x4]}}
  %0 = ringi.transpose %x [0, 0] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @concat_ranks(%x: tensor<4x8xf32>, %y: tensor<8xf32>) {
  // expected-error@+1 {{operand 1 (part) is f32[8], expected f32[8x8]}}
  %0 = ringi.concat %x, %y {axis = 0 : i64} : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<5x8xf32>
  return
}

// -----

func.func @mean_dims(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{attribute dims has 0, expected ascending dimensions below 2}}
  %0 = ringi.reduce_mean %x [1, 0] : (tensor<4x8xf32>) -> tensor<f32>
  return
}

// -----

func.func @targets(%x: tensor<2x9xf32>, %t: tensor<3xi32>) {
  // expected-error@+1 {{operand 1 (targets) is i32[3], expected i32[2]}}
  %0:2 = ringi.cross_entropy %x, %t : (tensor<2x9xf32>, tensor<3xi32>) -> (tensor<f32>, tensor<2xf32>)
  return
}

// -----

func.func @moments_are_statistics(%p: tensor<4xf64>, %m: tensor<4xf32>, %lr: tensor<f64>) {
  // expected-error@+1 {{operand 2 (buf) is f32[4], expected f64[4]}}
  %0:2 = ringi.momentum %p, %p, %m, %lr {momentum = 0.9} : (tensor<4xf64>, tensor<4xf64>, tensor<4xf32>, tensor<f64>) -> (tensor<4xf64>, tensor<4xf32>)
  return
}

// -----

func.func @label(%x: tensor<4xf32>) {
  // expected-error@+1 {{label "a/b" must be a name without '/'}}
  ringi.block "a/b" {
  }
  return
}

// -----

func.func @yield_count(%x: tensor<4xf32>) {
  // expected-error@+1 {{has 1 results, but its region yields 0 values}}
  %0 = ringi.block "a" -> tensor<4xf32> {
    ringi.yield
  }
  return
}

// -----

func.func @yield_type(%x: tensor<4xf32>) {
  // expected-error@+1 {{result #0 has type 'tensor<5xf32>', but the region yields 'tensor<4xf32>'}}
  %0 = ringi.no_grad -> tensor<5xf32> {
    ringi.yield %x : tensor<4xf32>
  }
  return
}

// -----

func.func @recompute_operands(%x: tensor<4xf32>) {
  // expected-error@+1 {{has 1 operands, but the type lists 2}}
  ringi.recompute(%a = %x) : (tensor<4xf32>, tensor<4xf32>) -> () {
  }
  return
}

// -----

func.func @recompute_arguments(%x: tensor<4xf32>) {
  // expected-error@+1 {{has 1 operands, but its region has 0 arguments}}
  "ringi.recompute"(%x) ({
    "ringi.yield"() : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @recompute_argument_types(%x: tensor<4xf32>) {
  // expected-error@+1 {{operand #0 has type 'tensor<4xf32>', but the region's argument has 'tensor<5xf32>'}}
  "ringi.recompute"(%x) ({
  ^bb0(%a: tensor<5xf32>):
    "ringi.yield"() : () -> ()
  }) : (tensor<4xf32>) -> ()
  return
}

// -----

func.func @recompute_is_isolated(%x: tensor<4xf32>) {
  // expected-note@+1 {{required by region isolation constraints}}
  ringi.recompute() : () -> () {
    // expected-error@+1 {{using value defined outside the region}}
    %0 = ringi.relu %x : tensor<4xf32>
  }
  return
}

// -----

func.func @no_kernel_reads_it(%x: tensor<4xi16>) {
  // expected-error@+1 {{has a tensor whose element type no kernel reads}}
  %0 = ringi.slice %x {axis = 0 : i64, start = 0 : i64} : tensor<4xi16> -> tensor<2xi16>
  return
}

// -----

func.func @nothing_to_concat() {
  // expected-error@+1 {{has 0 operands, expected 1 or more}}
  %0 = "ringi.concat"() {axis = 0 : i64} : () -> tensor<f32>
  return
}

// -----

func.func @split_ranks(%x: tensor<4x8xf32>) {
  // expected-error@+1 {{part is 'tensor<4xf32>', expected rank 2}}
  %0 = ringi.split %x {axis = 0 : i64} : (tensor<4x8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @yield_outside_of_a_region_op(%x: tensor<4xf32>) {
  // expected-error@+1 {{'ringi.yield' op expects parent op to be one of 'ringi.block, ringi.no_grad, ringi.recompute'}}
  ringi.yield %x : tensor<4xf32>
}

// -----

func.func @load_of_another_type(%x: tensor<4xf32>) {
  %s = ringi.save %x : tensor<4xf32>
  // expected-error@+1 {{'ringi.load' op failed to verify that result is the saved tensor}}
  %l = "ringi.load"(%s) : (!ringi.saved<tensor<4xf32>>) -> tensor<5xf32>
  return
}
