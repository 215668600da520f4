//===- InlineCalls.h - The functions that a step calls ----------*- C++ -*-===//
//
// Part of Ringi. Frontends put parts of a step into functions of their own
// (JAX: relu, softmax, where). Only what stands in the step itself is planned.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_INLINECALLS_H
#define RINGI_LIB_TRANSFORMS_INLINECALLS_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ringi {

/// Whether an op of the function's own block calls a function of the module
/// that inlineCalls() would inline.
bool hasCalls(mlir::FunctionOpInterface function);

/// Replaces calls in the function's own block by the ops of what they call, and
/// theirs in turn. Left as they are: calls of declarations, of functions with
/// several blocks, recursive ones, and calls that carry `ringi.cost`,
/// `ringi.recomputable` or a mark, which the user means as a whole. Ops take
/// over the call's `ringi.phase` and `ringi.block`. The upstream inliner
/// refuses functions with ops of dialects that are not loaded. Emits an error
/// and fails when the result exceeds four million ops.
mlir::LogicalResult inlineCalls(mlir::FunctionOpInterface function);

/// The same for the calls in `block`, a block inside of the function.
mlir::LogicalResult inlineCalls(mlir::FunctionOpInterface function,
                                mlir::Block &block);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_INLINECALLS_H
