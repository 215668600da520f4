// What runs inside an op of a table: its bytes are reserved, its FLOPs count
// once per round, and one op inside that nobody knows keeps the whole.
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-memory="op-table=stablehlo alignment=1 function=loop" -o %t.mlir \
// RUN:   | FileCheck %s --check-prefix=LOOP
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-memory="op-table=stablehlo alignment=1 function=branch" -o %t.mlir \
// RUN:   | FileCheck %s --check-prefix=BRANCH
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-memory="op-table=hlo alignment=1 function=called" -o %t.mlir \
// RUN:   | FileCheck %s --check-prefix=CALLED
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-cost="op-table=stablehlo function=loop" -o %t.mlir \
// RUN:   | FileCheck %s --check-prefix=LOOPCOST
// RUN: ringi-opt %s --allow-unregistered-dialect --ringi-print-cost="op-table=hlo function=called" -o %t.mlir \
// RUN:   | FileCheck %s --check-prefix=CALLEDCOST
// RUN: ringi-opt %s --allow-unregistered-dialect \
// RUN:   --ringi-checkpoint="strategy=recompute-all op-table=stablehlo function=unknown_inside" --ringi-print-plan="function=unknown_inside" \
// RUN:   -o %t.mlir | FileCheck %s --check-prefix=UNKNOWN

// Arguments i (4) and x (400), the constant (4). The results are written over
// nothing, for arguments stay: 404 more. Inside, sine is written over the
// carried x and the product over a new value of 400.
// LOOP: memory of 'loop': live peak 1212 bytes
// LOOP: workspace 400
// LOOPCOST: while.0 {{.*}} 2.718e+03 FLOPs
func.func @loop(%i: tensor<i32>, %x: tensor<100xf32>) -> tensor<100xf32> {
  %one = "stablehlo.constant"() <{value = dense<1> : tensor<i32>}> : () -> tensor<i32>
  %r:2 = "stablehlo.while"(%i, %x) ({
  ^bb0(%n: tensor<i32>, %c: tensor<100xf32>):
    %bound = "stablehlo.constant"() <{value = dense<9> : tensor<i32>}> : () -> tensor<i32>
    %less = "stablehlo.compare"(%n, %bound) : (tensor<i32>, tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }, {
  ^bb0(%n: tensor<i32>, %c: tensor<100xf32>):
    %s = "stablehlo.sine"(%c) : (tensor<100xf32>) -> tensor<100xf32>
    %t = "stablehlo.cosine"(%s) : (tensor<100xf32>) -> tensor<100xf32>
    %p = "stablehlo.multiply"(%s, %t) : (tensor<100xf32>, tensor<100xf32>) -> tensor<100xf32>
    %next = "stablehlo.add"(%n, %one) : (tensor<i32>, tensor<i32>) -> tensor<i32>
    "stablehlo.return"(%next, %p) : (tensor<i32>, tensor<100xf32>) -> ()
  }) : (tensor<i32>, tensor<100xf32>) -> (tensor<i32>, tensor<100xf32>)
  return %r#1 : tensor<100xf32>
}

// The larger branch counts, never the sum: 300 and 100 inside, of which 100 are
// the result, beside p (1) and x (100).
// BRANCH: memory of 'branch': live peak 401 bytes
// BRANCH: workspace 200
func.func @branch(%p: tensor<i1>, %x: tensor<100xi8>) -> tensor<100xi8> {
  %r = "stablehlo.if"(%p) ({
    %a = "stablehlo.broadcast"(%p) : (tensor<i1>) -> tensor<100xi8>
    %b = "stablehlo.slice"(%x) : (tensor<100xi8>) -> tensor<100xi8>
    %c = "stablehlo.concatenate"(%a, %b) : (tensor<100xi8>, tensor<100xi8>) -> tensor<100xi8>
    "stablehlo.return"(%c) : (tensor<100xi8>) -> ()
  }, {
    %a = "stablehlo.slice"(%x) : (tensor<100xi8>) -> tensor<100xi8>
    "stablehlo.return"(%a) : (tensor<100xi8>) -> ()
  }) : (tensor<i1>) -> tensor<100xi8>
  return %r : tensor<100xi8>
}

// Bodies that are functions, one of which calls another: the called function
// may not write over its argument, so negate needs 400 more beside it.
// CALLED: memory of 'called': live peak 1608 bytes
// CALLED: workspace 800
// CALLEDCOST: while.0 {{.*}} 8.040e+02 FLOPs
func.func @called(%i: tensor<i32>, %x: tensor<100xf32>) -> tensor<100xf32> {
  %r:2 = "hlo.while"(%i, %x) {body = @body, condition = @condition} : (tensor<i32>, tensor<100xf32>) -> (tensor<i32>, tensor<100xf32>)
  return %r#1 : tensor<100xf32>
}
func.func private @condition(%n: tensor<i32>, %c: tensor<100xf32>) -> tensor<i1> {
  %bound = "hlo.constant"() {value = "4"} : () -> tensor<i32>
  %less = "hlo.compare"(%n, %bound) {comparison_direction = "LT"} : (tensor<i32>, tensor<i32>) -> tensor<i1>
  return %less : tensor<i1>
}
func.func private @body(%n: tensor<i32>, %c: tensor<100xf32>) -> (tensor<i32>, tensor<100xf32>) {
  %s = "hlo.sine"(%c) : (tensor<100xf32>) -> tensor<100xf32>
  %t = func.call @half(%s) : (tensor<100xf32>) -> tensor<100xf32>
  %w = "hlo.reshape"(%n) : (tensor<i32>) -> tensor<i32>
  return %w, %t : tensor<i32>, tensor<100xf32>
}
func.func private @half(%s: tensor<100xf32>) -> tensor<100xf32> {
  %m = "hlo.negate"(%s) : (tensor<100xf32>) -> tensor<100xf32>
  %p = "hlo.iota"(%m) : (tensor<100xf32>) -> tensor<100xf32>
  return %p : tensor<100xf32>
}

// UNKNOWN: unknown while.1 (stablehlo.while) holds 512 bytes: kept, never recomputed
func.func @unknown_inside(%i: tensor<i32>, %x: tensor<64xf32>) -> tensor<64xf32> {
  %a = "stablehlo.sine"(%x) {ringi.phase = "forward"} : (tensor<64xf32>) -> tensor<64xf32>
  %r:2 = "stablehlo.while"(%i, %a) ({
  ^bb0(%n: tensor<i32>, %c: tensor<64xf32>):
    %less = "stablehlo.is_finite"(%n) : (tensor<i32>) -> tensor<i1>
    "stablehlo.return"(%less) : (tensor<i1>) -> ()
  }, {
  ^bb0(%n: tensor<i32>, %c: tensor<64xf32>):
    %s = "stablehlo.custom_call"(%c) {call_target_name = "print"} : (tensor<64xf32>) -> tensor<64xf32>
    "stablehlo.return"(%n, %s) : (tensor<i32>, tensor<64xf32>) -> ()
  }) {ringi.phase = "forward"} : (tensor<i32>, tensor<64xf32>) -> (tensor<i32>, tensor<64xf32>)
  %b = "stablehlo.cosine"(%r#1) {ringi.phase = "backward"} : (tensor<64xf32>) -> tensor<64xf32>
  %c = "stablehlo.multiply"(%a, %b) {ringi.phase = "backward"} : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  return %c : tensor<64xf32>
}

// A function that reaches itself stays unknown.
// UNKNOWN-NOT: recursive
func.func private @recursive(%n: tensor<i32>) -> tensor<i32> {
  %0 = func.call @recursive(%n) : (tensor<i32>) -> tensor<i32>
  return %0 : tensor<i32>
}
