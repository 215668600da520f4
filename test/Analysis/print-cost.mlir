// A device of 1000 FLOP/s and 100 bytes/s with launches of 1 s makes the
// numbers readable: the product has 2 x 8 x 8 x 8 = 1024 FLOPs over 768 bytes.
// RUN: ringi-opt %s --ringi-print-cost="seconds=100" -o /dev/null | FileCheck %s --check-prefix=TEXT
// RUN: ringi-opt %s --ringi-print-cost="format=json tokens=4" -o /dev/null | FileCheck %s --check-prefix=JSON
// RUN: not ringi-opt %s --ringi-print-cost="device=abacus" 2>&1 | FileCheck %s --check-prefix=DEVICE
// RUN: not ringi-opt %s --ringi-print-cost="format=xml" 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not ringi-opt %s --ringi-print-cost="seconds=-1" 2>&1 | FileCheck %s --check-prefix=NEGATIVE

// DEVICE: error: {{.*}}abacus
// FORMAT: error: format=xml is not known; use text or json
// NEGATIVE: error: seconds and tokens must not be negative

// TEXT: cost of 'step' on slow: {{.*}} FLOPs, {{.*}} bytes, {{.*}} s predicted
// TEXT: forward
// TEXT: backward
// TEXT: by class:
// TEXT: gemm
// TEXT: 6 x 64 parameters x 8 tokens = 3.072{{0*}}e+03
// TEXT: model FLOPs utilisation {{.*}}% at 100.000000 s per step
// TEXT: ops:
// TEXT-NEXT: matmul.0 gemm 1.024{{0*}}e+03 FLOPs 7.680{{0*}}e+02 bytes 1.33 FLOPs/byte memory
// TEXT-SAME: 8.680000000 s

// JSON: "device": "slow",
// JSON: "function": "step",
// JSON: "bound": "memory",
// JSON: "flops": 1024,
// JSON: "predicted_seconds": 8.6
// JSON: "six_nd_flops": 1536,
func.func @step(%x: tensor<8x8xf32> {ringi.role = "input"}, %w: tensor<8x8xf32> {ringi.role = "parameter"}) -> tensor<8x8xf32> attributes {ringi.device = #ringi.device<"slow", flops = {f32 = 1.0e3}, bandwidth = 1.0e2, launch = 1.0, memory = 1000000>} {
  %y = ringi.matmul %x, %w {ringi.phase = "forward"} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %z = ringi.relu %y {ringi.phase = "backward"} : tensor<8x8xf32>
  return %z : tensor<8x8xf32>
}
