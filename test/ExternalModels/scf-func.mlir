// A loop, a branch and a call are one op each: costed by what is inside, executed again when everything inside may be.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-cost=function=costs -o /dev/null | FileCheck %s
// RUN: mlir-opt %s --allow-unregistered-dialect --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(ringi-print-cost{function=costs})' -o /dev/null | FileCheck %s
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-memory="function=loop alignment=1" -o /dev/null | FileCheck %s --check-prefix=LOOP
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-memory="function=branch alignment=1" -o /dev/null | FileCheck %s --check-prefix=BRANCH
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-memory="function=called alignment=1" -o /dev/null | FileCheck %s --check-prefix=CALLED
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-plan-checkpoints="strategy=recompute-all function=repeats" | FileCheck %s --check-prefix=REPEATS

// 8 iterations of 2 x 16.
// CHECK: {{^ *}}for.0 other 2.56{{0*}}e+02 FLOPs
// The branch with more FLOPs.
// CHECK: {{^ *}}if.1 other 4.8{{0*}}e+01 FLOPs
// CHECK: {{^ *}}call.2 other 3.2{{0*}}e+01 FLOPs
// A call of what may call itself is not known.
// CHECK: {{^ *}}call.3 other 0.0{{0*}}e+00 FLOPs
func.func @costs(%x: tensor<16xf32>, %p: i1) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %x) -> tensor<16xf32> {
    %a = math.exp %c : tensor<16xf32>
    %b = arith.mulf %a, %c : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  %1 = scf.if %p -> tensor<16xf32> {
    %a = math.exp %x : tensor<16xf32>
    scf.yield %a : tensor<16xf32>
  } else {
    %a = math.exp %x : tensor<16xf32>
    %b = math.tanh %x : tensor<16xf32>
    %c = arith.addf %a, %b : tensor<16xf32>
    scf.yield %c : tensor<16xf32>
  }
  %2 = call @twice(%x) : (tensor<16xf32>) -> tensor<16xf32>
  %3 = call @itself(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return
}

func.func private @twice(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = math.exp %x : tensor<16xf32>
  %1 = math.exp %0 : tensor<16xf32>
  return %1 : tensor<16xf32>
}

func.func private @itself(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = call @itself(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// 64 bytes of the argument, 64 of the value carried, which starts where %init dies, and 64 of %a, which %b is written over.
// LOOP: memory of 'loop': live peak 192 bytes at for.1
// LOOP: exp.0 forward 128
// LOOP: for.1 forward 192
func.func @loop(%x: tensor<16xf32>) -> tensor<16xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %init = math.exp %x : tensor<16xf32>
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %init) -> tensor<16xf32> {
    %a = math.exp %c : tensor<16xf32>
    %b = arith.mulf %a, %c : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// What a branch yields is the result itself: the first branch needs nothing beside it, the second 64 bytes for %b.
// BRANCH: memory of 'branch': live peak 192 bytes at if.0
func.func @branch(%x: tensor<16xf32>, %p: i1) -> tensor<16xf32> {
  %0 = scf.if %p -> tensor<16xf32> {
    %a = math.exp %x : tensor<16xf32>
    %b = math.exp %a : tensor<16xf32>
    scf.yield %b : tensor<16xf32>
  } else {
    %a = math.exp %x : tensor<16xf32>
    %b = math.tanh %x : tensor<16xf32>
    %c = arith.addf %a, %b : tensor<16xf32>
    scf.yield %c : tensor<16xf32>
  }
  return %0 : tensor<16xf32>
}

// CALLED: memory of 'called': live peak 128 bytes at call.0
func.func @called(%x: tensor<16xf32>) -> tensor<16xf32> {
  %0 = call @twice(%x) : (tensor<16xf32>) -> tensor<16xf32>
  return %0 : tensor<16xf32>
}

// A region with an op of unknown effect is kept; so is a call of it. Planning inlines calls, but not those with a cost of their own.
// REPEATS-LABEL: func.func @repeats
// REPEATS: scf.for
// REPEATS: ringi.decision = ["recompute
// REPEATS: scf.if
// REPEATS: "t.print"
// REPEATS: ringi.decision = ["keep
// REPEATS: call @twice{{.*}}ringi.decision = ["recompute
// REPEATS: call @prints{{.*}}ringi.decision = ["keep
func.func @repeats(%x: tensor<16xf32>, %p: i1) -> (tensor<16xf32>, tensor<16xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %0 = scf.for %i = %c0 to %c8 step %c1 iter_args(%c = %x) -> tensor<16xf32> {
    %a = math.exp %c : tensor<16xf32>
    scf.yield %a : tensor<16xf32>
  } {ringi.phase = "forward"}
  %1 = scf.if %p -> tensor<16xf32> {
    "t.print"(%0) : (tensor<16xf32>) -> ()
    scf.yield %0 : tensor<16xf32>
  } else {
    scf.yield %x : tensor<16xf32>
  } {ringi.phase = "forward"}
  %2 = call @twice(%1) {ringi.cost = 32.0, ringi.phase = "forward"} : (tensor<16xf32>) -> tensor<16xf32>
  %3 = call @prints(%2) {ringi.cost = 0.0, ringi.phase = "forward"} : (tensor<16xf32>) -> tensor<16xf32>
  %4 = arith.addf %0, %1 {ringi.phase = "backward"} : tensor<16xf32>
  %5 = arith.addf %2, %3 {ringi.phase = "backward"} : tensor<16xf32>
  return %4, %5 : tensor<16xf32>, tensor<16xf32>
}

func.func private @prints(%x: tensor<16xf32>) -> tensor<16xf32> {
  "t.print"(%x) : (tensor<16xf32>) -> ()
  return %x : tensor<16xf32>
}
