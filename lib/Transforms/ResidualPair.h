//===- ResidualPair.h - A loop that stacks, one that reads ---- -*- C++ -*-===//
//
// Part of Ringi. A forward loop puts values of each iteration into rows of
// arrays that it carries; a later loop takes the rows. What the rows hold, and
// which iteration each iteration of the later loop goes back to.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_RESIDUALPAIR_H
#define RINGI_LIB_TRANSFORMS_RESIDUALPAIR_H

#include "ScalarTrace.h"

#include "ringi/Planner/ResidualCut.h"

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ringi {

/// An op that puts a part into an array, or takes it out of one, where the part
/// is one row: one index of the first dimension and all of the others.
struct RowAccess {
  mlir::Operation *op = nullptr;
  mlir::Value array, row;
  /// The row's number; null when it is constant.
  mlir::Value index;
  int64_t constant = 0;
};

/// Nothing for ops that do something else.
std::optional<RowAccess> matchTake(mlir::Operation *op, const OpModel &model);
std::optional<RowAccess> matchPut(mlir::Operation *op, const OpModel &model);

/// An array that the forward loop fills row by row.
struct ResidualStack {
  /// Numbers of the carried value in the two loops.
  unsigned forward = 0, backward = 0;
  RowAccess put;
  std::vector<RowAccess> takes;
  /// Others read the array too, so it stays.
  bool stays = false;
  /// The backward body reads the array from outside; `backward` is not used.
  bool isCaptured = false;
};

struct ResidualPair {
  ResidualPair(CarriedLoop forward, CarriedLoop backward)
      : forward(forward), backward(backward) {}

  CarriedLoop forward, backward;
  ScalarTrace forwardTrace, backwardTrace;
  /// Per iteration of the backward loop the forward iteration whose rows it
  /// takes.
  std::vector<int64_t> iterations;
  std::vector<ResidualStack> stacks;

  /// The scalar of the backward loop's body that holds, in every iteration,
  /// what `scalar` held in the forward iteration it goes back to; null when
  /// there is none.
  mlir::Value matchScalar(mlir::Value scalar) const;
};

/// A forward loop whose rows are read by a later loop, but not in a way that is
/// understood.
struct RefusedPair {
  mlir::Operation *loop = nullptr;
  std::string reason;
};

/// Pairs of the function's own block, in order. Calls inside of their bodies
/// must have been inlined.
std::vector<ResidualPair> findResidualPairs(mlir::FunctionOpInterface function,
                                            const OpModel &model,
                                            std::vector<RefusedPair> &refused);

/// Loops of the function's own block that hand an array on to a later loop of
/// the block: whoever wants pairs inlines calls in these.
std::vector<mlir::Operation *>
findLoopsInRow(mlir::FunctionOpInterface function, const OpModel &model);

/// The choice of what to stack, as a problem of the planner and back.
class PairProblem {
public:
  PairProblem(const ResidualPair &pair, const OpModel &model,
              int64_t alignment);

  const planner::ResidualProblem &problem() const { return graph; }
  /// The value of the forward body that a value of the problem is.
  mlir::Value value(int32_t index) const { return values[index]; }
  mlir::Operation *operation(int32_t index) const { return operations[index]; }
  /// Bytes of all stacks that a choice may drop, as they are.
  int64_t stackedBytes() const { return bytesNow; }

  /// `value` through ops that only give another shape.
  mlir::Value rootOf(mlir::Value value) const;
  /// Costs nothing in the backward body: comes from outside of the loop, or is
  /// a number that the backward loop has as well.
  bool isThere(mlir::Value root) const;
  /// A stack that can serve as the pattern of one for `root`; null when none
  /// has rows of its bytes.
  const ResidualStack *patternFor(mlir::Value root) const;

private:
  void addValue(mlir::Value root, int32_t op);
  void read(mlir::Value value, std::vector<int32_t> &reads);

  const ResidualPair &pair;
  const OpModel &model;
  planner::ResidualProblem graph;
  std::vector<mlir::Value> values;
  std::vector<mlir::Operation *> operations;
  llvm::DenseMap<mlir::Value, int32_t> numbers;
  int64_t bytesNow = 0;
};

/// Ops whose result holds the elements of operand 0 in their order.
bool isReshape(mlir::Operation *op, const OpModel &model);

/// Stacks exactly the values `stored` of the forward body (roots of `problem`)
/// and computes what else the backward loop needs in it, in ringi.recompute
/// regions.
void rewriteResidualPair(ResidualPair &pair, const PairProblem &problem,
                         const OpModel &model,
                         llvm::ArrayRef<mlir::Value> stored);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_RESIDUALPAIR_H
