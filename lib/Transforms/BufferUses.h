//===- BufferUses.h - Where an allocation is used ---------------*- C++ -*-===//
//
// Part of Ringi. Follows a buffer through its views and says when it is alive,
// or why its uses are not all known.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_BUFFERUSES_H
#define RINGI_LIB_TRANSFORMS_BUFFERUSES_H

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/DenseMap.h"

#include <string>

namespace ringi {

/// Moments of a function: its ops in the order in which they stand, nested ones
/// included.
class OpClock {
public:
  explicit OpClock(mlir::FunctionOpInterface function);
  int64_t begin(mlir::Operation *op) const { return moments.lookup(op).first; }
  /// The moment after the last op inside `op`.
  int64_t end(mlir::Operation *op) const { return moments.lookup(op).second; }

private:
  llvm::DenseMap<mlir::Operation *, std::pair<int64_t, int64_t>> moments;
};

struct BufferUses {
  /// Empty when every use is known: no reason against packing.
  std::string reason;
  /// From the first to the last use, half-open; empty without any, and when
  /// nothing writes the buffer.
  int64_t first = 0, end = 0;
  llvm::SmallVector<mlir::Operation *> deallocs;
};

/// Uses of `alloc`, which stands in `function`. A use in a nested region counts
/// from the beginning to the end of the op beside `alloc` that holds it.
BufferUses findBufferUses(mlir::memref::AllocOp alloc,
                          mlir::FunctionOpInterface function,
                          const OpClock &clock);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_BUFFERUSES_H
