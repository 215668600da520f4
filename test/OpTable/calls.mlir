// Functions that a step calls are planned inside, as deep as they call each
// other; declarations, recursion and marked calls stay calls. A function
// without a backward part keeps its calls.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-checkpoint="strategy=recompute-all op-table=stablehlo" \
// RUN:   --mlir-print-debuginfo --mlir-print-local-scope | FileCheck %s

// CHECK-LABEL: func.func @step
// CHECK: "stablehlo.sine"{{.*}}ringi.block = "b"{{.*}}ringi.phase = "forward"{{.*}}loc(callsite("in half" at "call of half"))
// CHECK-NEXT: "stablehlo.multiply"{{.*}}loc(callsite("in twice" at callsite("in half" at "call of half")))
// CHECK-NEXT: call @declared
// CHECK-NEXT: call @recursive
// CHECK-NEXT: call @half{{.*}}ringi.must_keep
// CHECK: ringi.recompute
// CHECK: "stablehlo.sine"{{.*}}ringi.origin
func.func @step(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = func.call @half(%x) {ringi.block = "b", ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32> loc("call of half")
  %1 = func.call @declared(%0) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = func.call @recursive(%1) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %3 = func.call @half(%2) {ringi.phase = "forward", ringi.must_keep} : (tensor<64xf32>) -> tensor<64xf32>
  %4 = "stablehlo.cosine"(%3) {ringi.phase = "backward"} : (tensor<64xf32>) -> tensor<64xf32>
  %5 = "stablehlo.multiply"(%4, %0) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %4, %5 : tensor<64xf32>, tensor<64xf32>
}

// CHECK-LABEL: func.func @forward
// CHECK-NEXT: call @half
func.func @forward(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = func.call @half(%x) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}

func.func private @half(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.sine"(%x) : (tensor<64xf32>) -> tensor<64xf32> loc("in half")
  %1 = func.call @twice(%0) : (tensor<64xf32>) -> tensor<64xf32> loc("in half")
  return %1 : tensor<64xf32>
}
func.func private @twice(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = "stablehlo.multiply"(%x, %x) : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> loc("in twice")
  return %0 : tensor<64xf32>
}
func.func private @declared(tensor<64xf32>) -> tensor<64xf32>
func.func private @recursive(%x: tensor<64xf32>) -> tensor<64xf32> {
  %0 = func.call @recursive(%x) : (tensor<64xf32>) -> tensor<64xf32>
  return %0 : tensor<64xf32>
}
