// Forward and backward from the name scopes that JAX writes: in locations, or
// in the attribute that the table names. A few ops off their place do not move
// the split; what is differentiated on neither side updates parameters.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="op-table=stablehlo function=located" \
// RUN:   | FileCheck %s --check-prefix=LOCATED
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="op-table=hlo function=attributed" \
// RUN:   | FileCheck %s --check-prefix=ATTRIBUTED
// RUN: ringi-opt %s --allow-unregistered-dialect --mlir-print-debuginfo \
// RUN:   --ringi-plan-checkpoints="op-table=stablehlo function=located strategy=every-block blocks=layer_[0-9]+" \
// RUN:   | FileCheck %s --check-prefix=BLOCKS
// RUN: ringi-opt %s --allow-unregistered-dialect \
// RUN:   --ringi-plan-checkpoints="op-table=stablehlo function=located strategy=every-block blocks=layer_([0-9]+)" \
// RUN:   | FileCheck %s --check-prefix=GROUP

// LOCATED-LABEL: func.func @located
// LOCATED: "stablehlo.sine"{{.*}}ringi.phase = "forward"
// LOCATED: "stablehlo.tanh"{{.*}}ringi.phase = "forward"
// LOCATED: "stablehlo.cosine"{{.*}}ringi.phase = "backward"
// LOCATED: "stablehlo.negate"{{.*}}ringi.phase = "backward"
// LOCATED: "stablehlo.multiply"{{.*}}ringi.phase = "backward"
// LOCATED: "stablehlo.subtract"{{.*}}ringi.phase = "optimizer"

// BLOCKS-LABEL: func.func @located
// BLOCKS: "stablehlo.sine"{{.*}}ringi.block = "layer_0"
// BLOCKS: "stablehlo.tanh"{{.*}}ringi.block = "layer_1"
// BLOCKS: "stablehlo.cosine"{{.*}}ringi.block = "layer_1"
// GROUP: "stablehlo.sine"{{.*}}ringi.block = "0"
func.func @located(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "stablehlo.sine"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("jit(step)/jvp(layer_0)/sin")
  %1 = "stablehlo.tanh"(%0) : (tensor<4xf32>) -> tensor<4xf32> loc(fused["jit(step)/jvp(layer_1)/tanh", "b"])
  %2 = "stablehlo.cosine"(%1) : (tensor<4xf32>) -> tensor<4xf32> loc("jit(step)/transpose(jvp(layer_1))/mul"("m.py":3:1))
  %3 = "stablehlo.negate"(%x) : (tensor<4xf32>) -> tensor<4xf32> loc("jit(step)/jvp(layer_0)/neg")
  %4 = "stablehlo.multiply"(%2, %3) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("jit(step)/transpose(jvp(layer_0))/mul")
  %5 = "stablehlo.subtract"(%4, %0) : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("jit(step)/sub")
  return %5, %1 : tensor<4xf32>, tensor<4xf32>
}

// ATTRIBUTED-LABEL: func.func @attributed
// ATTRIBUTED: "hlo.sine"{{.*}}ringi.phase = "forward"
// ATTRIBUTED: "hlo.cosine"{{.*}}ringi.phase = "backward"
// ATTRIBUTED: "hlo.broadcast"{{.*}}ringi.phase = "backward"
// ATTRIBUTED: "hlo.subtract"{{.*}}ringi.phase = "optimizer"
func.func @attributed(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = "hlo.sine"(%x) {op_name = "jit(step)/jvp(M)/sin"} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = "hlo.cosine"(%0) {op_name = "jit(step)/transpose(jvp(M))/mul"} : (tensor<4xf32>) -> tensor<4xf32>
  %2 = "hlo.broadcast"(%1) {dimensions = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  %3 = "hlo.subtract"(%2, %0) {op_name = "jit(step)/sub"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %3, %0 : tensor<4xf32>, tensor<4xf32>
}
