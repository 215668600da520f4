// A module without a step: a budget cannot be honoured, a function asked for by
// name cannot be planned, and any other strategy leaves the text as it is.
// RUN: ringi-opt %s --ringi-checkpoint="strategy=selective" | FileCheck %s
// RUN: not ringi-opt %s --ringi-checkpoint="strategy=memory-budget budget=10" 2>&1 | FileCheck %s --check-prefix=BUDGET
// RUN: not ringi-opt %s --ringi-checkpoint="strategy=selective function=forward" 2>&1 | FileCheck %s --check-prefix=NAMED
// RUN: not ringi-opt %s --pass-pipeline='builtin.module(func.func(ringi-checkpoint{strategy=none}))' 2>&1 | FileCheck %s --check-prefix=ANCHOR
// RUN: not mlir-opt %s --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(func.func(ringi-train))' 2>&1 \
// RUN:   | FileCheck %s --check-prefix=TRAIN

// BUDGET: error: no function is a step with a backward part, so budget=10 cannot be honoured; make a step with --ringi-build-step, or write ringi.phase on the operations of one
// NAMED: error: 'forward' has no backward part to plan; make a step with --ringi-build-step, or write ringi.phase on the operations of one
// ANCHOR: 'ringi-checkpoint' works on builtin.module, not on func.func; write it outside of func.func(...)
// TRAIN: 'ringi-train' works on builtin.module, not on func.func; write it outside of func.func(...)

// CHECK: func.func @forward(%{{.*}}: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT: ringi.gelu %{{.*}} : tensor<4xf32>
func.func @forward(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = ringi.gelu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
