// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --ringi-verify-plan

// One claim is wrong in each function.
// expected-error @+1 {{'live_peak' claims a live peak in bytes of 3 but its operations give 2; plan again after the last rewrite}}
func.func @live_peak(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 3 : i64}} {
  %a = "t.f"(%x) : (tensor<1xi8>) -> tensor<1xi8>
  return %a : tensor<1xi8>
}

// -----

// expected-error @+1 {{'recomputes' claims a number of recomputes of 1 but its operations give 0; plan again}}
func.func @recomputes(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 2 : i64, recomputes = 1 : i64}} {
  %a = "t.f"(%x) : (tensor<1xi8>) -> tensor<1xi8>
  return %a : tensor<1xi8>
}

// -----

// expected-error @+1 {{'flops' claims FLOPs of 5}}
func.func @flops(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 2 : i64, recomputes = 0 : i64, recompute_flops = 0.0, step_flops = 5.0}} {
  %a = "t.f"(%x) {ringi.cost = 4.0} : (tensor<1xi8>) -> tensor<1xi8>
  return %a : tensor<1xi8>
}

// -----

// expected-error @+1 {{'recompute_flops' claims recompute FLOPs of 5}}
func.func @recompute_flops(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 2 : i64, recomputes = 0 : i64, recompute_flops = 5.0, step_flops = 4.0}} {
  %a = "t.f"(%x) {ringi.cost = 4 : i64} : (tensor<1xi8>) -> tensor<1xi8>
  return %a : tensor<1xi8>
}

// -----

// expected-error @+1 {{'over_budget' needs 2 bytes but its budget is 1}}
func.func @over_budget(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none", budget = 1 : i64, alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 2 : i64}} {
  %a = "t.f"(%x) : (tensor<1xi8>) -> tensor<1xi8>
  return %a : tensor<1xi8>
}

// -----

// expected-error @+1 {{the claims of 'incomplete' lack alignment, gemm_workspace or live_peak; plan again}}
func.func @incomplete(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  return %x : tensor<1xi8>
}

// -----

// expected-error @+1 {{'pending' has a plan that is not carried out; run --ringi-apply-plan first}}
func.func @pending(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %b = "t.f"(%a) {ringi.replay = array<i64: 0>} : (tensor<1xi8>) -> tensor<1xi8>
  return %b : tensor<1xi8>
}

// -----

// A clone reads the result of something else than its origin did.
func.func @other_data(%x: tensor<1xi8>, %y: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  // expected-note @+1 {{the origin is here}}
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %r = ringi.recompute(%in = %y) : (tensor<1xi8>) -> tensor<1xi8> {
    // expected-error @+1 {{differs from the operation it repeats in the data of operand 0}}
    %c = "t.f"(%in) {ringi.origin = 0 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %c : tensor<1xi8>
  }
  return %r : tensor<1xi8>
}

// -----

func.func @other_attributes(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  // expected-note @+1 {{the origin is here}}
  %a = "t.f"(%x) {ringi.id = 0 : i64, k = 1 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %r = ringi.recompute(%in = %x) : (tensor<1xi8>) -> tensor<1xi8> {
    // expected-error @+1 {{differs from the operation it repeats in its attributes}}
    %c = "t.f"(%in) {ringi.origin = 0 : i64, k = 2 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %c : tensor<1xi8>
  }
  return %r : tensor<1xi8>
}

// -----

func.func @other_kind(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  // expected-note @+1 {{the origin is here}}
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %r = ringi.recompute(%in = %x) : (tensor<1xi8>) -> tensor<1xi8> {
    // expected-error @+1 {{differs from the operation it repeats in its kind}}
    %c = "t.g"(%in) {ringi.origin = 0 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %c : tensor<1xi8>
  }
  return %r : tensor<1xi8>
}

// -----

func.func @no_origin(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  %r = ringi.recompute(%in = %x) : (tensor<1xi8>) -> tensor<1xi8> {
    // expected-error @+1 {{runs in a ringi.recompute region, but no operation before it has the 'ringi.id' that its 'ringi.origin' names}}
    %c = "t.g"(%in) {ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %c : tensor<1xi8>
  }
  return %r : tensor<1xi8>
}

// -----

func.func @not_recomputable(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  %a = "t.print"(%x) {ringi.id = 0 : i64} : (tensor<1xi8>) -> tensor<1xi8>
  %r = ringi.recompute(%in = %x) : (tensor<1xi8>) -> tensor<1xi8> {
    // expected-error @+1 {{may not be executed again}}
    %c = "t.print"(%in) {ringi.origin = 0 : i64} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %c : tensor<1xi8>
  }
  return %r : tensor<1xi8>
}

// -----

func.func @must_keep(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  // expected-error @+1 {{is marked 'ringi.must_keep' but runs again}}
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.must_keep, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  %r = ringi.recompute(%in = %x) : (tensor<1xi8>) -> tensor<1xi8> {
    %c = "t.f"(%in) {ringi.origin = 0 : i64, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
    ringi.yield %c : tensor<1xi8>
  }
  return %r : tensor<1xi8>
}

// -----

func.func @must_recompute(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  // expected-error @+1 {{is marked 'ringi.must_recompute' but result 0 is kept}}
  %a = "t.f"(%x) {ringi.phase = "forward", ringi.must_recompute, ringi.recomputable = true} : (tensor<1xi8>) -> tensor<1xi8>
  // expected-note @+1 {{it is read here}}
  %b = "t.b"(%a) {ringi.phase = "backward"} : (tensor<1xi8>) -> tensor<1xi8>
  return %b : tensor<1xi8>
}

// -----

// a and b are alive together in the same bytes.
func.func @overlap(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 16 : i64, planned_peak = 16 : i64}} {
  %a = "t.f"(%x) {ringi.offsets = array<i64: 4>} : (tensor<4xi8>) -> tensor<4xi8>
  // expected-note @+1 {{they were written over here}}
  %b = "t.f"(%x) {ringi.offsets = array<i64: 4>} : (tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{reads result 0 of 't.f' at [4, 8), but those bytes hold result 0 of 't.f' at [4, 8)}}
  %c = "t.g"(%a, %b) {ringi.offsets = array<i64: 12>} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %c : tensor<4xi8>
}

// -----

// An op that does not run in place writes over what it reads.
func.func @over_operand(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 12 : i64, planned_peak = 12 : i64}} {
  %a = "t.f"(%x) {ringi.offsets = array<i64: 4>} : (tensor<4xi8>) -> tensor<4xi8>
  // expected-error @+1 {{writes over [4, 8), where result 0 of 't.f' at [4, 8) is still being read}}
  %b = "t.g"(%a) {ringi.offsets = array<i64: 4>} : (tensor<4xi8>) -> tensor<4xi8>
  return %b : tensor<4xi8>
}

// -----

func.func @two_results(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 12 : i64, planned_peak = 12 : i64}} {
  // expected-error @+1 {{a result at [4, 8) overlaps another of its results or its workspace}}
  %a:2 = "t.f"(%x) {ringi.offsets = array<i64: 4, 4>} : (tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>)
  return %a#0 : tensor<4xi8>
}

// -----

func.func @unaligned(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 8 : i64, planned_peak = 8 : i64}} {
  // expected-error @+1 {{has a slot of 4 bytes at 2 that is not aligned to 4 or not inside the planned peak of 8 bytes}}
  %a = "t.f"(%x) {ringi.offsets = array<i64: 2>} : (tensor<4xi8>) -> tensor<4xi8>
  return %a : tensor<4xi8>
}

// -----

// Offset and size together would wrap to the begin of the arena.
func.func @wrapped(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 8 : i64, planned_peak = 4 : i64}} {
  // expected-error @+1 {{has a slot of 4 bytes at 9223372036854775804 that is not aligned to 4 or not inside the planned peak of 4 bytes}}
  %a = "t.f"(%x) {ringi.offsets = array<i64: 9223372036854775804>} : (tensor<4xi8>) -> tensor<4xi8>
  return %a : tensor<4xi8>
}

// -----

func.func @no_offset(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 8 : i64, planned_peak = 8 : i64}} {
  // expected-error @+1 {{has no offset in the arena; run --ringi-assign-memory again after the last rewrite}}
  %a = "t.f"(%x) : (tensor<4xi8>) -> tensor<4xi8>
  return %a : tensor<4xi8>
}

// -----

// expected-error @+1 {{the arena of 'high_water' reaches 8 bytes but the planned peak is 12; run --ringi-assign-memory again}}
func.func @high_water(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 8 : i64, planned_peak = 12 : i64}} {
  %a = "t.f"(%x) {ringi.offsets = array<i64: 4>} : (tensor<4xi8>) -> tensor<4xi8>
  return %a : tensor<4xi8>
}

// -----

// An argument that nothing updates is lost for the next step.
// expected-error @+1 {{argument 0 at [0, 4) must survive to the end of the step, but result 0 of 't.g' at [0, 4) was written over it}}
func.func @lost_argument(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 12 : i64, planned_peak = 8 : i64}} {
  %a = "t.f"(%x) {ringi.offsets = array<i64: 4>} : (tensor<4xi8>) -> tensor<4xi8>
  %b = "t.g"(%a) {ringi.offsets = array<i64: 0>} : (tensor<4xi8>) -> tensor<4xi8>
  return %b : tensor<4xi8>
}

// -----

// expected-error @+1 {{has argument 0 at [0, 4) and argument 1 at [0, 4) in the same bytes}}
func.func @same_arguments(%x: tensor<4xi8> {ringi.offset = 0 : i64}, %y: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 8 : i64, planned_peak = 4 : i64}} {
  return %x : tensor<4xi8>
}

// -----

// A GEMM that is granted scratch has none, or has it in what it reads.
func.func @no_workspace(%x: tensor<2x2xf32> {ringi.offset = 0 : i64}) -> tensor<2x2xf32> attributes {ringi.memory = {alignment = 16 : i64, gemm_workspace = 16 : i64, live_peak = 48 : i64, planned_peak = 48 : i64}} {
  // expected-error @+1 {{needs a workspace of 16 bytes and has none; run --ringi-assign-memory again}}
  %a = ringi.matmul %x, %x {ringi.offsets = array<i64: 16>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %a : tensor<2x2xf32>
}

// -----

func.func @workspace_over_operand(%x: tensor<2x2xf32> {ringi.offset = 0 : i64}) -> tensor<2x2xf32> attributes {ringi.memory = {alignment = 16 : i64, gemm_workspace = 16 : i64, live_peak = 48 : i64, planned_peak = 32 : i64}} {
  // expected-error @+1 {{uses as workspace [0, 16), where argument 0 at [0, 16) is still being read}}
  %a = ringi.matmul %x, %x {ringi.offsets = array<i64: 16>, ringi.workspace_offset = 0 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %a : tensor<2x2xf32>
}

// -----

// A value that nothing wrote: its bytes were scratch.
func.func @scratch_is_read(%x: tensor<2x2xf32> {ringi.offset = 0 : i64}) -> tensor<2x2xf32> attributes {ringi.memory = {alignment = 16 : i64, gemm_workspace = 16 : i64, live_peak = 64 : i64, planned_peak = 48 : i64}} {
  %a = "t.f"(%x) {ringi.offsets = array<i64: 16>} : (tensor<2x2xf32>) -> tensor<2x2xf32>
  %b = ringi.matmul %x, %x {ringi.offsets = array<i64: 32>, ringi.workspace_offset = 16 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  // expected-error @+1 {{reads result 0 of 't.f' at [16, 32), but those bytes hold nothing or scratch}}
  %c = "t.g"(%a, %b) {ringi.offsets = array<i64: 0>} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return %c : tensor<2x2xf32>
}

// -----

// expected-error @+1 {{the memory of 'no_planned_peak' lacks planned_peak; assign it again}}
func.func @no_planned_peak(%x: tensor<4xi8> {ringi.offset = 0 : i64}) -> tensor<4xi8> attributes {ringi.memory = {alignment = 4 : i64, gemm_workspace = 0 : i64, live_peak = 4 : i64}} {
  return %x : tensor<4xi8>
}

// -----

func.func @other_types(%x: tensor<2xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none"}} {
  // expected-note @+1 {{the origin is here}}
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.recomputable = true} : (tensor<2xi8>) -> tensor<2xi8>
  %r = ringi.recompute(%in = %x) : (tensor<2xi8>) -> tensor<1xi8> {
    // expected-error @+1 {{differs from the operation it repeats in its result types}}
    %c = "t.f"(%in) {ringi.origin = 0 : i64, ringi.recomputable = true} : (tensor<2xi8>) -> tensor<1xi8>
    ringi.yield %c : tensor<1xi8>
  }
  return %r : tensor<1xi8>
}

// -----

func.func @unknown_bytes(%x: tensor<2xi8>) -> tensor<?xi8> attributes {ringi.plan = {strategy = "none"}} {
  // expected-error @+1 {{the bytes of a value of type 'tensor<?xi8>' are not known}}
  %a = "t.f"(%x) : (tensor<2xi8>) -> tensor<?xi8>
  return %a : tensor<?xi8>
}

// -----

// Numbers whose sums would wrap.
func.func @too_many_bytes(%x: tensor<2xi8>) -> tensor<2xi8> attributes {ringi.plan = {strategy = "none"}} {
  // expected-error @+1 {{a value of 1152921504606846975 bytes beside 2 before it, but a step holds from 0 to 1152921504606846976; correct 'ringi.bytes'}}
  %a = "t.f"(%x) {ringi.bytes = 1152921504606846975 : i64} : (tensor<2xi8>) -> tensor<2xi8>
  return %a : tensor<2xi8>
}

// -----

// expected-error @+1 {{the claims of 'alignment' have alignment 9223372036854775807 and gemm_workspace 0, but these begin at 1 and 0 and end at 1099511627776; plan again}}
func.func @alignment(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none", alignment = 9223372036854775807 : i64, gemm_workspace = 0 : i64, live_peak = 1 : i64}} {
  return %x : tensor<1xi8>
}

// -----

// Not a number equals nothing.
// expected-error @+1 {{'no_number' claims FLOPs of nan but its operations give 4}}
func.func @no_number(%x: tensor<1xi8>) -> tensor<1xi8> attributes {ringi.plan = {strategy = "none", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 2 : i64, recomputes = 0 : i64, recompute_flops = 0.0, step_flops = 0x7FF8000000000000 : f64}} {
  %a = "t.f"(%x) {ringi.cost = 4.0} : (tensor<1xi8>) -> tensor<1xi8>
  return %a : tensor<1xi8>
}
