// RUN: ringi-opt %s --ringi-print-cost=function=costs -o /dev/null | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(ringi-print-cost{function=costs})' -o /dev/null | FileCheck %s
// RUN: ringi-opt %s --ringi-print-memory="function=views alignment=1" -o /dev/null | FileCheck %s --check-prefix=VIEWS
// RUN: ringi-opt %s --ringi-plan-checkpoints="strategy=manual function=repeats" | FileCheck %s --check-prefix=REPEATS

// CHECK: {{^ *}}matmul.0 gemm 1.024{{0*}}e+03 FLOPs
// 1 x 8 x 8 x 5 results over 3 x 3 x 3 inputs, times 2.
// CHECK: {{^ *}}conv2d.1 convolution 1.728{{0*}}e+04 FLOPs
// Each result of a depthwise convolution sums 3 x 3.
// CHECK: {{^ *}}depthwise_conv2d.2 convolution 3.456{{0*}}e+03 FLOPs
// CHECK: {{^ *}}add.3 elementwise 1.28{{0*}}e+02 FLOPs 1.536{{0*}}e+03 bytes
// CHECK: {{^ *}}reduce_sum.4 reduction 1.28{{0*}}e+02 FLOPs
// 5 x 5 windows of 2 x 2 in 3 channels.
// CHECK: {{^ *}}max_pool2d.5 reduction 3{{.0*}}e+02 FLOPs
// CHECK: {{^ *}}transpose.6 elementwise 0.0{{0*}}e+00 FLOPs 1.024{{0*}}e+03 bytes
func.func @costs(%a: tensor<1x8x16xf32>, %b: tensor<1x16x4xf32>, %x: tensor<1x10x10x3xf32>, %w: tensor<5x3x3x3xf32>, %bias: tensor<5xf32>,
                 %d: tensor<3x3x3x1xf32>, %bias3: tensor<3xf32>) {
  %z = "tosa.const"() {values = dense<0.0> : tensor<1xf32>} : () -> tensor<1xf32>
  %0 = tosa.matmul %a, %b, %z, %z : (tensor<1x8x16xf32>, tensor<1x16x4xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x4xf32>
  %1 = tosa.conv2d %x, %w, %bias, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x10x10x3xf32>, tensor<5x3x3x3xf32>, tensor<5xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x5xf32>
  %2 = tosa.depthwise_conv2d %x, %d, %bias3, %z, %z {acc_type = f32, dilation = array<i64: 1, 1>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 1, 1>}
      : (tensor<1x10x10x3xf32>, tensor<3x3x3x1xf32>, tensor<3xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1x8x8x3xf32>
  %3 = tosa.add %a, %a : (tensor<1x8x16xf32>, tensor<1x8x16xf32>) -> tensor<1x8x16xf32>
  %4 = tosa.reduce_sum %a {axis = 2 : i32} : (tensor<1x8x16xf32>) -> tensor<1x8x1xf32>
  %5 = tosa.max_pool2d %x {kernel = array<i64: 2, 2>, pad = array<i64: 0, 0, 0, 0>, stride = array<i64: 2, 2>} : (tensor<1x10x10x3xf32>) -> tensor<1x5x5x3xf32>
  %6 = tosa.transpose %a {perms = array<i32: 0, 2, 1>} : (tensor<1x8x16xf32>) -> tensor<1x16x8xf32>
  return
}

// A reshape is a view; the sum is written where the splat constant that it reads was made, beside %0.
// VIEWS: memory of 'views': live peak 192 bytes at add.1
// VIEWS: exp.0 forward 128
// VIEWS: add.1 forward 192
func.func @views(%x: tensor<16xf32>) -> tensor<4x4xf32> {
  %shape = tosa.const_shape {values = dense<[4, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %one = "tosa.const"() {values = dense<1.0> : tensor<4x4xf32>} : () -> tensor<4x4xf32>
  %0 = tosa.exp %x : (tensor<16xf32>) -> tensor<16xf32>
  %1 = tosa.reshape %0, %shape : (tensor<16xf32>, !tosa.shape<2>) -> tensor<4x4xf32>
  %2 = tosa.add %1, %one : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %2 : tensor<4x4xf32>
}

// REPEATS-LABEL: func.func @repeats
// REPEATS: tosa.exp {{.*}}ringi.decision = ["recompute
// REPEATS: tosa.reduce_sum {{.*}}ringi.decision = ["recompute
func.func @repeats(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<1xf32>, tensor<16xf32>) {
  %0 = tosa.exp %x {ringi.must_recompute, ringi.phase = "forward"} : (tensor<16xf32>) -> tensor<16xf32>
  %1 = tosa.reduce_sum %0 {axis = 0 : i32, ringi.must_recompute, ringi.phase = "forward"} : (tensor<16xf32>) -> tensor<1xf32>
  %s = tosa.tanh %0 {ringi.phase = "forward"} : (tensor<16xf32>) -> tensor<16xf32>
  %t = tosa.abs %s {ringi.phase = "backward"} : (tensor<16xf32>) -> tensor<16xf32>
  %2 = tosa.add %0, %x {ringi.phase = "backward"} : (tensor<16xf32>, tensor<16xf32>) -> tensor<16xf32>
  %3 = tosa.add %1, %1 {ringi.phase = "backward"} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %2, %3, %t : tensor<16xf32>, tensor<1xf32>, tensor<16xf32>
}
