// Blocks that nobody named: segments between single-value separators that
// repeat. The first op stands before the repetition and the last after it.
// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file \
// RUN:   --ringi-plan-checkpoints="op-table=stablehlo function=step strategy=every-block blocks=detect" | FileCheck %s
// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file \
// RUN:   --ringi-checkpoint="op-table=stablehlo function=step strategy=sqrt blocks=detect" | FileCheck %s --check-prefix=SQRT

// CHECK-LABEL: func.func @step
// CHECK: "stablehlo.negate"
// CHECK-NOT: ringi.block
// CHECK: "stablehlo.sine"{{.*}}ringi.block = "block.0"
// CHECK: "stablehlo.multiply"{{.*}}ringi.block = "block.0"
// CHECK: "stablehlo.sine"{{.*}}ringi.block = "block.1"
// CHECK: "stablehlo.multiply"{{.*}}ringi.block = "block.1"
// CHECK: "stablehlo.sine"{{.*}}ringi.block = "block.2"
// CHECK: "stablehlo.multiply"{{.*}}ringi.block = "block.2"
// CHECK: "stablehlo.tanh"
// CHECK-NOT: ringi.block
// CHECK: return
// SQRT: ringi.recompute
func.func @step(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = "stablehlo.negate"(%x) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = "stablehlo.sine"(%0) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = "stablehlo.multiply"(%1, %0) {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %3 = "stablehlo.sine"(%2) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %4 = "stablehlo.multiply"(%3, %2) {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %5 = "stablehlo.sine"(%4) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %6 = "stablehlo.multiply"(%5, %4) {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %7 = "stablehlo.tanh"(%6) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %8 = "stablehlo.add"(%7, %6) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %9 = "stablehlo.add"(%8, %5) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %10 = "stablehlo.add"(%9, %4) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %11 = "stablehlo.add"(%10, %3) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %12 = "stablehlo.add"(%11, %2) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %13 = "stablehlo.add"(%12, %1) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %14 = "stablehlo.add"(%13, %0) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %7, %14 : tensor<64xf32>, tensor<64xf32>
}
