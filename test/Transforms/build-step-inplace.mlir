// In-place ops are followed by version, as PyTorch does at run time.
// RUN: ringi-opt %s --ringi-build-step=optimizer=none --split-input-file --verify-diagnostics | FileCheck %s

// relu saves its output; add overwrites it.
func.func @saved_then_overwritten(%w: tensor<4xf32> {ringi.role = "parameter"}, %one: tensor<4xf32> {ringi.role = "input"}) -> tensor<f32> {
  // expected-error@+1 {{'ringi.relu' op saved 'y' at version 0, but 'ringi.add' overwrote it in place and left version 1; drop 'inplace' there}}
  %y = ringi.relu %w {ringi.name = "y"} : tensor<4xf32>
  // expected-note@+1 {{overwritten here}}
  %z = ringi.add %y, %one {inplace} : tensor<4xf32>, tensor<4xf32>
  %l = ringi.reduce_sum %z [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// The out-of-place form passes: dw = relu_backward(1, y).
// CHECK-LABEL: func.func @out_of_place
// CHECK: %[[Y:.*]] = ringi.relu
// CHECK: %[[S:.*]] = ringi.save %[[Y]]
// CHECK: %[[L:.*]] = ringi.load %[[S]]
// CHECK: ringi.relu_backward %{{.*}}, %[[L]]
func.func @out_of_place(%w: tensor<4xf32> {ringi.role = "parameter"}, %one: tensor<4xf32> {ringi.role = "input"}) -> tensor<f32> {
  %y = ringi.relu %w {ringi.name = "y"} : tensor<4xf32>
  %z = ringi.add %y, %one : tensor<4xf32>, tensor<4xf32>
  %l = ringi.reduce_sum %z [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// What nobody needs may be overwritten: relu keeps its own output.
// CHECK-LABEL: func.func @legal
// CHECK: ringi.scale
// CHECK-NOT: inplace
// CHECK: ringi.relu_backward
func.func @legal(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %x = ringi.scale %w {factor = 2.0} : tensor<4xf32>
  %y = ringi.relu %x {inplace} : tensor<4xf32>
  %l = ringi.reduce_sum %y [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// gelu saves its input and would overwrite it itself.
func.func @own_input(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %x = ringi.scale %w {factor = 2.0} : tensor<4xf32>
  // expected-error@+2 {{'ringi.gelu' op saved result #0 of 'ringi.scale' at version 0, but 'ringi.gelu' overwrote it in place and left version 1}}
  // expected-note@+1 {{overwritten here}}
  %y = ringi.gelu %x {inplace} : tensor<4xf32>
  %l = ringi.reduce_sum %y [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}

// -----

// Through a view the storage is the same.
func.func @through_a_view(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  %x = ringi.scale %w {factor = 2.0} : tensor<4xf32>
  %v = ringi.reshape %x : tensor<4xf32> -> tensor<2x2xf32>
  // expected-note@+1 {{overwritten here}}
  %y = ringi.scale %v {factor = 3.0, inplace} : tensor<2x2xf32>
  // expected-error@+1 {{'ringi.reduce_sum' op reads result #0 of 'ringi.scale' at version 0, but 'ringi.scale' overwrote it in place and left version 1}}
  %l = ringi.reduce_sum %x [0] : (tensor<4xf32>) -> tensor<f32>
  %m = ringi.reduce_sum %y [0, 1] : (tensor<2x2xf32>) -> tensor<f32>
  %n = ringi.add %l, %m : tensor<f32>, tensor<f32>
  return %n : tensor<f32>
}

// -----

func.func @argument(%w: tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32> {
  // expected-error@+1 {{'ringi.relu' op would overwrite argument #0 of the function in place, which lives through the step; drop 'inplace'}}
  %y = ringi.relu %w {inplace} : tensor<4xf32>
  %l = ringi.reduce_sum %y [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
