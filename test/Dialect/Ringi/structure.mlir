// RUN: ringi-opt %s | ringi-opt | FileCheck %s
// RUN: ringi-opt %s --mlir-print-op-generic | ringi-opt | FileCheck %s

// CHECK-LABEL: func.func @blocks_nest
func.func @blocks_nest(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[Y:.*]]:2 = ringi.block "outer" -> tensor<4xf32>, tensor<4xf32> {
  %y:2 = ringi.block "outer" -> tensor<4xf32>, tensor<4xf32> {
    // CHECK: ringi.block "inner" -> tensor<4xf32> {
    %0 = ringi.block "inner" -> tensor<4xf32> {
      // CHECK: ringi.relu %{{.*}} : tensor<4xf32>
      %1 = ringi.relu %x : tensor<4xf32>
      // CHECK: ringi.yield %{{.*}} : tensor<4xf32>
      ringi.yield %1 : tensor<4xf32>
    }
    // CHECK: ringi.no_grad -> tensor<4xf32> {
    %2 = ringi.no_grad -> tensor<4xf32> {
      ringi.yield %0 : tensor<4xf32>
    }
    ringi.yield %0, %2 : tensor<4xf32>, tensor<4xf32>
  }
  // CHECK: ringi.block "empty" {
  ringi.block "empty" {
  }
  // CHECK: ringi.detach %[[Y]]#0 : tensor<4xf32>
  %d = ringi.detach %y#0 : tensor<4xf32>
  return %d : tensor<4xf32>
}

// CHECK-LABEL: func.func @what_crosses_is_typed
func.func @what_crosses_is_typed(%x: tensor<4xbf16>) -> tensor<4xbf16> {
  // CHECK: %[[S:.*]] = ringi.save %{{.*}} : tensor<4xbf16>
  %s = ringi.save %x : tensor<4xbf16>
  // CHECK: ringi.load %[[S]] : !ringi.saved<tensor<4xbf16>>
  %l = ringi.load %s : !ringi.saved<tensor<4xbf16>>
  return %l : tensor<4xbf16>
}

// CHECK-LABEL: func.func @recompute_is_isolated
func.func @recompute_is_isolated(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: ringi.recompute(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
  // CHECK-NEXT: ringi.add %[[A]], %[[B]] : tensor<4xf32>, tensor<4xf32>
  %r = ringi.recompute(%a = %x, %b = %y) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> {
    %0 = ringi.add %a, %b : tensor<4xf32>, tensor<4xf32>
    ringi.yield %0 : tensor<4xf32>
  // CHECK: } {ringi.origin = 3 : i64}
  } {ringi.origin = 3 : i64}
  // CHECK: ringi.recompute() : () -> () {
  ringi.recompute() : () -> () {
  }
  return %r : tensor<4xf32>
}

// CHECK-LABEL: func.func @arguments_say_what_they_are
// CHECK-SAME: ringi.init = #ringi.init<normal, 2.000000e-02 : f64>, ringi.name = "w", ringi.role = "parameter"
// CHECK-SAME: ringi.init = #ringi.init<tokens, 5.025700e+04 : f64>
// CHECK-SAME: ringi.frozen, ringi.init = #ringi.init<zeros>
func.func @arguments_say_what_they_are(
    %w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "w", ringi.init = #ringi.init<normal, 0.02>},
    %ids: tensor<4xi32> {ringi.role = "input", ringi.init = #ringi.init<tokens, 50257.0>},
    %f: tensor<4xf32> {ringi.role = "parameter", ringi.frozen, ringi.init = #ringi.init<zeros>}) {
  return
}

// CHECK-LABEL: module @devices
// CHECK-SAME: #ringi.device<"a100">
// CHECK-SAME: #ringi.device<"mine", flops = {bf16 = 1.000000e+14 : f64, f32 = 1.000000e+13 : f64}, bandwidth = 1.000000e+12 : f64, launch = 4.000000e-06 : f64, memory = 16000000000 : i64>
module @devices attributes {
  test.known = #ringi.device<"a100">,
  test.own = #ringi.device<"mine", flops = {f32 = 1.0e13, bf16 = 1.0e14}, bandwidth = 1.0e12, launch = 4.0e-6, memory = 16000000000>} {
}
