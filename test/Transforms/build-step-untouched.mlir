// Functions without roles, declarations and steps pass through byte for byte;
// so does what has no backward part through the planning passes.
// RUN: ringi-opt %s -o %t.before
// RUN: ringi-opt %s --ringi-build-step -o %t.after
// RUN: diff %t.before %t.after
// RUN: ringi-opt %s --ringi-checkpoint="strategy=recompute-all" --ringi-assign-memory --ringi-verify-plan --ringi-inline-recompute -o %t.planned
// RUN: diff %t.before %t.planned
// RUN: ringi-opt %s --ringi-build-step | FileCheck %s

// CHECK-LABEL: func.func @inference
// CHECK-NEXT: ringi.block "layer"
func.func @inference(%x: tensor<4xf32>) -> tensor<4xf32> {
  %y = ringi.block "layer" -> tensor<4xf32> {
    %0 = ringi.relu %x : tensor<4xf32>
    ringi.yield %0 : tensor<4xf32>
  }
  return %y : tensor<4xf32>
}

func.func private @declared(tensor<4xf32> {ringi.role = "parameter"}) -> tensor<f32>

func.func @built(%w: tensor<f32> {ringi.role = "parameter", ringi.name = "w"}) -> tensor<f32> attributes {ringi.step} {
  return %w : tensor<f32>
}

func.func @arithmetic(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  return %0 : f32
}
