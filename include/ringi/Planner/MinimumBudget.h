//===- MinimumBudget.h - The least budget that has a plan -------*- C++ -*-===//
//
// Part of Ringi. What a refused budget is compared with: the lowest live peak
// that a plan reaches, whether that is proven to be the lowest, and what forces
// it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_MINIMUMBUDGET_H
#define RINGI_PLANNER_MINIMUMBUDGET_H

#include "ringi/Planner/Strategies.h"

namespace ringi::planner {

struct MinimumBudget {
  /// The lowest live peak found; the plan has it.
  int64_t bytes = 0;
  Plan plan;
  /// No schedule of the class has a lower peak (exhaustive search, small
  /// graphs only). Otherwise `bytes` is the least the planner reaches.
  bool exact = false;
  /// No schedule of the class goes below this; equals bytes when exact.
  int64_t floorBytes = 0;
  /// The op at which the plan has its peak, and what is alive there, the
  /// largest first.
  OpIndex peakOp = kNone;
  std::vector<StorageIndex> forcedBy;
  /// The least when no mark binds; equals bytes where there are no marks.
  int64_t bytesWithoutMarks = 0;
};

/// \returns the minimum under the order, effort and seed of `options` (its
/// budget is not read), or a Refused error when the marks cannot be honoured.
/// Exhaustive for up to 14 ops; otherwise the best of the named strategies, the
/// priced min-cut, the chain's recurrence and local search.
Expected<MinimumBudget> computeMinimumBudget(const Problem &problem,
                                             const StrategyOptions &options);

/// One line for a refused budget: both numbers, what forces the minimum, and
/// the remedy. A budget that would do without the marks is a conflict with
/// them, and those that bind are named.
std::string describeRefusal(const Problem &problem, int64_t budget,
                            const MinimumBudget &minimum);

} // namespace ringi::planner

#endif // RINGI_PLANNER_MINIMUMBUDGET_H
