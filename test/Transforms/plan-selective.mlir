// RUN: ringi-opt %s --ringi-checkpoint="strategy=selective" | FileCheck %s
// RUN: ringi-opt %s --ringi-checkpoint="strategy=selective" --ringi-print-memory="format=json" -o /dev/null | FileCheck %s --check-prefix=MEMORY

// The bf16 copy of an f32 parameter is cast again, not saved; the product is
// kept, the activation is recomputed. The clone has the type of its origin.
// CHECK-LABEL: func.func @step
// CHECK: ringi.cast {{.*}}ringi.decision = ["recompute
// CHECK: ringi.matmul {{.*}}ringi.decision = ["keep
// CHECK: ringi.gelu {{.*}}ringi.decision = ["recompute
// CHECK: ringi.mse_backward
// CHECK: ringi.recompute
// CHECK: ringi.cast %{{.*}} : tensor<8x8xf32> -> tensor<8x8xbf16>

// Saved: the product alone (8 x 8 bf16 in one slot).
// MEMORY: "saved_activation_bytes": 256,
func.func @step(%x: tensor<8x8xbf16>, %w: tensor<8x8xf32>, %t: tensor<8x8xbf16>) -> (tensor<f32>, tensor<8x8xbf16>, tensor<8x8xbf16>) {
  %c = ringi.cast %w {ringi.phase = "forward", ringi.block = "0"} : tensor<8x8xf32> -> tensor<8x8xbf16>
  %h = ringi.matmul %x, %c {ringi.phase = "forward", ringi.block = "0"} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %a = ringi.gelu %h {ringi.phase = "forward", ringi.block = "0"} : tensor<8x8xbf16>
  %loss = ringi.mse %a, %t {ringi.phase = "forward", ringi.block = "0"} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<f32>
  %one = ringi.fill {factor = 1.0, ringi.phase = "backward"} : tensor<f32>
  %da = ringi.mse_backward %one, %a, %t {ringi.phase = "backward"} : (tensor<f32>, tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %dh = ringi.gelu_backward %da, %h {ringi.phase = "backward"} : tensor<8x8xbf16>
  %dx = ringi.matmul %dh, %c {transpose_b, ringi.phase = "backward"} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  %dw = ringi.matmul %x, %dh {transpose_a, ringi.phase = "backward"} : (tensor<8x8xbf16>, tensor<8x8xbf16>) -> tensor<8x8xbf16>
  return %loss, %dx, %dw : tensor<f32>, tensor<8x8xbf16>, tensor<8x8xbf16>
}
