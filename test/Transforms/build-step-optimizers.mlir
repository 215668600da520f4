// RUN: ringi-opt %s --ringi-build-step="optimizer=adamw weight-decay=0.1" | FileCheck %s --check-prefixes=ADAMW
// RUN: ringi-opt %s --ringi-build-step="optimizer=momentum momentum=0.8 nesterov weight-decay=0.1" | FileCheck %s --check-prefixes=MOMENTUM
// RUN: ringi-opt %s --ringi-build-step="optimizer=none" | FileCheck %s --check-prefixes=NONE

// States follow the arguments in the parameters' order of update; biases are
// not decayed; statistics are f32 beside bf16.
// ADAMW-LABEL: func.func @model
// ADAMW-SAME: tensor<4x4xf32> {ringi.init = #ringi.init<zeros>, ringi.name = "w.m", ringi.role = "optimizer_state"}
// ADAMW-SAME: tensor<4x4xf32> {ringi.init = #ringi.init<zeros>, ringi.name = "w.v", ringi.role = "optimizer_state"}
// ADAMW-SAME: tensor<f32> {ringi.init = #ringi.init<constant, 1.000000e-03 : f64>, ringi.name = "learning_rate"
// ADAMW-SAME: tensor<i64> {ringi.name = "step", ringi.role = "step"}
// ADAMW-SAME: tensor<4xf32> {ringi.init = #ringi.init<zeros>, ringi.name = "b.m"
// ADAMW-SAME: -> (tensor<f32> {ringi.name = "loss", ringi.role = "loss"}
// ADAMW-SAME: tensor<4x4xbf16> {ringi.name = "w", ringi.role = "updated_parameter", ringi.updates = "w"}
// ADAMW-SAME: tensor<4xbf16> {ringi.name = "b", ringi.role = "updated_parameter", ringi.updates = "b"}
// ADAMW-SAME: tensor<4x4xf32> {ringi.name = "w.m", ringi.role = "updated_state", ringi.updates = "w.m"}
// ADAMW: ringi.adamw {{.*}} {beta1 = 9.000000e-01 : f64, beta2 = 0.99{{[0-9]*}} : f64, epsilon = 1.000000e-08 : f64, ringi.phase = "optimizer", weight_decay = 1.000000e-01 : f64}
// ADAMW: ringi.adamw
// ADAMW-NOT: weight_decay

// MOMENTUM-LABEL: func.func @model
// MOMENTUM-SAME: ringi.name = "w.momentum", ringi.role = "optimizer_state"
// MOMENTUM: ringi.momentum {{.*}} {momentum = 8.000000e-01 : f64, nesterov, ringi.phase = "optimizer", weight_decay = 1.000000e-01 : f64}

// NONE-LABEL: func.func @model
// NONE-NOT: learning_rate
// NONE-SAME: tensor<4x4xbf16> {ringi.name = "w.grad", ringi.role = "gradient"}, tensor<4xbf16> {ringi.name = "b.grad", ringi.role = "gradient"}
// NONE-NOT: ringi.phase = "optimizer"
func.func @model(%w: tensor<4x4xbf16> {ringi.role = "parameter", ringi.name = "w"}, %b: tensor<4xbf16> {ringi.role = "parameter", ringi.name = "b"},
                 %x: tensor<4x4xbf16> {ringi.role = "input", ringi.name = "x"}) -> tensor<f32> {
  %y = ringi.matmul %x, %w bias(%b) : (tensor<4x4xbf16>, tensor<4x4xbf16>, tensor<4xbf16>) -> tensor<4x4xbf16>
  %l = ringi.mse %y, %x : (tensor<4x4xbf16>, tensor<4x4xbf16>) -> tensor<f32>
  return %l : tensor<f32>
}
