// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics \
// RUN:   --ringi-plan-checkpoints="strategy=memory-budget budget=3 alignment=1"
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="strategy=fast" 2>&1 | FileCheck %s --check-prefix=STRATEGY
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="strategy=selective keep=all" 2>&1 | FileCheck %s --check-prefix=KEEP
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="order=random" 2>&1 | FileCheck %s --check-prefix=ORDER
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="cost=money" 2>&1 | FileCheck %s --check-prefix=COST
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="segments=-1" 2>&1 | FileCheck %s --check-prefix=SEGMENTS
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="effort=nan" 2>&1 | FileCheck %s --check-prefix=NAN
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="gemm-workspace=9223372036854775807" 2>&1 | FileCheck %s --check-prefix=WORKSPACE
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="strategy=memory-budget" 2>&1 | FileCheck %s --check-prefix=NOBUDGET
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="device=abacus" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="strategy=sqrt budget=3GiB" 2>&1 | FileCheck %s --check-prefix=OWNER
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="segments=3" 2>&1 | FileCheck %s --check-prefix=OWNER
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="keep=weight-gemm" 2>&1 | FileCheck %s --check-prefix=OWNER
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-plan-checkpoints="order=free" 2>&1 | FileCheck %s --check-prefix=OWNER

// OWNER: error: {{budget=3GiB is for strategy memory-budget, but the strategy is sqrt|segments=3 is for strategy sqrt, but the strategy is none|keep=weight-gemm is for strategy selective, but the strategy is none|order=free is for strategy memory-budget, but the strategy is none}}; remove one of the two
// STRATEGY: error: {{.*}}fast
// KEEP: error: keep=all is not known; use gemm or weight-gemm
// ORDER: error: order=random is not known; use fixed or free
// COST: error: cost=money is not known; use flops or time
// SEGMENTS: error: segments=-1 and effort=1 must not be negative
// NAN: error: segments=0 and effort=nan must not be negative, and effort at most 1e6
// WORKSPACE: error: alignment 256 and gemm-workspace 9223372036854775807 must be at least 1 and 0, and at most 1099511627776; correct the options
// NOBUDGET: error: strategy memory-budget needs a budget; give budget=<bytes>, a percentage or auto
// DEVICE: error: {{.*}}abacus

// The least feasible budget of every chain is 4.
// expected-error @+1 {{4}}
func.func @infeasible(%x0: tensor<1xi8>) -> tensor<1xi8> {
  %x1 = "t.f"(%x0) {ringi.phase = "forward", ringi.recomputable = true, ringi.cost = 1.0} : (tensor<1xi8>) -> tensor<1xi8>
  %x2 = "t.f"(%x1) {ringi.phase = "forward", ringi.recomputable = true, ringi.cost = 1.0} : (tensor<1xi8>) -> tensor<1xi8>
  %g2 = "t.dloss"(%x2) {ringi.phase = "backward"} : (tensor<1xi8>) -> tensor<1xi8>
  %g1 = "t.b"(%x1, %g2) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  %g0 = "t.b"(%x0, %g1) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  return %g0 : tensor<1xi8>
}

// -----

// expected-error @+1 {{no operation in 'unknown' implements RecomputeOpInterface; are the external models registered, or does an op table know them?}}
func.func @unknown(%x: tensor<1xi8>) -> tensor<1xi8> {
  %a = "t.f"(%x) {ringi.phase = "forward"} : (tensor<1xi8>) -> tensor<1xi8>
  %b = "t.b"(%a) {ringi.phase = "backward"} : (tensor<1xi8>) -> tensor<1xi8>
  return %b : tensor<1xi8>
}

// -----

// expected-error @+1 {{'planned' already holds ringi.recompute regions; plan the step as it was before --ringi-apply-plan}}
func.func @planned(%x: tensor<1xi8>) -> tensor<1xi8> {
  %a = "t.f"(%x) {ringi.phase = "forward", ringi.id = 0 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %b = "t.b"(%a) {ringi.phase = "backward"} : (tensor<1xi8>) -> tensor<1xi8>
  %r = ringi.recompute(%in = %x) : (tensor<1xi8>) -> tensor<1xi8> {
    %c = "t.f"(%in) {ringi.origin = 0 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %c : tensor<1xi8>
  }
  return %r : tensor<1xi8>
}
