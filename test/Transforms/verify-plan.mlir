// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-verify-plan | FileCheck %s

// A clone may read a clone of what its origin read.
// CHECK-LABEL: func.func @clone_of_clone
func.func @clone_of_clone(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 4 : i64, recomputes = 2 : i64, recompute_flops = 3.0, step_flops = 3.0}} {
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.cost = 1.0, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %b = "t.g"(%a) {ringi.id = 1 : i64, ringi.cost = 2.0, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %d = "t.d"(%b) {ringi.phase = "backward"} : (tensor<1xi8>) -> tensor<1xi8>
  %r = ringi.recompute(%in = %x) : (tensor<1xi8>) -> tensor<1xi8> {
    %c = "t.f"(%in) {ringi.origin = 0 : i64, ringi.cost = 1.0, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    %e = "t.g"(%c) {ringi.origin = 1 : i64, ringi.cost = 2.0, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %e : tensor<1xi8>
  }
  %h = "t.b"(%r, %d) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  return %h : tensor<1xi8>
}

// -----

// A slot serves two values that are not alive together, and a part of a storage
// is read where it lies.
// CHECK-LABEL: func.func @reused_slot
func.func @reused_slot(%x: tensor<8xi8> {ringi.offset = 0 : i64}) -> tensor<8xi8> attributes {ringi.memory = {alignment = 8 : i64, gemm_workspace = 0 : i64, live_peak = 24 : i64, planned_peak = 24 : i64}} {
  %a = "t.f"(%x) {ringi.offsets = array<i64: 8>} : (tensor<8xi8>) -> tensor<8xi8>
  %v = ringi.slice %a {axis = 0 : i64, start = 4 : i64} : tensor<8xi8> -> tensor<4xi8>
  %b = "t.g"(%v) {ringi.offsets = array<i64: 16>} : (tensor<4xi8>) -> tensor<8xi8>
  %c = "t.g"(%b) {ringi.offsets = array<i64: 8>} : (tensor<8xi8>) -> tensor<8xi8>
  return %c : tensor<8xi8>
}

// -----

// Ids are any integers, the first and the last one of i64 among them.
// CHECK-LABEL: func.func @ids
func.func @ids(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 4 : i64, recomputes = 2 : i64}} {
  %a = "t.f"(%x) {ringi.id = 9223372036854775807 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %b = "t.g"(%a) {ringi.id = -9223372036854775808 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %d = "t.d"(%b) {ringi.phase = "backward"} : (tensor<1xi8>) -> tensor<1xi8>
  %r = ringi.recompute(%in = %x) : (tensor<1xi8>) -> tensor<1xi8> {
    %c = "t.f"(%in) {ringi.origin = 9223372036854775807 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    %e = "t.g"(%c) {ringi.origin = -9223372036854775808 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %e : tensor<1xi8>
  }
  %h = "t.b"(%r, %d) {ringi.phase = "backward"} : (tensor<1xi8>, tensor<1xi8>) -> tensor<1xi8>
  return %h : tensor<1xi8>
}
