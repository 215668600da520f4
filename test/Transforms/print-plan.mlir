// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-plan -o /dev/null | FileCheck %s --check-prefix=TEXT
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-apply-plan --ringi-print-plan="format=json" -o /dev/null | FileCheck %s --check-prefix=JSON
// RUN: echo 'func.func @f() { return }' | not ringi-opt --ringi-print-plan 2>&1 | FileCheck %s --check-prefix=NOPLAN
// RUN: not ringi-opt %s --allow-unregistered-dialect --ringi-print-plan="format=xml" 2>&1 | FileCheck %s --check-prefix=FORMAT

// NOPLAN: error: no function has a plan; run --ringi-plan-checkpoints first
// FORMAT: error: format=xml is not known; use text or json

// TEXT: plan of 'step': strategy selective, budget 9 bytes, live peak 5 of 6 bytes, 1 recomputes, 25.00% extra FLOPs
// TEXT-SAME: recompute cost 25.000% with a proven bound of 20.000% (snapshot)
// TEXT-NEXT: recompute f.0 4 bytes by t.f, first read by b.3 ({{.*}}print-plan.mlir:[[#]]): cheap
// TEXT-NEXT: keep g.1 4 bytes by t.g, first read by d.2 ({{.*}}print-plan.mlir:[[#]])
// TEXT-NEXT: unknown d.2 (t.d) holds 4 bytes: kept, never recomputed
// TEXT-NEXT: unknown b.3 (t.b) holds 4 bytes: kept, never recomputed

// JSON: "plan": {
// JSON: "bound_percent": 20,
// JSON: "keep_all_peak_bytes": 6,
// JSON: "strategy": "selective"
// JSON: "unknown_ops": [
// JSON: "kind": "t.d",
// JSON: "values": [
// JSON: "bytes": 4,
// JSON-NEXT: "decision": "recompute",
// JSON-NEXT: "first_backward_use": "b.4",
// JSON: "producer": "t.f",
// JSON-NEXT: "reason": "cheap",
// JSON-NEXT: "value": "f.0"
func.func @step(%x: tensor<4xi8>) -> tensor<4xi8> attributes {ringi.plan = {strategy = "selective", budget = 9 : i64, alignment = 1 : i64, gemm_workspace = 0 : i64, live_peak = 5 : i64, keep_all_peak = 6 : i64, recomputes = 1 : i64, recompute_flops = 1.0, step_flops = 4.0, cost_percent = 25.0, bound_percent = 20.0, bound_class = "snapshot"}} {
  %f = "t.f"(%x) {ringi.id = 0 : i64, ringi.decision = ["recompute: cheap"], ringi.phase = "forward", ringi.recomputable = true, ringi.cost = 1.0} : (tensor<4xi8>) -> tensor<4xi8>
  %g = "t.g"(%f) {ringi.decision = ["keep"], ringi.phase = "forward", ringi.recomputable = true, ringi.cost = 3.0} : (tensor<4xi8>) -> tensor<4xi8>
  %d = "t.d"(%g) {ringi.phase = "backward"} : (tensor<4xi8>) -> tensor<4xi8>
  %b = "t.b"(%f, %d) {ringi.phase = "backward", ringi.replay = array<i64: 0>} : (tensor<4xi8>, tensor<4xi8>) -> tensor<4xi8>
  return %b : tensor<4xi8>
}
