//===- BufferPasses.td - Towards buffers -------------------*- tablegen -*-===//
//
// Part of Ringi. What a plan needs on its way through somebody else's bufferization, and the arena afterwards.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_BUFFERPASSES
#define RINGI_TRANSFORMS_BUFFERPASSES

include "mlir/Pass/PassBase.td"

def PlaceTemporaries : Pass<"ringi-place-temporaries", "::mlir::ModuleOp"> {
  let summary = "Give each reader its own destinations and splats, right before it";
  let description = [{
    The plan counts a destination without contents and a splat where they are read
    (`RecomputeOpInterface::isMadeByReaders`). Run this last before bufferization,
    which allocates where they stand: every one is made again before each op that
    reads it, in its region, and a splat constant becomes a `tensor.splat`. Without
    it, one `tensor.empty` that CSE shared between two ops holds its bytes from the
    first to the last. Values that are returned stay as they are.

    ```mlir
    // before
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // after
    %e0 = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%x : tensor<4xf32>) outs(%e0 : tensor<4xf32>) -> tensor<4xf32>
    %e1 = tensor.empty() : tensor<4xf32>
    %1 = linalg.exp ins(%0 : tensor<4xf32>) outs(%e1 : tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let options = [Option<"function", "function", "std::string", "\"\"",
    "Work on this function only; empty: on every function">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::tensor::TensorDialect"];
}

def PackAllocs : Pass<"ringi-pack-allocs", "::mlir::ModuleOp"> {
  let summary = "Make the buffers of a function views of one packed arena";
  let description = [{
    Works on bufferized functions, before control flow is lowered. Every
    `memref.alloc` of static shape whose uses are all known to end inside the
    function becomes a `memref.view` of one arena at the offset that the planner's
    packer gives it; its `memref.dealloc`s go. A buffer is alive from its first to
    its last use, through views of it; a use in a loop counts for the whole loop.

    What may escape or alias in a way that is not seen is kept as it is and listed
    with the reason: buffers that are returned, yielded, passed to calls or to ops
    of unknown effect, whose address is taken, which are selected between, which
    stand in a loop whose iterations may run at the same time.

    `arena=alloc` allocates the arena where the function begins and frees it where
    it returns; `arena=argument` takes it as a last argument of type
    `memref<Nxi8>`, which the caller aligns to `alignment`. The function gets
    `ringi.arena` with planned_peak (the bytes of the arena), live_peak (no packing
    is smaller), buffers, kept and alignment; a remark says the same. Functions
    without a buffer to pack are left as they are.

    ```mlir
    // before
    %0 = memref.alloc() : memref<64xf32>
    // after
    %arena = memref.alloc() {alignment = 64 : i64} : memref<512xi8>
    %0 = memref.view %arena[%c256][] : memref<512xi8> to memref<64xf32>
    ```
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"", "Work on this function only; empty: on every function">,
    Option<"arena", "arena", "std::string", "\"alloc\"", "alloc (one allocation) or argument (the caller's)">,
    Option<"alignment", "alignment", "int64_t", "64", "Offsets and sizes are multiples of this, and of a buffer's own alignment">,
    Option<"effort", "effort", "int64_t", "200000", "Search nodes of the exact packing; 0: heuristics only">,
    Option<"report", "report", "std::string", "\"\"", "Write the arena's buffers and what was kept as JSON into this file">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::memref::MemRefDialect"];
}

#endif // RINGI_TRANSFORMS_BUFFERPASSES
