//===- Bounds.h - How near the optimum a plan must be -----------*- C++ -*-===//
//
// Part of Ringi. The larger of the certificates that hold for a class of
// schedules, and the budget below which nothing fits.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_BOUNDS_H
#define RINGI_PLANNER_BOUNDS_H

#include "ringi/Planner/SnapshotBound.h"

namespace ringi::planner {

/// The larger of the snapshot bound and, for a fixed order, the gap bound.
/// Under a free order only the free snapshot bound holds.
CostBound computeBound(const Problem &problem, int64_t budget, Order order);

/// Bytes of live peak that no schedule of any class undercuts: at some op its
/// own bytes, the persistent ones and what cannot be recomputed but is needed
/// later.
struct BudgetFloor {
  int64_t bytes = 0;
  /// The op at which they meet.
  OpIndex stage = kNone;
};
BudgetFloor computeBudgetFloor(const Problem &problem, Order order);

} // namespace ringi::planner

#endif // RINGI_PLANNER_BOUNDS_H
