// RUN: not ringi-opt %s --ringi-inline-recompute="barrier=t.barrier" 2>&1 | FileCheck %s

// CHECK: error: barrier 't.barrier' is not a registered operation; load its dialect or allow unregistered ones
func.func @step(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
