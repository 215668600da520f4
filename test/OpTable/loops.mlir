// A pair of stablehlo.while: row numbers with the normalisation of negative indices, values that every iteration hands on, and an
// array whose rows have another shape than the value. What neither is there nor stacked comes in as a new carried value.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-thin-loops="op-table=stablehlo" --mlir-print-op-generic -o %t.mlir 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REMARK
// RUN: FileCheck %s < %t.mlir
// RUN: ringi-opt %t.mlir --allow-unregistered-dialect --ringi-inline-recompute="op-table=stablehlo strip" --mlir-print-op-generic \
// RUN:   | FileCheck %s --check-prefix=FLAT

// REMARK: the loops of 'main' stack 1024 of 2048 bytes and compute again 768 FLOPs

// The carried value is stacked in the place of the two arrays; %w comes into the backward loop.
// CHECK: "stablehlo.while"(%{{.*}}, %{{.*}}, %[[W:.*]], %{{.*}})
// CHECK: "stablehlo.dynamic_update_slice"
// CHECK-NOT: "stablehlo.dynamic_update_slice"
// CHECK: "stablehlo.while"({{.*}}, %[[W]])
// CHECK: "stablehlo.dynamic_slice"
// CHECK-NOT: "stablehlo.dynamic_slice"
// CHECK: "ringi.recompute"
// CHECK: "stablehlo.multiply"
// CHECK: "stablehlo.tanh"
// CHECK: ringi.stacks = {bytes = 1024

// FLAT-NOT: ringi.
// FLAT: "stablehlo.optimization_barrier"
// FLAT-NOT: ringi.
func.func @main(%x: tensor<64xf32>, %w: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %zero = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
  %z = "stablehlo.constant"() <{value = dense<0.0> : tensor<f32>}> : () -> tensor<f32>
  %e = "stablehlo.broadcast_in_dim"(%z) <{broadcast_dimensions = array<i64>}> : (tensor<f32>) -> tensor<4x64xf32>
  %f:5 = "stablehlo.while"(%zero, %x, %w, %e, %e) ({
  ^bb0(%i: tensor<i32>, %c: tensor<64xf32>, %v: tensor<64xf32>, %s: tensor<4x64xf32>, %t: tensor<4x64xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %p = "stablehlo.compare"(%i, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%i: tensor<i32>, %c: tensor<64xf32>, %v: tensor<64xf32>, %s: tensor<4x64xf32>, %t: tensor<4x64xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %k0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %k1 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %a = "stablehlo.multiply"(%c, %v) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %q = "stablehlo.multiply"(%a, %c) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %b = "stablehlo.tanh"(%q) : (tensor<64xf32>) -> tensor<64xf32>
    %neg = "stablehlo.compare"(%i, %k0) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %wrapped = "stablehlo.add"(%i, %n) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %row = "stablehlo.select"(%neg, %wrapped, %i) : (tensor<i1>, tensor<i32>, tensor<i32>) -> tensor<i32>
    %ar = "stablehlo.broadcast_in_dim"(%a) <{broadcast_dimensions = array<i64: 1>}> : (tensor<64xf32>) -> tensor<1x64xf32>
    %br = "stablehlo.reshape"(%b) : (tensor<64xf32>) -> tensor<1x64xf32>
    %s1 = "stablehlo.dynamic_update_slice"(%s, %ar, %row, %k0) : (tensor<4x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<4x64xf32>
    %t1 = "stablehlo.dynamic_update_slice"(%t, %br, %i, %k0) : (tensor<4x64xf32>, tensor<1x64xf32>, tensor<i32>, tensor<i32>) -> tensor<4x64xf32>
    %next = "stablehlo.add"(%i, %k1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %m = "stablehlo.add"(%c, %b) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    "stablehlo.return"(%next, %m, %v, %s1, %t1) : (tensor<i32>, tensor<64xf32>, tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) -> ()
  }) : (tensor<i32>, tensor<64xf32>, tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>)
    -> (tensor<i32>, tensor<64xf32>, tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>)
  %g:4 = "stablehlo.while"(%zero, %f#1, %f#3, %f#4) ({
  ^bb0(%k: tensor<i32>, %d: tensor<64xf32>, %s: tensor<4x64xf32>, %t: tensor<4x64xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %p = "stablehlo.compare"(%k, %n) <{comparison_direction = #stablehlo<comparison_direction LT>}> : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%p) : (tensor<i1>) -> ()
  }, {
  ^bb0(%k: tensor<i32>, %d: tensor<64xf32>, %s: tensor<4x64xf32>, %t: tensor<4x64xf32>):
    %n = "stablehlo.constant"() <{value = dense<4> : tensor<i32>}> : () -> tensor<i32>
    %k0 = "stablehlo.constant"() <{value = dense<0> : tensor<i32>}> : () -> tensor<i32>
    %k1 = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
    %left = "stablehlo.subtract"(%n, %k) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %j = "stablehlo.subtract"(%left, %k1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    %ar = "stablehlo.dynamic_slice"(%s, %j, %k0) <{slice_sizes = array<i64: 1, 64>}> : (tensor<4x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %br = "stablehlo.dynamic_slice"(%t, %j, %k0) <{slice_sizes = array<i64: 1, 64>}> : (tensor<4x64xf32>, tensor<i32>, tensor<i32>) -> tensor<1x64xf32>
    %a = "stablehlo.reshape"(%ar) : (tensor<1x64xf32>) -> tensor<64xf32>
    %b = "stablehlo.reshape"(%br) : (tensor<1x64xf32>) -> tensor<64xf32>
    %u = "stablehlo.multiply"(%d, %a) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %o = "stablehlo.subtract"(%u, %b) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
    %next = "stablehlo.add"(%k, %k1) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%next, %o, %s, %t) : (tensor<i32>, tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) -> ()
  }) : (tensor<i32>, tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>) -> (tensor<i32>, tensor<64xf32>, tensor<4x64xf32>, tensor<4x64xf32>)
  return %f#1, %g#1 : tensor<64xf32>, tensor<64xf32>
}
