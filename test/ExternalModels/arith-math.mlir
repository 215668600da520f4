// Elementwise: one FLOP per element of the result, class elementwise, may run again, over any operand of its type that dies.
// RUN: ringi-opt %s --ringi-print-cost=function=costs -o /dev/null | FileCheck %s
// RUN: mlir-opt %s --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(ringi-print-cost{function=costs})' -o /dev/null | FileCheck %s
// RUN: ringi-opt %s --ringi-print-memory="function=in_place alignment=1" -o /dev/null | FileCheck %s --check-prefix=INPLACE
// RUN: ringi-opt %s --ringi-plan-checkpoints="strategy=manual function=repeats" | FileCheck %s --check-prefix=REPEATS
// RUN: mlir-opt %s --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(ringi-plan-checkpoints{strategy=manual function=repeats})' \
// RUN:   | FileCheck %s --check-prefix=REPEATS

// CHECK: {{^ *}}addf.0 elementwise 3.2{{0*}}e+01 FLOPs 3.84{{0*}}e+02 bytes
// CHECK: {{^ *}}truncf.1 elementwise 3.2{{0*}}e+01 FLOPs 1.92{{0*}}e+02 bytes
// CHECK: {{^ *}}cmpf.2 elementwise 3.2{{0*}}e+01 FLOPs 2.6{{0*}}e+02 bytes
// CHECK: {{^ *}}select.3 elementwise 3.2{{0*}}e+01 FLOPs
// CHECK: {{^ *}}mulsi_extended.4 elementwise 3.2{{0*}}e+01 FLOPs
// CHECK: {{^ *}}tanh.5 elementwise 3.2{{0*}}e+01 FLOPs 2.56{{0*}}e+02 bytes
// CHECK: {{^ *}}acos.6 elementwise 3.2{{0*}}e+01 FLOPs
// CHECK: {{^ *}}fma.7 elementwise 3.2{{0*}}e+01 FLOPs 5.12{{0*}}e+02 bytes
func.func @costs(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>, %i: tensor<4x8xi32>) {
  %0 = arith.addf %x, %y : tensor<4x8xf32>
  %1 = arith.truncf %x : tensor<4x8xf32> to tensor<4x8xbf16>
  %2 = arith.cmpf ogt, %x, %y : tensor<4x8xf32>
  %3 = arith.select %2, %x, %y : tensor<4x8xi1>, tensor<4x8xf32>
  %4:2 = arith.mulsi_extended %i, %i : tensor<4x8xi32>
  %5 = math.tanh %x : tensor<4x8xf32>
  %6 = math.acos %x : tensor<4x8xf32>
  %7 = math.fma %x, %y, %x : tensor<4x8xf32>
  return
}

// %x is the caller's and stays. %1 is written where the splat constant that it reads was made, so %0 stays beside it; %2 over %1.
// INPLACE: memory of 'in_place': live peak 192 bytes at mulf.1
// INPLACE: exp.0 forward 128
// INPLACE: mulf.1 forward 192
// INPLACE: negf.2 forward 128
func.func @in_place(%x: tensor<16xf32>) -> tensor<16xf32> {
  %two = arith.constant dense<2.0> : tensor<16xf32>
  %0 = math.exp %x : tensor<16xf32>
  %1 = arith.mulf %0, %two : tensor<16xf32>
  %2 = arith.negf %1 : tensor<16xf32>
  return %2 : tensor<16xf32>
}

// REPEATS-LABEL: func.func @repeats
// REPEATS: math.exp {{.*}}ringi.decision = ["recompute
// REPEATS: arith.addf {{.*}}ringi.decision = ["recompute
func.func @repeats(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %0 = math.exp %x {ringi.must_recompute, ringi.phase = "forward"} : tensor<16xf32>
  %1 = arith.addf %0, %x {ringi.must_recompute, ringi.phase = "forward"} : tensor<16xf32>
  %s = math.tanh %1 {ringi.phase = "forward"} : tensor<16xf32>
  %t = arith.negf %s {ringi.phase = "backward"} : tensor<16xf32>
  %2 = arith.mulf %0, %1 {ringi.phase = "backward"} : tensor<16xf32>
  return %2, %t : tensor<16xf32>, tensor<16xf32>
}
