// RUN: ringi-opt %s --allow-unregistered-dialect --split-input-file --verify-diagnostics \
// RUN:   --ringi-plan-checkpoints="strategy=recompute-all op-table=%S/Inputs/wrong.json blocks=layer"

// A size that nobody knows is refused with the value and the remedy (case 39).
func.func @no_bound(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{the bytes of result 0 of 't.dynamic' of type 'tensor<?xf32>' are not known; give its largest size as 'ringi.bytes = <bytes>'}}
  %0 = "t.dynamic"(%x) {ringi.phase = "forward"} : (tensor<4xf32>) -> tensor<?xf32>
  %1 = "t.b"(%0) {ringi.phase = "backward"} : (tensor<?xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// With a bound it is planned as far as the blocks, which nothing names.
// expected-error @+1 {{blocks=layer matches no name scope in 'bound'; its operations have none, use blocks=detect}}
func.func @bound(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "t.dynamic"(%x) {ringi.phase = "forward", ringi.bytes = 64 : i64} : (tensor<4xf32>) -> tensor<?xf32>
  %1 = "t.b"(%0) {ringi.phase = "backward"} : (tensor<?xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// expected-error @+1 {{blocks=layer matches no name scope in 'scoped'; the first one is 'jit(f)/block_0/sin'}}
func.func @scoped(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = "t.good"(%x) {ringi.phase = "forward"} : (tensor<4xf32>) -> tensor<4xf32> loc("jit(f)/block_0/sin")
  %1 = "t.b"(%0) {ringi.phase = "backward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

func.func @no_operand(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{formula 'elements(operand[1])': operand[1] does not exist}}
  %0 = "t.operand"(%x) {ringi.phase = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_dimension(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{formula 'dim(operand, 1)': operand[0] has 1 dimensions, no dimension 1}}
  %0 = "t.dimension"(%x) {ringi.phase = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_label(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{formula 'labelled(operand, labels, 0, o)': attribute 'labels' has no label 'o' in group 0}}
  %0 = "t.label"(%x) {ringi.phase = "forward", labels = "bf_io"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_labels(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{formula 'labelled(operand, labels, 0, o)': attribute 'labels' does not exist}}
  %0 = "t.label"(%x) {ringi.phase = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @negative(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{formula '1 - elements(operand)' gives -3.000000, but costs are finite and not negative}}
  %0 = "t.negative"(%x) {ringi.phase = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_shape(%x: tensor<?xf32> {ringi.bytes = 64 : i64}) -> tensor<4xf32> {
  // expected-error @+1 {{formula 'dim(operand, 1)': operand[0] has no static shape}}
  %0 = "t.dimension"(%x) {ringi.phase = "forward"} : (tensor<?xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @no_view(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @+1 {{'view_of' names an operand that does not exist; the op has 1}}
  %0 = "t.view"(%x) {ringi.phase = "forward"} : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
