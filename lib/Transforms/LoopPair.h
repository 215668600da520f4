//===- LoopPair.h - A loop and the loop that walks back over it -*- C++ -*-===//
//
// Part of Ringi. Recognises a forward scf.for that stacks residuals and the
// backward one that reads them in reverse, and writes the pair again under a
// checkpointing schedule.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_LOOPPAIR_H
#define RINGI_LIB_TRANSFORMS_LOOPPAIR_H

#include "ringi/Planner/LoopPlanner.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <string>
#include <vector>

namespace ringi {

/// One residual: the forward loop puts row i into a stack of all iterations,
/// the backward loop takes rows from the last to the first.
struct LoopStack {
  /// Number of the iteration argument that is the stack.
  unsigned carried = 0;
  mlir::tensor::InsertSliceOp insert;
  std::vector<mlir::tensor::ExtractSliceOp> extracts;
  /// The row depends on nothing that an iteration computes from the one before
  /// and costs no FLOPs: the backward loop makes it again from the iteration's
  /// number.
  bool remade = false;
};

/// Iterations 0 to trips - 1 forward, trips - 1 to 0 backward.
struct LoopPair {
  mlir::scf::ForOp forward, backward;
  int64_t trips = 0;
  std::vector<LoopStack> stacks;

  /// Bytes that `planLoop` is asked about, rounded up to `alignment` each.
  planner::LoopProblem problem(int64_t alignment) const;
  bool isStack(unsigned carried) const;
};

/// The pairs of `function`'s block in order. A forward loop that stacks values
/// but cannot be paired is listed in `refused` with the reason.
std::vector<LoopPair>
findLoopPairs(mlir::FunctionOpInterface function,
              std::vector<std::pair<mlir::scf::ForOp, std::string>> &refused);

/// Ops of the loop's body that `value` is made of, in order; nothing when it
/// depends on what the iteration before computed, or costs FLOPs.
std::optional<llvm::SmallVector<mlir::Operation *>>
findRemakingOps(mlir::Value value, mlir::scf::ForOp loop);

/// Writes the pair as `plan` says and erases both loops. Replays stand where
/// the backward loop stood.
void rewriteLoopPair(LoopPair &pair, const planner::LoopPlan &plan);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_LOOPPAIR_H
