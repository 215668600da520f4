// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics \
// RUN:   --ringi-export-program="file=%t.rgp"
// RUN: echo 'func.func @f() { return }' | not ringi-opt --ringi-export-program 2>&1 | FileCheck %s --check-prefix=FILE
// RUN: echo 'func.func @f() { return }' | not ringi-opt --ringi-export-program="file=%t.rgp" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: echo 'func.func @f(%%x: tensor<4xf32> {ringi.role = "input"}) -> tensor<4xf32> { %%0 = ringi.relu %%x : tensor<4xf32> return %%0 : tensor<4xf32> }' \
// RUN:   | not ringi-opt --ringi-assign-memory="function=f" --ringi-export-program="file=/nowhere/x.rgp" 2>&1 | FileCheck %s --check-prefix=WRITE

// FILE: error: ringi-export-program needs the file to write; give file=x.rgp
// RUN: echo 'func.func @f(%%x: tensor<4xf32> {ringi.role = "input"}) { return }' | not ringi-opt --ringi-export-program="file=%t.rgp" 2>&1 | FileCheck %s --check-prefix=UNASSIGNED
// NONE: error: 0 functions have assigned memory and no argument of any has a ringi.role, so that there is no step to export; mark parameters and inputs and run --ringi-train
// UNASSIGNED: error: 0 functions have assigned memory but a program holds 1; run --ringi-assign-memory first
// WRITE: error: {{.*}}/nowhere/x.rgp

// RUN: echo 'func.func @f(%%x: tensor<4xf32>) attributes {ringi.memory = {}} { return } func.func @g() attributes {ringi.memory = {}} { return }' \
// RUN:   | not ringi-opt --ringi-export-program="file=%t.rgp" 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: error: 2 functions have assigned memory but a program holds 1; name one with function=

// expected-error @+1 {{'alignment' has memory of alignment 4294967552, but a program takes a power of two from 8 to 1048576; plan and assign with alignment=256}}
func.func @alignment(%x: tensor<4xf32> {ringi.role = "input"}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 4294967552 : i64, gemm_workspace = 0 : i64, live_peak = 4294967552 : i64, planned_peak = 4294967552 : i64}} {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'unfinished' has no assigned memory; run --ringi-assign-memory first}}
func.func @unfinished(%x: tensor<4xf32> {ringi.role = "input"}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64}} {
  return %x : tensor<4xf32>
}

// -----

func.func @scalar_constant(%x: tensor<4xf32> {ringi.role = "input", ringi.offset = 0 : i64}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 512 : i64, planned_peak = 512 : i64}} {
  // expected-error @+1 {{is a constant that a step program cannot hold; use a dense tensor}}
  %c = arith.constant {ringi.bytes = 4 : i64, ringi.offsets = array<i64: 512>} 1.0 : f32
  %a = ringi.relu %x {ringi.offsets = array<i64: 256>} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{argument 0 has no 'ringi.role'; a program must know what each input is}}
func.func @no_role(%x: tensor<4xf32> {ringi.offset = 0 : i64}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 256 : i64, planned_peak = 256 : i64}} {
  return %x : tensor<4xf32>
}

// -----

func.func @foreign_op(%x: tensor<4xf32> {ringi.role = "input", ringi.offset = 0 : i64}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 512 : i64, planned_peak = 512 : i64}} {
  // expected-error @+1 {{'t.f' has no kernel in a step program; only operations of the ringi dialect can be exported}}
  %a = "t.f"(%x) {ringi.offsets = array<i64: 256>} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @foreign_type(%x: tensor<4xi1> {ringi.role = "input", ringi.offset = 0 : i64}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 512 : i64, planned_peak = 512 : i64}} {
  // expected-error @-1 {{reads or makes a value of type 'tensor<4xi1>', which a step program does not have; it holds tensors of f64, f32, bf16, f16, i64, i32 and i8 of rank up to 8 and of known, nonzero sizes}}
  %a = "t.f"(%x) {ringi.offsets = array<i64: 256>} : (tensor<4xi1>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @foreign_attribute(%x: tensor<4xf32> {ringi.role = "input", ringi.offset = 0 : i64}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 512 : i64, planned_peak = 512 : i64}} {
  // expected-error @+1 {{has the attribute 'rounding', which a step program does not have}}
  %a = ringi.relu %x {rounding = "up", ringi.offsets = array<i64: 256>} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @no_offset(%x: tensor<4xf32> {ringi.role = "input", ringi.offset = 0 : i64}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 512 : i64, planned_peak = 512 : i64}} {
  // expected-error @+1 {{has a result, a workspace or an argument without an offset; run --ringi-assign-memory again after the last rewrite}}
  %a = ringi.relu %x : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{the program of 'other_peak' has peaks 512 and 512 but 512 and 768 were assigned; run --ringi-assign-memory again}}
func.func @other_peak(%x: tensor<4xf32> {ringi.role = "input", ringi.offset = 0 : i64}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 512 : i64, planned_peak = 768 : i64}} {
  %a = ringi.relu %x {ringi.offsets = array<i64: 256>} : tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

// expected-error @+1 {{'empty' has no operation to execute}}
func.func @empty(%x: tensor<4xf32> {ringi.role = "input", ringi.offset = 0 : i64}) -> tensor<4xf32> attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 256 : i64, planned_peak = 256 : i64}} {
  return %x : tensor<4xf32>
}

// -----

// Two slots that are alive together share bytes: the loader refuses it.
// expected-error @+1 {{the program is refused by its own loader: }}
func.func @overlap(%x: tensor<4xf32> {ringi.role = "input", ringi.offset = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>) attributes {ringi.memory = {alignment = 256 : i64, gemm_workspace = 0 : i64, live_peak = 768 : i64, planned_peak = 512 : i64}} {
  %a = ringi.relu %x {ringi.offsets = array<i64: 256>} : tensor<4xf32>
  %b = ringi.exp %x {ringi.offsets = array<i64: 256>} : tensor<4xf32>
  return %a, %b : tensor<4xf32>, tensor<4xf32>
}
