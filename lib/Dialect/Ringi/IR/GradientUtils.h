//===- GradientUtils.h - Shared pieces of the gradient rules ----*- C++ -*-===//
//
// Part of Ringi. Short names for the arguments of DifferentiableOpInterface and
// the sum that undoes a suffix broadcast.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_DIALECT_RINGI_IR_GRADIENTUTILS_H
#define RINGI_LIB_DIALECT_RINGI_IR_GRADIENTUTILS_H

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

namespace ringi {

using Flags = llvm::ArrayRef<bool>;
using Saved = llvm::function_ref<mlir::Value(mlir::Value)>;
using ValueList = llvm::SmallVectorImpl<mlir::Value>;

inline mlir::RankedTensorType tensorType(mlir::Value value) {
  return llvm::cast<mlir::RankedTensorType>(value.getType());
}

/// Sums `gradient` over the leading dimensions that `operand` lacks.
mlir::Value sumToShape(mlir::OpBuilder &builder, mlir::Location loc,
                       mlir::Value gradient, mlir::Value operand);

/// The gradient of result 0; an error when only a statistics result (`name`)
/// has one.
mlir::FailureOr<mlir::Value>
onlyFirstGradient(mlir::Operation *op, llvm::ArrayRef<mlir::Value> gradients,
                  llvm::StringRef first);

} // namespace ringi

#endif // RINGI_LIB_DIALECT_RINGI_IR_GRADIENTUTILS_H
