//===- KernelSignature.h - Ops as the step program knows them ---*- C++ -*-===//
//
// Part of Ringi. Translates an op into the kind, attributes and shapes that the
// step program and the kernels share. By convention an op's mnemonic is the
// kind's name (`layer_norm` is LayerNorm) and its attributes have the names of
// docs/operations.md.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_DIALECT_RINGI_IR_KERNELSIGNATURE_H
#define RINGI_DIALECT_RINGI_IR_KERNELSIGNATURE_H

#include "ringi/Program/OpSignature.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace ringi {

/// The kind that executes `op`; nothing for views, `reduce_mean`, structure ops
/// and ops of other dialects.
std::optional<program::OpKind> getKernelKind(mlir::Operation *op);

/// Element type as the program stores it; nothing when it has none.
std::optional<program::ElementType> getProgramElementType(mlir::Type type);

/// Element type and shape of a static ranked tensor; nothing otherwise.
std::optional<program::TensorShape> getTensorShape(mlir::Type type);

/// The attributes of docs/operations.md that `op` has.
program::AttributesT getKernelAttributes(mlir::Operation *op);

} // namespace ringi

#endif // RINGI_DIALECT_RINGI_IR_KERNELSIGNATURE_H
