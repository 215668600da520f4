//===- BuildStepInternal.h - Stages of building a step ----------*- C++ -*-===//
//
// Part of Ringi. What the BuildStep*.cpp files share: the flat forward part and
// the analyses on it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_BUILDSTEPINTERNAL_H
#define RINGI_LIB_TRANSFORMS_BUILDSTEPINTERNAL_H

#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Transforms/BuildStep.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

namespace ringi::step {

/// One op of the flat forward part.
struct ForwardOp {
  mlir::Operation *op;
  /// It stood inside a `ringi.no_grad`.
  bool cut;
};

using ForwardPart = llvm::SmallVector<ForwardOp>;

/// Which ops get a backward, and what that needs.
struct GradientFlow {
  /// Values on which a trainable parameter has an influence.
  llvm::DenseSet<mlir::Value> needed;
  /// Ops with a gradient on some result and a need on some operand, in forward
  /// order.
  llvm::SmallVector<mlir::Operation *> ops;

  llvm::SmallVector<bool> neededOperands(mlir::Operation *op) const;
};

mlir::StringRef roleOf(mlir::FunctionOpInterface function, unsigned argument);
mlir::StringRef nameOf(mlir::FunctionOpInterface function, unsigned argument);
bool isTrainable(mlir::FunctionOpInterface function, unsigned argument);

/// Checks roles, names and the loss; gives every argument a name.
mlir::LogicalResult checkForward(mlir::FunctionOpInterface function);

/// Refuses a loss that is an argument or a view of one: the step overwrites
/// its parameters before it returns.
mlir::LogicalResult checkLossStorage(mlir::FunctionOpInterface function);

/// Inlines blocks and no_grad regions, marks every op with its path and the
/// forward phase.
mlir::FailureOr<ForwardPart> flatten(mlir::FunctionOpInterface function);

/// Gives every dropout its own random id; an error when two share one. Returns
/// the number of ids, so that [0, n) are taken.
mlir::FailureOr<int64_t> assignRandomIds(mlir::FunctionOpInterface function);

/// Replaces dropouts by a stored mask and its application.
void storeDropoutMasks(ForwardPart &forward);

/// What the gradient of `loss` flows through; an error at an op without a rule.
mlir::FailureOr<GradientFlow>
findGradientFlow(mlir::FunctionOpInterface function,
                 llvm::ArrayRef<ForwardOp> forward, mlir::Value loss);

/// Refuses ops that overwrite what is read later or saved, then drops the
/// `inplace` marks: what they promise is now a fact that the planner finds.
mlir::LogicalResult checkInPlace(llvm::ArrayRef<ForwardOp> forward,
                                 const GradientFlow &flow);

/// Appends the backward of `flow` at the end of the block. `gradients` holds
/// the gradients of the arguments so far and receives the sums.
mlir::LogicalResult
appendBackward(mlir::Block &body, const GradientFlow &flow, mlir::Value loss,
               double lossGradient,
               llvm::DenseMap<mlir::Value, mlir::Value> &gradients);

/// Adds the optimizer's arguments, inserts each update after the last use of
/// its parameter and gradient, and makes the function's results.
mlir::LogicalResult
finishStep(mlir::FunctionOpInterface function, const StepOptions &options,
           mlir::Value loss,
           const llvm::DenseMap<mlir::Value, mlir::Value> &gradients);

/// The operand whose storage `value` shares as a view; null when it is none.
mlir::Value viewedValue(mlir::Value value);

/// Marks the part of the step that `op` belongs to.
void setPhase(mlir::Operation *op, llvm::StringRef phase);

} // namespace ringi::step

#endif // RINGI_LIB_TRANSFORMS_BUILDSTEPINTERNAL_H
