// A step that computes a value twice is planned as CSE and canonicalization leave it, so they find nothing to do afterwards.
// RUN: ringi-opt %s --ringi-checkpoint="strategy=none function=step" -o %t.planned.mlir
// RUN: FileCheck %s < %t.planned.mlir
// RUN: ringi-opt %t.planned.mlir --cse --canonicalize --cse --ringi-verify-plan -o %t.after.mlir
// RUN: FileCheck %s < %t.after.mlir

// Without that the plan is one of ops that CSE takes away.
// RUN: ringi-opt %s --ringi-checkpoint="strategy=none simplify=false function=step" -o %t.asis.mlir
// RUN: FileCheck %s --check-prefix=ASIS < %t.asis.mlir
// RUN: not ringi-opt %t.asis.mlir --cse --ringi-verify-plan -o /dev/null 2>&1 | FileCheck %s --check-prefix=STALE

// CHECK-LABEL: func.func @step
// CHECK-COUNT-3: math.exp
// CHECK-NOT: math.exp
// CHECK: return
// ASIS-LABEL: func.func @step
// ASIS-COUNT-4: math.exp
// STALE: error: 'step' claims {{.*}}; plan again after the last rewrite
func.func @step(%x: tensor<1024xf32>) -> (tensor<1024xf32>, f32) {
  %zero = arith.constant dense<0.0> : tensor<f32>
  %init = tensor.extract %zero[] : tensor<f32>
  %0 = math.exp %x : tensor<1024xf32>
  %1 = math.exp %0 : tensor<1024xf32>
  %2 = arith.mulf %1, %0 : tensor<1024xf32>
  %empty = tensor.empty() : tensor<f32>
  %fill = linalg.fill ins(%init : f32) outs(%empty : tensor<f32>) -> tensor<f32>
  %sum = linalg.reduce { arith.addf } ins(%2 : tensor<1024xf32>) outs(%fill : tensor<f32>) dimensions = [0]
  %loss = tensor.extract %sum[] : tensor<f32>
  %d0 = math.exp %2 : tensor<1024xf32>
  %3 = arith.mulf %2, %d0 : tensor<1024xf32>
  %4 = arith.addf %3, %1 : tensor<1024xf32>
  %d1 = math.exp %2 : tensor<1024xf32>
  %5 = arith.mulf %4, %d1 : tensor<1024xf32>
  return %5, %loss : tensor<1024xf32>, f32
}

// Marks outlive it: canonicalization would drop them with the ops that it replaces, so equal ops are merged and nothing is folded.
// RUN: ringi-opt %s --ringi-checkpoint="strategy=none function=marked" | FileCheck %s --check-prefix=MARKED
// MARKED-LABEL: func.func @marked
// MARKED: arith.addf %{{.*}}, %{{.*}} {{{.*}}ringi.phase = "forward"
// MARKED-NOT: arith.addf
// MARKED: arith.mulf
func.func @marked(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %zero = arith.constant dense<-0.0> : tensor<16xf32>
  %0 = arith.addf %x, %zero {ringi.phase = "forward"} : tensor<16xf32>
  %1 = arith.addf %x, %zero {ringi.phase = "forward"} : tensor<16xf32>
  %2 = arith.mulf %0, %1 {ringi.phase = "backward"} : tensor<16xf32>
  return %0, %2 : tensor<16xf32>, tensor<16xf32>
}

// A loop is hoisted from before it is planned; and as a clone it counts as many iterations as where its bounds are constants.
// RUN: ringi-opt %s --ringi-checkpoint="strategy=recompute-all function=loop" -o %t.loop.mlir
// RUN: ringi-opt %t.loop.mlir --loop-invariant-code-motion --cse --ringi-verify-plan | FileCheck %s --check-prefix=LOOP
// LOOP-LABEL: func.func @loop
// LOOP: scf.for
// LOOP: ringi.recompute
// LOOP: scf.for
func.func @loop(%x: tensor<1024xf32>, %w: tensor<1024xf32>) -> (tensor<f32>, tensor<1024xf32>) {
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %c1 = arith.constant 1 : index
  %0 = math.exp %x : tensor<1024xf32>
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%q = %0) -> (tensor<1024xf32>) {
    %s = math.sin %w : tensor<1024xf32>
    %t = arith.mulf %q, %s : tensor<1024xf32>
    scf.yield %t : tensor<1024xf32>
  }
  %3 = math.sin %1 : tensor<1024xf32>
  %4 = math.cos %3 : tensor<1024xf32>
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %l = linalg.reduce { arith.addf } ins(%4 : tensor<1024xf32>) outs(%f : tensor<f32>) dimensions = [0]
  %5 = arith.mulf %4, %3 : tensor<1024xf32>
  %6 = arith.mulf %5, %1 : tensor<1024xf32>
  %7 = arith.mulf %6, %0 : tensor<1024xf32>
  return %l, %7 : tensor<f32>, tensor<1024xf32>
}

// What looked like a backward part is folded away: nothing is left to plan, and the other functions still are.
// FOLDED-LABEL: func.func @folded
// FOLDED-NOT: ringi.plan
// FOLDED: return %arg1, %arg0
// RUN: ringi-opt %s --ringi-checkpoint="strategy=none" | FileCheck %s --check-prefix=FOLDED
func.func @folded(%x: tensor<4xf32>, %y: tensor<f32>) -> (tensor<f32>, tensor<4xf32>) {
  %one = arith.constant dense<1.0> : tensor<4xf32>
  %scalar = arith.constant dense<1.0> : tensor<f32>
  %0 = arith.mulf %y, %scalar : tensor<f32>
  %1 = arith.mulf %x, %one : tensor<4xf32>
  return %0, %1 : tensor<f32>, tensor<4xf32>
}
