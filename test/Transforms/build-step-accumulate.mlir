// RUN: ringi-opt %s --ringi-build-step="optimizer=sgd accumulate=2" | FileCheck %s
// RUN: ringi-opt %s --ringi-build-step="optimizer=sgd dropout-mask=stored" | FileCheck %s --check-prefix=STORED

// Inputs gain a leading dimension whose parts are views; the gradient of the
// second micro-batch adds to the first's; masks differ; one update at the end.
// CHECK-LABEL: func.func @model(
// CHECK-SAME: %[[W:[^:]*]]: tensor<4xf32>
// CHECK-SAME: %[[X:[^:]*]]: tensor<2x4xf32> {ringi.name = "x"
// CHECK: %[[S0:.*]] = ringi.slice %[[X]] {axis = 0 : i64, ringi.phase = "forward", start = 0 : i64} : tensor<2x4xf32> -> tensor<1x4xf32>
// CHECK-NEXT: ringi.reshape %[[S0]] {{.*}} : tensor<1x4xf32> -> tensor<4xf32>
// CHECK: ringi.dropout {{.*}} random_id = 0 : i64, ringi.block = "micro0/a"
// CHECK: ringi.fill {factor = 5.000000e-01
// CHECK: %[[G0:.*]] = ringi.mul {{.*}}ringi.phase = "backward"
// CHECK-NOT: ringi.sgd
// CHECK: ringi.slice %[[X]] {{.*}}start = 1 : i64
// CHECK: ringi.dropout {{.*}} random_id = 1 : i64, ringi.block = "micro1/a"
// CHECK: %[[SUM:.*]] = ringi.add %{{.*}} : tensor<f32>, tensor<f32>
// CHECK: %[[G1:.*]] = ringi.mul {{.*}}ringi.phase = "backward"
// CHECK: %[[G:.*]] = ringi.add %[[G0]], %[[G1]]
// CHECK-NEXT: %[[NEW:.*]] = ringi.sgd %[[W]], %[[G]]
// CHECK: %[[MEAN:.*]] = ringi.scale %[[SUM]] {factor = 5.000000e-01
// CHECK: return %[[MEAN]], %[[NEW]]

// STORED: %[[M:.*]] = ringi.dropout_mask {{.*}} random_id = 0
// STORED-NEXT: %[[S:.*]] = ringi.save %[[M]]
// STORED-NEXT: ringi.dropout_apply %{{.*}}, %[[M]]
// STORED: %[[L:.*]] = ringi.load %[[S]]
// STORED: ringi.dropout_apply %{{.*}}, %[[L]]
func.func @model(%w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "w"}, %x: tensor<4xf32> {ringi.role = "input", ringi.name = "x"},
                 %s: tensor<i64> {ringi.role = "seed", ringi.name = "seed"}, %n: tensor<i64> {ringi.role = "step", ringi.name = "step"}) -> tensor<f32> {
  %d = ringi.block "a" -> tensor<4xf32> {
    %0 = ringi.mul %x, %w : tensor<4xf32>, tensor<4xf32>
    %1 = ringi.dropout %0, %s, %n {probability = 0.5} : tensor<4xf32>, tensor<i64>, tensor<i64>
    ringi.yield %1 : tensor<4xf32>
  }
  %l = ringi.reduce_sum %d [0] : (tensor<4xf32>) -> tensor<f32>
  return %l : tensor<f32>
}
