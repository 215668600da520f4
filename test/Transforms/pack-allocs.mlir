// RUN: ringi-opt %s --split-input-file --ringi-pack-allocs 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks
// RUN: ringi-opt %s --split-input-file --ringi-pack-allocs="arena=argument alignment=256" 2>/dev/null | FileCheck %s --check-prefix=ARGUMENT
// RUN: mlir-opt %s --split-input-file --load-dialect-plugin=%ringi_plugin --pass-pipeline='builtin.module(ringi-pack-allocs)' 2>%t.remarks | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t.remarks

// %a is read last by the op that writes %b; %c begins after %a's end and takes its bytes: 2 x 256, not 3 x 256. Where the
// deallocations stand does not matter.
// REMARK: remark: packed 3 buffers of 'chain' into 512 bytes (live peak 512), kept 0 as they are
// CHECK-LABEL: func.func @chain
// CHECK-SAME: ringi.arena = {alignment = 64 : i64, buffers = 3 : i64, kept = 0 : i64, live_peak = 512 : i64, planned_peak = 512 : i64}
// CHECK: %[[ARENA:.*]] = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
// CHECK: %[[A:.*]] = memref.view %[[ARENA]][%[[AT:.*]]][] : memref<512xi8> to memref<64xf32>
// CHECK: %[[B:.*]] = memref.view %[[ARENA]]
// CHECK: %[[C:.*]] = memref.view %[[ARENA]]
// CHECK-NOT: memref.alloc(
// CHECK: memref.dealloc %[[ARENA]]
// CHECK-NEXT: return
// ARGUMENT: func.func @chain(%{{.*}}: memref<64xf32>, %[[ARENA:.*]]: memref<512xi8>)
// ARGUMENT-SAME: alignment = 256
// ARGUMENT: memref.view %[[ARENA]]
// ARGUMENT-NOT: memref.dealloc
func.func @chain(%x: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %b = memref.alloc() {alignment = 64 : i64} : memref<64xf32>
  linalg.exp ins(%a : memref<64xf32>) outs(%b : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  linalg.exp ins(%b : memref<64xf32>) outs(%c : memref<64xf32>)
  memref.copy %c, %x : memref<64xf32> to memref<64xf32>
  memref.dealloc %a : memref<64xf32>
  memref.dealloc %b : memref<64xf32>
  memref.dealloc %c : memref<64xf32>
  return
}

// -----

// A buffer lives as long as its views: %b must not take %a's bytes before the view's last read. A loop holds what it uses from
// outside, and its body's buffers share bytes with what comes after them.
// REMARK: remark: packed 4 buffers of 'views_and_loops' into 768 bytes (live peak 768), kept 0
// CHECK-LABEL: func.func @views_and_loops
// CHECK: %[[A:.*]] = memref.view %{{.*}}[%[[AT:.*]]][]
// CHECK: memref.subview %[[A]]
// CHECK: %[[C256:.*]] = arith.constant 256
// CHECK: %[[B:.*]] = memref.view %{{.*}}[%[[C256]]][]
// CHECK: scf.for
// CHECK-NEXT: %[[C512:.*]] = arith.constant 512
// CHECK-NEXT: memref.view %{{.*}}[%[[C512]]][]
// CHECK: }
// CHECK: %[[D:.*]] = memref.view
func.func @views_and_loops(%x: memref<64xf32>, %y: memref<32xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %a = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%a : memref<64xf32>)
  %v = memref.subview %a[8] [32] [1] : memref<64xf32> to memref<32xf32, strided<[1], offset: 8>>
  %b = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  scf.for %i = %c0 to %c8 step %c1 {
    %t = memref.alloc() : memref<64xf32>
    linalg.exp ins(%b : memref<64xf32>) outs(%t : memref<64xf32>)
    memref.copy %t, %b : memref<64xf32> to memref<64xf32>
    memref.dealloc %t : memref<64xf32>
  }
  memref.copy %b, %x : memref<64xf32> to memref<64xf32>
  %d = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%d : memref<64xf32>)
  memref.copy %d, %x : memref<64xf32> to memref<64xf32>
  memref.copy %v, %y : memref<32xf32, strided<[1], offset: 8>> to memref<32xf32>
  return
}

// -----

// What may escape or alias is kept, each with its reason.
// REMARK: remark: packed 1 buffers of 'escapes' into 256 bytes (live peak 256), kept 10 as they are
// REMARK: note: this buffer is returned
// REMARK: note: this buffer is passed to the call 'func.call'
// REMARK: note: this buffer is used by 'memref.store' in a way that is not known
// REMARK: note: this buffer may be aliased by the result of 'arith.select'
// REMARK: note: this buffer leaves the region of 'scf.if'
// REMARK: note: this buffer has its address taken by 'memref.extract_aligned_pointer_as_index'
// REMARK: note: this buffer stands inside 'scf.parallel', whose iterations may run at the same time
// REMARK: note: this buffer has the type memref<?xf32>, which no view of bytes has
// REMARK: note: this buffer has the type memref<8x8xf32, strided<[1, 8]>>, which no view of bytes has
// REMARK: note: this buffer is aligned to 4096, more than the arena
// CHECK-LABEL: func.func @escapes
// CHECK-COUNT-10: memref.alloc
func.func private @callee(memref<64xf32>)
func.func @escapes(%x: memref<64xf32>, %p: i1, %n: index, %slots: memref<1xmemref<64xf32>>) -> memref<64xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %ok = memref.alloc() : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%ok : memref<64xf32>)
  %returned = memref.alloc() : memref<64xf32>
  memref.copy %ok, %returned : memref<64xf32> to memref<64xf32>
  %called = memref.alloc() : memref<64xf32>
  call @callee(%called) : (memref<64xf32>) -> ()
  %stored = memref.alloc() : memref<64xf32>
  memref.store %stored, %slots[%c0] : memref<1xmemref<64xf32>>
  %selected = memref.alloc() : memref<64xf32>
  %s = arith.select %p, %selected, %x : memref<64xf32>
  linalg.exp ins(%x : memref<64xf32>) outs(%s : memref<64xf32>)
  %z = scf.if %p -> memref<64xf32> {
    %yielded = memref.alloc() : memref<64xf32>
    scf.yield %yielded : memref<64xf32>
  } else {
    scf.yield %x : memref<64xf32>
  }
  %address = memref.alloc() : memref<64xf32>
  %pointer = memref.extract_aligned_pointer_as_index %address : memref<64xf32> -> index
  scf.parallel (%i) = (%c0) to (%c8) step (%c1) {
    %own = memref.alloc() : memref<64xf32>
    linalg.exp ins(%x : memref<64xf32>) outs(%own : memref<64xf32>)
  }
  %dynamic = memref.alloc(%n) : memref<?xf32>
  %strided = memref.alloc() : memref<8x8xf32, strided<[1, 8]>>
  %page = memref.alloc() {alignment = 4096 : i64} : memref<64xf32>
  return %returned : memref<64xf32>
}

// -----

// Nothing to pack: the function stays as it is, without a word.
// CHECK-LABEL: func.func @nothing(
// CHECK-NOT: ringi.arena
// CHECK: return
func.func @nothing(%x: memref<4xf32>) {
  return
}

// -----

// Nothing writes %window: it has no life and shares the bytes of %a. The arena still has room for it.
// REMARK: remark: packed 2 buffers of 'window' into 1024 bytes (live peak 256), kept 0
// CHECK-LABEL: func.func @window
// CHECK: memref.view %{{.*}}[%[[ZERO:.*]]][] : memref<1024xi8> to memref<16x16xf32>
// CHECK: memref.view %{{.*}}[%{{.*}}][] : memref<1024xi8> to memref<64xf32>
func.func @window(%x: memref<64xf32>) {
  %window = memref.alloc() : memref<16x16xf32>
  %a = memref.alloc() : memref<64xf32>
  linalg.generic {indexing_maps = [affine_map<(i, j, k) -> (i)>, affine_map<(i, j, k) -> (j, k)>, affine_map<(i, j, k) -> (i)>],
                  iterator_types = ["parallel", "reduction", "reduction"]}
      ins(%x, %window : memref<64xf32>, memref<16x16xf32>) outs(%a : memref<64xf32>) {
  ^bb0(%in: f32, %unread: f32, %out: f32):
    %max = arith.maximumf %in, %out : f32
    linalg.yield %max : f32
  }
  linalg.exp ins(%a : memref<64xf32>) outs(%x : memref<64xf32>)
  return
}

// -----

// What a pure op makes of a buffer may be its address, and what runs on after the op may still read it: both stay as they are.
// REMARK: remark: packed 1 buffers of 'escapes' into 256 bytes (live peak 256), kept 2 as they are
// CHECK-LABEL: func.func @escapes
// CHECK: %[[A:.*]] = memref.alloc() : memref<64xf32>
// CHECK: unrealized_conversion_cast %[[A]]
func.func @escapes(%x: memref<64xf32>, %y: memref<64xf32>) {
  %a = memref.alloc() : memref<64xf32>
  %b = memref.alloc() : memref<64xf32>
  %d = builtin.unrealized_conversion_cast %a : memref<64xf32> to !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)>
  %m = builtin.unrealized_conversion_cast %d : !llvm.struct<(ptr, ptr, i64, array<1 x i64>, array<1 x i64>)> to memref<64xf32>
  linalg.copy ins(%x : memref<64xf32>) outs(%m : memref<64xf32>)
  linalg.exp ins(%x : memref<64xf32>) outs(%b : memref<64xf32>)
  linalg.add ins(%m, %b : memref<64xf32>, memref<64xf32>) outs(%y : memref<64xf32>)
  %c = memref.alloc() : memref<64xf32>
  %t0 = gpu.wait async
  %t = gpu.memcpy async [%t0] %y, %c : memref<64xf32>, memref<64xf32>
  gpu.wait [%t]
  return
}
