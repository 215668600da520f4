// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics \
// RUN:   --ringi-print-memory="file=/dev/null"
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-print-memory="format=xml" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=FORMAT
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-print-memory="function=absent" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ABSENT
// RUN: not ringi-opt %s --allow-unregistered-dialect --split-input-file --ringi-print-memory="alignment=-8" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ALIGNMENT
// RUN: echo 'func.func @f() { return }' | not ringi-opt --ringi-print-memory="file=/nowhere/x" 2>&1 \
// RUN:   | FileCheck %s --check-prefix=WRITE

// FORMAT: format=xml is not known; use text or json
// ABSENT: no function 'absent' with a body in the module; check the option 'function'
// ALIGNMENT: alignment -8 and gemm-workspace 0 must be at least 1 and 0, and at most 1099511627776; correct the options
// WRITE: cannot write '/nowhere/x'

// A dynamic shape without a bound.
func.func @dynamic(%x: tensor<4xf32>) -> tensor<?xf32> {
  // expected-error @+1 {{the bytes of result 0 of 't.f' of type 'tensor<?xf32>' are not known; give its largest size as 'ringi.bytes = <bytes>'}}
  %y = "t.f"(%x) : (tensor<4xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

// The bound makes it known.
func.func @bounded(%x: tensor<4xf32>) -> tensor<?xf32> {
  %y = "t.f"(%x) {ringi.bytes = 64 : i64} : (tensor<4xf32>) -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// -----

func.func @negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ringi.bytes' is -1 but sizes are from 0 to 1152921504606846976 bytes}}
  %y = "t.f"(%x) {ringi.bytes = -1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @huge(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ringi.bytes' is 9223372036854775807 but sizes are from 0 to 1152921504606846976 bytes}}
  %y = "t.f"(%x) {ringi.bytes = 9223372036854775807 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @wrong_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ringi.bytes' must be an integer or give one integer per result}}
  %y = "t.f"(%x) {ringi.bytes = "many"} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{function 'branches' has 2 blocks but a step to plan has 1; turn branches into scf operations}}
func.func @branches(%x: tensor<4xf32>) -> tensor<4xf32> {
  cf.br ^next
^next:
  return %x : tensor<4xf32>
}

// -----

func.func @mark(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ringi.must_keep' names result 3 but the op has 1 results}}
  %y = "t.f"(%x) {ringi.must_keep = array<i64: 3>} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @mark_kind(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'ringi.must_recompute' must be a unit attribute or an array<i64> of result numbers}}
  %y = "t.f"(%x) {ringi.must_recompute = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

func.func @contradiction(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'f.0' is marked both 'ringi.must_keep' and 'ringi.must_recompute'}}
  %y = "t.f"(%x) {ringi.must_keep, ringi.must_recompute} : (tensor<4xf32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// An update must own the whole storage that it writes over.
func.func @part(%x: tensor<8xf32>, %g: tensor<4xf32>, %lr: tensor<f32>) -> tensor<4xf32> {
  %w = ringi.slice %x {axis = 0 : i64, start = 4 : i64} : tensor<8xf32> -> tensor<4xf32>
  // expected-error @+1 {{writes result 0 of 16 bytes over operand 0, which is part of a storage of 32 bytes or read by another operand too; update the whole value}}
  %y = ringi.sgd %w, %g, %lr : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{result 0 names "nobody" as the argument it updates but the function has no such argument}}
func.func @updates(%x: tensor<4xf32>) -> (tensor<4xf32> {ringi.updates = "nobody"}) {
  return %x : tensor<4xf32>
}

// -----

// expected-error @+1 {{'ringi.plan' is not what --ringi-plan-checkpoints writes; plan again}}
func.func @plan(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "none"}} {
  return %x : tensor<4xf32>
}

// -----

func.func @buffer(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{result 0 of 'memref.alloc' of type 'memref<4xf32>' is a buffer, but plans are made of values; run this pass before bufferization}}
  %b = memref.alloc() : memref<4xf32>
  %y = bufferization.to_tensor %b : memref<4xf32> to tensor<4xf32>
  return %y : tensor<4xf32>
}

// -----

// expected-error @+1 {{the bytes of argument 0 of type 'vector<[4]xf32>' are not known; give its largest size as 'ringi.bytes = <bytes>'}}
func.func @scalable(%x: vector<[4]xf32>) -> vector<[4]xf32> {
  return %x : vector<[4]xf32>
}
