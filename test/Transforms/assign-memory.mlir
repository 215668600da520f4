// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-assign-memory --ringi-verify-plan | FileCheck %s

// Buffers a(4), b(2), c(4) slots; a and c die and d(6) is needed: 10 slots of
// one byte suffice, with b at an end. The argument of no bytes is not in the way.
// CHECK-LABEL: func.func @tetris
// CHECK-SAME: ringi.memory = {alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 10 : i64, peak_op = "c.2", planned_peak = 10 : i64}
func.func @tetris() -> tensor<2xi8> attributes {ringi.plan = {strategy = "none", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 10 : i64, keep_all_peak = 10 : i64, recomputes = 0 : i64}} {
  %a = "t.a"() : () -> tensor<4xi8>
  %b = "t.b"() : () -> tensor<2xi8>
  %c = "t.c"() : () -> tensor<4xi8>
  "t.use"(%a, %c) : (tensor<4xi8>, tensor<4xi8>) -> ()
  %d = "t.d"() : () -> tensor<6xi8>
  "t.use"(%d) : (tensor<6xi8>) -> ()
  return %b : tensor<2xi8>
}

// -----

// 64 floats are one slot of 256 bytes. The arguments lie at the bottom; the
// update writes inside its parameter's slot; relu writes over what dies.
//   slot   0   1   2   3   4
//          x   w   lr  a=b=g
// CHECK-LABEL: func.func @step
// CHECK-SAME: %{{.*}}: tensor<64xf32> {ringi.offset = 0 : i64}
// CHECK-SAME: %{{.*}}: tensor<64xf32> {ringi.offset = 256 : i64}
// CHECK-SAME: %{{.*}}: tensor<f32> {ringi.offset = 512 : i64}
// CHECK-SAME: live_peak = 1024 : i64, peak_op = "mul.0", planned_peak = 1024 : i64
// CHECK: ringi.mul {{.*}}ringi.offsets = array<i64: 768>
// CHECK: ringi.relu {{.*}}ringi.offsets = array<i64: 768>
// CHECK: ringi.scale {{.*}}ringi.offsets = array<i64: 768>
// CHECK: ringi.sgd {{.*}}ringi.offsets = array<i64: 256>
func.func @step(%x: tensor<64xf32>, %w: tensor<64xf32>, %lr: tensor<f32>) -> tensor<64xf32> attributes {ringi.plan = {strategy = "none", alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 1024 : i64, keep_all_peak = 1024 : i64, recomputes = 0 : i64}} {
  %a = ringi.mul %x, %w {ringi.phase = "forward"} : tensor<64xf32>, tensor<64xf32>
  %b = ringi.relu %a {ringi.phase = "forward"} : tensor<64xf32>
  %g = ringi.scale %b {factor = 2.0, ringi.phase = "backward"} : tensor<64xf32>
  %n = ringi.sgd %w, %g, %lr {ringi.phase = "optimizer"} : (tensor<64xf32>, tensor<64xf32>, tensor<f32>) -> tensor<64xf32>
  return %n : tensor<64xf32>
}

// -----

// A GEMM gets its scratch while it runs, and only then.
// CHECK-LABEL: func.func @workspace
// CHECK-SAME: gemm_workspace = 1000 : i64, live_peak = 1792 : i64, peak_op = "matmul.0", planned_peak = 1792 : i64
// CHECK: ringi.matmul {{.*}}ringi.offsets = array<i64: {{512|1536}}>{{.*}}ringi.workspace_offset = {{512|768}} : i64
func.func @workspace(%a: tensor<8x8xf32>, %b: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {ringi.plan = {strategy = "none", alignment = 256 : i64, gemm_workspace = 1000 : i64, live_peak = 1792 : i64, keep_all_peak = 1792 : i64, recomputes = 0 : i64}} {
  %c = ringi.matmul %a, %b : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %d = ringi.add %c, %a : tensor<8x8xf32>, tensor<8x8xf32>
  %e = ringi.relu %d : tensor<8x8xf32>
  return %e : tensor<8x8xf32>
}

// -----

// Without a plan only the function that is named is assigned.
// CHECK-LABEL: func.func @unplanned
// CHECK-NOT: ringi
func.func @unplanned(%a: tensor<4xf32>) -> tensor<4xf32> {
  return %a : tensor<4xf32>
}
