// RUN: not ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="op-table=stablehlo strategy=every-block blocks=[" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=REGEX
// RUN: not ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="op-table=stablehlo strategy=every-block blocks=detect" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=DETECT

// REGEX: error: blocks=[ is no regular expression: {{.+}}
// DETECT: error: blocks=detect finds no repeated segment in the {{[0-9]+}} links of 'step'; mark blocks with 'ringi.block' or give a pattern of name scopes
func.func @step(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = "stablehlo.sine"(%x) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %1 = "stablehlo.tanh"(%0) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %2 = "stablehlo.multiply"(%1, %0) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %1, %2 : tensor<64xf32>, tensor<64xf32>
}
