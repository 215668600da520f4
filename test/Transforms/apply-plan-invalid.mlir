// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics --ringi-apply-plan

// The plan names an op that does not exist.
func.func @unknown_id(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  // expected-error @+1 {{'ringi.replay' names id 7, which no operation has}}
  %a = "t.f"(%x) {ringi.replay = array<i64: 7>, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @not_an_array(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  // expected-error @+1 {{'ringi.replay' must be an array<i64> of ids}}
  %a = "t.f"(%x) {ringi.replay = 7 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}

// -----

func.func @twice_the_id(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  %a = "t.f"(%x) {ringi.id = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'ringi.id' is 0, which another operation has}}
  %b = "t.f"(%a) {ringi.id = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

func.func @before_its_origin(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  // expected-error @+1 {{'ringi.replay' names 'f.1', which has not run yet; replay it after its first run}}
  %a = "t.f"(%x) {ringi.replay = array<i64: 0>, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %b = "t.f"(%a) {ringi.id = 0 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// An op that says nothing about itself is never executed twice.
func.func @not_recomputable(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  %a = "t.f"(%x) {ringi.id = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'ringi.replay' names 'f.0', which may not be executed again}}
  %b = "t.f"(%a) {ringi.replay = array<i64: 0>} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

func.func @taken_position(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  %a = "t.f"(%x) {ringi.position = 0 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'ringi.position' is 0, which is taken or not below the 2 operations of the step}}
  %b = "t.f"(%a) {ringi.position = 0 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// expected-error @+1 {{1 of 2 operations have 'ringi.position'; give it to all or to none}}
func.func @half_positioned(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  %a = "t.f"(%x) {ringi.position = 0 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %b = "t.f"(%a) {ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

func.func @reads_too_early(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  %a = "t.f"(%x) {ringi.position = 1 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  // expected-error @+1 {{'ringi.position' runs it before 'f.0', whose result it reads}}
  %b = "t.g"(%a) {ringi.position = 0 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %b : tensor<4xf32>
}

// -----

// expected-error @+1 {{'twice' already holds ringi.recompute regions; a plan is applied once}}
func.func @twice(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  %a = "t.f"(%x) {ringi.id = 0 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  %r = ringi.recompute(%in = %x) : (tensor<4xf32>) -> tensor<4xf32> {
    %c = "t.f"(%in) {ringi.origin = 0 : i64, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
    ringi.yield %c : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Ids are any integers, the last one of i64 among them.
func.func @last_id(%x: tensor<4xf32>) -> tensor<4xf32> attributes {ringi.plan = {strategy = "manual", alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 0 : i64, keep_all_peak = 0 : i64, recomputes = 0 : i64}} {
  // expected-error @+1 {{'ringi.replay' names id 9223372036854775807, which no operation has}}
  %a = "t.f"(%x) {ringi.replay = array<i64: 9223372036854775807>, ringi.recomputable = true} : (tensor<4xf32>) -> tensor<4xf32>
  return %a : tensor<4xf32>
}
