// What has effects or draws from a hidden state runs once (case 27): even
// recompute-all keeps its results. Collectives run again only when a table or
// the op says so.
// RUN: split-file %s %t
// RUN: ringi-opt %t/step.mlir --allow-unregistered-dialect \
// RUN:   --ringi-checkpoint="strategy=recompute-all op-table=stablehlo" --ringi-print-plan -o %t/out.mlir | FileCheck %s
// RUN: FileCheck %s --check-prefix=APPLIED < %t/out.mlir
// RUN: ringi-opt %t/step.mlir --allow-unregistered-dialect \
// RUN:   --ringi-checkpoint="strategy=recompute-all op-table=%t/opted.json" | FileCheck %s --check-prefix=OPTED

// CHECK-DAG: keep {{.*}}by stablehlo.all_reduce
// CHECK-DAG: keep {{.*}}by stablehlo.rng
// CHECK-DAG: keep {{.*}}by stablehlo.custom_call
// CHECK-DAG: recompute {{.*}}by stablehlo.sine
// CHECK: unknown custom_call.{{[0-9]+}} (stablehlo.custom_call) holds 256 bytes: kept, never recomputed

// APPLIED: ringi.recompute
// APPLIED-NOT: "stablehlo.all_reduce"
// APPLIED-NOT: "stablehlo.rng"
// APPLIED-NOT: "stablehlo.custom_call"
// APPLIED: ringi.yield

// OPTED: ringi.recompute
// OPTED: "stablehlo.all_reduce"{{.*}}
// OPTED: ringi.yield

//--- opted.json
{"extends": "stablehlo",
 "ops": [{"op": "all_reduce", "class": "collective", "pure": true, "recomputable": true, "flops": "elements(results)"}]}

//--- step.mlir
func.func @step(%x: tensor<64xf32>, %lo: tensor<f32>, %shape: tensor<1xi64>) -> (tensor<f32>, tensor<64xf32>) {
  %a = "stablehlo.sine"(%x) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %b = "stablehlo.all_reduce"(%a) <{replica_groups = dense<0> : tensor<1x1xi64>}> ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %c = "stablehlo.rng"(%lo, %lo, %shape) {ringi.phase = "forward"} : (tensor<f32>, tensor<f32>, tensor<1xi64>) -> tensor<64xf32>
  %d = "stablehlo.multiply"(%b, %c) {ringi.phase = "forward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %e = "stablehlo.custom_call"(%d) {call_target_name = "callback", ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %f = "stablehlo.sine"(%e) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %loss = "stablehlo.reduce"(%f, %lo) ({
  ^bb0(%l: tensor<f32>, %r: tensor<f32>):
    %s = "stablehlo.add"(%l, %r) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    "stablehlo.return"(%s) : (tensor<f32>) -> ()
  }) {dimensions = array<i64: 0>, ringi.phase = "forward"} : (tensor<64xf32>, tensor<f32>) -> tensor<f32>
  %g = "stablehlo.cosine"(%f) {ringi.phase = "backward"} : (tensor<64xf32>) -> tensor<64xf32>
  %h = "stablehlo.multiply"(%g, %e) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %i = "stablehlo.multiply"(%h, %c) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %j = "stablehlo.multiply"(%i, %b) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  %k = "stablehlo.multiply"(%j, %a) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %loss, %k : tensor<f32>, tensor<64xf32>
}
