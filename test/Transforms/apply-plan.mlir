// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-apply-plan | FileCheck %s

// One clone, right before its consumer; the origin keeps its id, the clone has
// no attribute of the plan but its origin. A forward op's block stays on it.
// CHECK-LABEL: func.func @one_clone
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[A:.*]] = "t.f"(%[[X]]) {ringi.block = "b0", ringi.decision = ["recompute: cheap"], ringi.id = 0 : i64, ringi.phase = "forward", ringi.recomputable = true}
// CHECK: %[[D:.*]] = "t.dloss"
// CHECK-NEXT: %[[R:.*]] = ringi.recompute(%[[IN:.*]] = %[[X]]) : (tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:   %[[C:.*]] = "t.f"(%[[IN]]) {ringi.block = "b0", ringi.origin = 0 : i64, ringi.recomputable = true}
// CHECK-NEXT:   ringi.yield %[[C]] : tensor<4xf32>
// CHECK-NEXT: } {ringi.phase = "backward"}
// CHECK-NEXT: "t.b"(%[[R]], %[[D]]) {ringi.phase = "backward"}
func.func @one_clone(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 1 : i64}} {
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.block = "b0", ringi.decision = ["recompute: cheap"], ringi.phase = "forward", ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %d = "t.dloss"(%a) {ringi.phase = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  %g = "t.b"(%a, %d) {ringi.phase = "backward", ringi.replay = array<i64: 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g : tensor<4xf32>
}

// -----

// Consecutive clones share a region; what stays inside is not yielded. A view of
// a clone is made again, inside the region and outside.
// CHECK-LABEL: func.func @shared_region
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>
// CHECK: %[[R:.*]] = ringi.recompute(%[[IN:.*]] = %[[X]]) : (tensor<4xf32>) -> tensor<2x2xf32> {
// CHECK-NEXT:   %[[A:.*]] = "t.f"(%[[IN]]) {ringi.origin = 0 : i64
// CHECK-NEXT:   %[[V:.*]] = ringi.reshape %[[A]] : tensor<4xf32> -> tensor<2x2xf32>
// CHECK-NEXT:   %[[B:.*]] = "t.f"(%[[V]]) {ringi.origin = 1 : i64
// CHECK-NEXT:   ringi.yield %[[B]] : tensor<2x2xf32>
// CHECK: %[[W:.*]] = ringi.reshape %[[R]] : tensor<2x2xf32> -> tensor<4xf32>
// CHECK-NEXT: %[[G:.*]] = "t.b"(%[[W]])
// CHECK-NEXT: "t.b"(%[[W]], %[[G]])
func.func @shared_region(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 2 : i64}} {
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.phase = "forward", ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %v = ringi.reshape %a : tensor<4xf32> -> tensor<2x2xf32>
  %b = "t.f"(%v) {ringi.id = 1 : i64, ringi.recomputable = true} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %w = ringi.reshape %b : tensor<2x2xf32> -> tensor<4xf32>
  %l = "t.loss"(%w) : (tensor<4xf32>) -> tensor<4xf32>
  %g = "t.b"(%w) {ringi.phase = "backward", ringi.replay = array<i64: 0, 1>} : (tensor<4xf32>) -> tensor<4xf32>
  %h = "t.b"(%w, %g) {ringi.phase = "backward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}

// -----

// f runs three times; equal ops in one replay are two regions, so that CSE
// cannot merge them. Each reader takes the latest.
// CHECK-LABEL: func.func @three_runs
// CHECK: "t.dloss"
// CHECK-NEXT: ringi.recompute
// CHECK: %[[A1:.*]] = "t.f"
// CHECK-NEXT: %[[B1:.*]] = "t.g"(%[[A1]])
// CHECK-NEXT: ringi.yield %[[B1]] :
// CHECK: %[[R2:.*]] = ringi.recompute
// CHECK-NEXT: "t.f"
// CHECK: "t.b"(%[[R2]]
func.func @three_runs(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 3 : i64}} {
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.phase = "forward", ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %b = "t.g"(%a) {ringi.id = 1 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %d = "t.dloss"(%b) {ringi.phase = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  %g = "t.b"(%a, %d) {ringi.phase = "backward", ringi.replay = array<i64: 0, 1, 0>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %h = "t.b"(%b, %g) {ringi.phase = "backward"} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %g, %h : tensor<4xf32>, tensor<4xf32>
}

// -----

// A forward value that a clone reads crosses through save and load; what no
// longer crosses is not saved any more.
// CHECK-LABEL: func.func @saves
// CHECK-SAME: %[[X:.*]]: tensor<4xf32>, %[[W:.*]]: tensor<4xf32>
// CHECK: %[[A:.*]] = ringi.mul %[[X]], %[[W]]
// CHECK-NEXT: %[[S:.*]] = ringi.save %[[A]]
// CHECK-NEXT: ringi.relu
// CHECK-NOT: ringi.save
// CHECK: %[[D:.*]] = "t.dloss"
// CHECK-NEXT: %[[L:.*]] = ringi.load %[[S]]
// CHECK-NEXT: %[[R:.*]] = ringi.recompute(%{{.*}} = %[[L]])
// CHECK: ringi.relu_backward %[[D]], %[[R]]
func.func @saves(%x: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 1 : i64}} {
  %a = ringi.mul %x, %w {ringi.phase = "forward"} : tensor<4xf32>, tensor<4xf32>
  %b = ringi.relu %a {ringi.id = 0 : i64, ringi.phase = "forward"} : tensor<4xf32>
  %s = ringi.save %b {ringi.phase = "forward"} : tensor<4xf32>
  %d = "t.dloss"(%b) {ringi.phase = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  %l = ringi.load %s {ringi.phase = "backward"} : !ringi.saved<tensor<4xf32>>
  %g = ringi.relu_backward %d, %l {ringi.phase = "backward", ringi.replay = array<i64: 0>} : tensor<4xf32>
  %dw = ringi.mul %g, %x {ringi.phase = "backward"} : tensor<4xf32>, tensor<4xf32>
  return %g, %dw : tensor<4xf32>, tensor<4xf32>
}

// -----

// Positions move the first executions; views go along with their reader.
// CHECK-LABEL: func.func @reordered
// CHECK-NEXT: "t.g"
// CHECK-NEXT: %[[F:.*]] = "t.f"
// CHECK-NEXT: %[[V:.*]] = ringi.reshape %[[F]]
// CHECK-NEXT: "t.h"(%[[V]]
// CHECK-NOT: ringi.position
func.func @reordered(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "memory-budget", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  %f = "t.f"(%x) {ringi.phase = "forward", ringi.position = 1 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %v = ringi.reshape %f : tensor<4xf32> -> tensor<2x2xf32>
  %g = "t.g"(%x) {ringi.phase = "forward", ringi.position = 0 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %h = "t.h"(%v, %g) {ringi.phase = "backward", ringi.position = 2 : i64} : (tensor<2x2xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %h : tensor<4xf32>
}

// -----

// A function without a plan is left as it is.
// CHECK-LABEL: func.func @no_plan
// CHECK-NEXT: "t.f"
// CHECK-NEXT: return
func.func @no_plan(%x: tensor<4xf32>) -> tensor<4xf32> {
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.replay = array<i64: 0>, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
