//===- StackLevels.h - How much the loops of a step stack -------*- C++ -*-===//
//
// Part of Ringi. The choices for all pairs of loops of a step as one ladder,
// from stacking what the step stacks to stacking the fewest bytes. Each level
// takes the step of the pair that saves most bytes per FLOP.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_STACKLEVELS_H
#define RINGI_LIB_TRANSFORMS_STACKLEVELS_H

#include "ResidualPair.h"

#include "ringi/Analysis/ActivationGraph.h"

namespace ringi {

/// Says at the loop why its rows stay as they are.
void warnOfRefused(const RefusedPair &pair);

class StackLevels {
public:
  struct Level {
    /// Bytes of the arrays of rows of all pairs, FLOPs computed again.
    int64_t bytes = 0;
    double flops = 0;
    /// Per pair the number of its choice, 0 for the step as it is.
    std::vector<size_t> choices;
  };

  /// Inlines the calls inside of loops that hand arrays on. Emits an error and
  /// fails when that fails.
  static mlir::FailureOr<StackLevels> of(mlir::FunctionOpInterface step,
                                         const GraphOptions &options);

  /// Level 0 is the step as it is; there may be no other.
  size_t size() const { return levels.size(); }
  const Level &operator[](size_t level) const { return levels[level]; }
  const std::vector<RefusedPair> &refused() const { return refusals; }
  /// Of the first pair's forward loop; that of the step when there is none.
  mlir::Location location() const { return place; }

  /// Rewrites `step`, the step that the levels are of or a clone of it.
  void apply(mlir::FunctionOpInterface step, size_t level) const;

private:
  explicit StackLevels(mlir::Location place) : place(place) {}

  mlir::Location place;
  GraphOptions options;
  /// Per pair its choices beside the step as it is.
  std::vector<std::vector<planner::ResidualPoint>> fronts;
  std::vector<int64_t> bytesNow;
  std::vector<Level> levels;
  std::vector<RefusedPair> refusals;
};

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_STACKLEVELS_H
