// RUN: ringi-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func.func @reshape_of_reshape
// CHECK-SAME: %[[X:[^:]*]]: tensor<4x6xf32>
func.func @reshape_of_reshape(%x: tensor<4x6xf32>) -> (tensor<24xf32>, tensor<4x6xf32>) {
  // CHECK: %[[Y:.*]] = ringi.reshape %[[X]] : tensor<4x6xf32> -> tensor<24xf32>
  %0 = ringi.reshape %x : tensor<4x6xf32> -> tensor<2x12xf32>
  %1 = ringi.reshape %0 : tensor<2x12xf32> -> tensor<24xf32>
  %2 = ringi.reshape %1 : tensor<24xf32> -> tensor<4x6xf32>
  // CHECK: return %[[Y]], %[[X]]
  return %1, %2 : tensor<24xf32>, tensor<4x6xf32>
}

// CHECK-LABEL: func.func @transposes_compose
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x3x4xf32>
func.func @transposes_compose(%x: tensor<2x3x4xf32>) -> (tensor<4x2x3xf32>, tensor<2x3x4xf32>) {
  // CHECK: %[[Y:.*]] = ringi.transpose %[[X]] [2, 0, 1] {ringi.phase = "forward"} : (tensor<2x3x4xf32>) -> tensor<4x2x3xf32>
  %0 = ringi.transpose %x [1, 2, 0] : (tensor<2x3x4xf32>) -> tensor<3x4x2xf32>
  %1 = ringi.transpose %0 [1, 2, 0] {ringi.phase = "forward"} : (tensor<3x4x2xf32>) -> tensor<4x2x3xf32>
  %2 = ringi.transpose %1 [1, 2, 0] : (tensor<4x2x3xf32>) -> tensor<2x3x4xf32>
  // CHECK: return %[[Y]], %[[X]]
  return %1, %2 : tensor<4x2x3xf32>, tensor<2x3x4xf32>
}

// CHECK-LABEL: func.func @times_one
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>
func.func @times_one(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: return %[[X]]
  %0 = ringi.scale %x {factor = 1.0} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// Two roundings are not one: scale of scale stays.
// CHECK-LABEL: func.func @scales_do_not_fuse
func.func @scales_do_not_fuse(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK-COUNT-2: ringi.scale
  %0 = ringi.scale %x {factor = 0.3} : tensor<4xbf16>
  %1 = ringi.scale %0 {factor = 0.3} : tensor<4xbf16>
  return %1 : tensor<4xbf16>
}

// CHECK-LABEL: func.func @whole_slice
// CHECK-SAME: %[[X:[^:]*]]: tensor<4xf32>
func.func @whole_slice(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = ringi.slice %x {axis = 0 : i64, start = 0 : i64} : tensor<4xf32> -> tensor<4xf32>
  %1 = ringi.cast %x : tensor<4xf32> -> tensor<4xf32>
  // CHECK-NEXT: %[[D:.*]] = ringi.detach %[[X]]
  %2 = ringi.detach %x : tensor<4xf32>
  %3 = ringi.detach %2 : tensor<4xf32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[D]]
  return %0, %1, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// What crosses stays visible.
// CHECK-LABEL: func.func @save_and_load_stay
func.func @save_and_load_stay(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ringi.save
  // CHECK: ringi.load
  %0 = ringi.save %x : tensor<4xf32>
  %1 = ringi.load %0 : !ringi.saved<tensor<4xf32>>
  return %1 : tensor<4xf32>
}
