// From a joint step to a program: plan, apply, assign, verify, export. The
// loader's verifier has checked the file before it was written; here its
// content is read back.
// RUN: ringi-opt %s --ringi-checkpoint="strategy=manual" --ringi-assign-memory --ringi-verify-plan \
// RUN:   --ringi-export-program="file=%t.rgp" -o /dev/null
// RUN: flatc --json --strict-json --raw-binary -o %t.json %S/../../runtime/program/StepProgram.fbs -- %t.rgp
// RUN: cat %t.json/*.json | FileCheck %s
// RUN: grep -c '"kind": ' %t.json/*.json | FileCheck %s --check-prefix=COUNT

// Equal constants are one segment and no op; views are no op; a mean is a sum
// and a scale in place; a split that copies is two slices. The clone names its
// origin. No barrier and no copy remain: 15 ops are all there are.
// COUNT: {{^15$}}
// CHECK: "name": "step"
// CHECK: "ops": [
// CHECK: "kind": "Mul"
// CHECK: "kind": "Gelu"
// CHECK: "block": "b0"
// CHECK: "kind": "Slice"
// CHECK: "kind": "Slice"
// CHECK: "start": 4
// CHECK: "kind": "Add"
// CHECK: "kind": "ReduceSum"
// CHECK: "dims":
// CHECK: "kind": "Scale"
// CHECK: "factor": 0.125
// CHECK: "kind": "Broadcast"
// CHECK: "kind": "Gelu"
// CHECK: "origin": 1,
// CHECK: "kind": "GeluBackward"
// CHECK: "kind": "Sgd"
// CHECK: "inputs": [
// CHECK: "name": "x"
// CHECK: "initializer": "Normal"
// CHECK: "init_scale": 0.5
// CHECK: "name": "w"
// CHECK: "initializer": "Ones"
// CHECK: "role": "LearningRate"
// CHECK: "initializer": "Data"
// CHECK: "role": "ConstantState"
// CHECK: "initializer": "Data"
// CHECK: "outputs": [
// CHECK: "role": "Loss"
// CHECK: "role": "UpdatedParameter"
// CHECK: "updates": 1
// CHECK: "claims": {
// CHECK: "strategy": "manual"
func.func @step(
    %x: tensor<2x8xf32> {ringi.role = "input", ringi.name = "x", ringi.init = #ringi.init<normal, 0.5>},
    %w: tensor<2x8xf32> {ringi.role = "parameter", ringi.name = "w", ringi.init = #ringi.init<ones>},
    %lr: tensor<f32> {ringi.role = "learning_rate", ringi.name = "lr", ringi.init = #ringi.init<constant, 0.1>})
    -> (tensor<f32> {ringi.role = "loss", ringi.name = "loss"},
        tensor<2x8xf32> {ringi.role = "updated_parameter", ringi.name = "w", ringi.updates = "w"}) {
  %c = arith.constant dense<2.0> : tensor<2x8xf32>
  %c2 = arith.constant dense<2.0> : tensor<2x8xf32>
  %0 = ringi.mul %x, %w {ringi.phase = "forward", ringi.block = "b0"} : tensor<2x8xf32>, tensor<2x8xf32>
  %1 = ringi.gelu %0 {ringi.must_recompute, ringi.phase = "forward", ringi.block = "b0"} : tensor<2x8xf32>
  %2:2 = ringi.split %1 {axis = 1 : i64, ringi.phase = "forward"} : (tensor<2x8xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>)
  %3 = ringi.reshape %2#0 : tensor<2x4xf32> -> tensor<8xf32>
  %4 = ringi.reshape %2#1 : tensor<2x4xf32> -> tensor<8xf32>
  %5 = ringi.add %3, %4 {ringi.phase = "forward"} : tensor<8xf32>, tensor<8xf32>
  %6 = ringi.reduce_mean %5 [0] {ringi.phase = "forward"} : (tensor<8xf32>) -> tensor<f32>
  %7 = ringi.broadcast %6 [0, 1] {ringi.phase = "backward"} : tensor<f32> -> tensor<2x8xf32>
  %8 = ringi.mul %7, %c {ringi.phase = "backward"} : tensor<2x8xf32>, tensor<2x8xf32>
  %9 = ringi.mul %8, %c2 {ringi.phase = "backward"} : tensor<2x8xf32>, tensor<2x8xf32>
  %10 = ringi.mul %9, %1 {ringi.phase = "backward"} : tensor<2x8xf32>, tensor<2x8xf32>
  %11 = ringi.gelu_backward %10, %0 {ringi.phase = "backward"} : tensor<2x8xf32>
  %12 = ringi.mul %11, %x {ringi.phase = "backward"} : tensor<2x8xf32>, tensor<2x8xf32>
  %13 = ringi.sgd %w, %12, %lr {ringi.phase = "optimizer"} : (tensor<2x8xf32>, tensor<2x8xf32>, tensor<f32>) -> tensor<2x8xf32>
  return %6, %13 : tensor<f32>, tensor<2x8xf32>
}
