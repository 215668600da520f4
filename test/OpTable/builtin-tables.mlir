// One op of each kind, as each built-in table counts it.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-cost="op-table=stablehlo function=stablehlo" -o %t.mlir \
// RUN:   | FileCheck %s --check-prefix=STABLEHLO
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-cost="op-table=mhlo function=mhlo" -o %t.mlir \
// RUN:   | FileCheck %s --check-prefix=MHLO
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-cost="op-table=hlo function=hlo" -o %t.mlir \
// RUN:   | FileCheck %s --check-prefix=HLO

// 2 x (4 x 32 x 144) x 48.
// STABLEHLO: dot_general.0 gemm 1.769e+06 FLOPs
// 2 x (2 x 8 x 8 x 16) x 3 x 3 x 4.
// STABLEHLO: convolution.1 convolution 1.475e+05 FLOPs
// STABLEHLO: reduce_window.2 reduction 2.304e+03 FLOPs
// STABLEHLO: rng_bit_generator.3 random 1.010e+03 FLOPs
// STABLEHLO: all_reduce.4 collective 2.048e+03 FLOPs
// STABLEHLO: fft.5 other 1.024e+05 FLOPs
// STABLEHLO-NOT: cost unknown
func.func @stablehlo(%x: tensor<4x32x48xf32>, %w: tensor<48x144xf32>, %i: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x16xf32>,
                     %z: tensor<f32>, %s: tensor<1xi64>) -> tensor<4x32x144xf32> {
  %0 = "stablehlo.dot_general"(%x, %w) <{dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [0]>}> : (tensor<4x32x48xf32>, tensor<48x144xf32>) -> tensor<4x32x144xf32>
  %1 = "stablehlo.convolution"(%i, %k) <{dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, padding = dense<1> : tensor<2x2xi64>}> : (tensor<2x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<2x8x8x16xf32>
  %2 = "stablehlo.reduce_window"(%i, %z) <{window_dimensions = array<i64: 1, 3, 3, 1>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %m = "stablehlo.maximum"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<2x8x4x4xf32>
  %3:2 = "stablehlo.rng_bit_generator"(%s) <{rng_algorithm = #stablehlo<rng_algorithm DEFAULT>}> : (tensor<1xi64>) -> (tensor<1xi64>, tensor<100xi32>)
  %4 = "stablehlo.all_reduce"(%1) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %m = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%m) : (tensor<f32>) -> ()
  }) : (tensor<2x8x8x16xf32>) -> tensor<2x8x8x16xf32>
  %5 = "stablehlo.fft"(%4) <{fft_length = array<i64: 1024>}> : (tensor<2x8x8x16xf32>) -> tensor<2x1024xf32>
  %6 = "stablehlo.custom_call"(%0) {call_target_name = "Sharding"} : (tensor<4x32x144xf32>) -> tensor<4x32x144xf32>
  return %6 : tensor<4x32x144xf32>
}

// MHLO: dot.0 gemm 4.800e+01 FLOPs
// MHLO: custom_call.1 normalization 9.600e+01 FLOPs
// MHLO: custom_call.2 normalization 6.000e+01 FLOPs
// MHLO: custom_call.3 {{.*}} cost unknown
func.func @mhlo(%x: tensor<3x4xf32>, %w: tensor<4x2xf32>) -> tensor<3x2xf32> {
  %0 = "mhlo.dot"(%x, %w) : (tensor<3x4xf32>, tensor<4x2xf32>) -> tensor<3x2xf32>
  %1 = "mhlo.custom_call"(%x) {call_target_name = "byteir.layer_norm"} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %2 = "mhlo.custom_call"(%x) {call_target_name = "byteir.softmax"} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  %3 = "mhlo.custom_call"(%x) {call_target_name = "callback"} : (tensor<3x4xf32>) -> tensor<3x4xf32>
  return %0 : tensor<3x2xf32>
}

// HLO: dot.0 gemm 1.769e+06 FLOPs
// HLO: convolution.1 convolution 1.475e+05 FLOPs
// HLO: reduce_window.2 reduction 2.304e+03 FLOPs
// HLO-NOT: cost unknown
func.func @hlo(%x: tensor<4x32x48xf32>, %w: tensor<48x144xf32>, %i: tensor<2x8x8x4xf32>, %k: tensor<3x3x4x16xf32>) -> tensor<4x32x144xf32> {
  %z = "hlo.constant"() {value = "0"} : () -> tensor<f32>
  %0 = "hlo.dot"(%x, %w) {lhs_contracting_dims = array<i64: 2>, rhs_contracting_dims = array<i64: 0>} : (tensor<4x32x48xf32>, tensor<48x144xf32>) -> tensor<4x32x144xf32>
  %1 = "hlo.convolution"(%i, %k) {window = "{size=3x3 pad=1_1x1_1}", dim_labels = "b01f_01io->b01f"} : (tensor<2x8x8x4xf32>, tensor<3x3x4x16xf32>) -> tensor<2x8x8x16xf32>
  %2 = "hlo.reduce_window"(%i, %z) {window = "{size=1x3x3x1 stride=1x1x2x1}", to_apply = @max} : (tensor<2x8x8x4xf32>, tensor<f32>) -> tensor<2x8x4x4xf32>
  %3 = "hlo.custom_call"(%0) {custom_call_target = "\"Sharding\""} : (tensor<4x32x144xf32>) -> tensor<4x32x144xf32>
  return %3 : tensor<4x32x144xf32>
}
func.func private @max(%l: tensor<f32>, %r: tensor<f32>) -> tensor<f32> {
  %m = "hlo.maximum"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  return %m : tensor<f32>
}
