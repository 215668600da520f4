// What was packed where, and what was kept and why, for scripts.
// RUN: ringi-opt %s --ringi-pack-allocs=report=- -o /dev/null 2>/dev/null | FileCheck %s
// CHECK: "alignment": 64,
// CHECK: "buffers": [
// CHECK: "bytes": 100,
// CHECK-NEXT: "end": 7,
// CHECK-NEXT: "first": 3,
// CHECK-NEXT: "location": "{{.*}}pack-allocs-report.mlir:17"
// CHECK-NEXT: "offset": 0,
// CHECK-NEXT: "type": "memref<25xf32>"
// CHECK: "function": "f",
// CHECK: "kept": [
// CHECK: "reason": "is returned",
// CHECK: "live_peak_bytes": 128,
// CHECK: "planned_peak_bytes": 128
func.func @f(%x: memref<25xf32>) -> memref<25xf32> {
  %a = memref.alloc() : memref<25xf32>
  %b = memref.alloc() : memref<25xf32>
  linalg.exp ins(%x : memref<25xf32>) outs(%a : memref<25xf32>)
  memref.copy %a, %b : memref<25xf32> to memref<25xf32>
  return %b : memref<25xf32>
}
