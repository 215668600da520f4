//===- SnapshotBound.h - A lower bound from one moment ----------*- C++ -*-===//
//
// Part of Ringi. When op t first runs, memory holds some set H beside the
// inputs, results and workspace of t. What later ops need and memory lacks must
// be recomputed at least once, and its inputs in turn. Pricing the bytes of H
// turns the least such cost into a minimum cut; the best price and the best t
// give the bound. docs/snapshot-bound-proof.md has the proof.
//
// Valid for every schedule of the class, however often it recomputes, nested
// recompute and several copies included. Its limit: one moment at a time, and
// the linear relaxation of the choice of H.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_SNAPSHOTBOUND_H
#define RINGI_PLANNER_SNAPSHOTBOUND_H

#include "ringi/Planner/Strategies.h"

namespace ringi::planner {

/// What a bound says about one budget.
struct CostBound {
  /// No schedule of the class recomputes for less, in the cost units of
  /// Problem. Rounded down, so floating point cannot make it too high.
  double cost = 0;
  BoundClass boundClass = BoundClass::None;
  /// The moment that gives the bound; kNone when it is 0.
  OpIndex stage = kNone;
  /// The price of a byte at which it is reached (snapshot bound only).
  double price = 0;
  /// No schedule of the class fits the budget at all.
  bool infeasible = false;
};

/// \param order Fixed: what stands after t in the given order is later, and
/// all that stands before has run. Free: only descendants of t are later, and
/// only ancestors have surely run.
/// \param maxStages moments examined; 0 takes all of a small graph and a few
/// of a large one. Every choice gives a valid bound.
///
/// A few minimum cuts per moment, each O(n + m) in practice.
CostBound computeSnapshotBound(const Problem &problem, int64_t budget,
                               Order order, int32_t maxStages = 0);

} // namespace ringi::planner

#endif // RINGI_PLANNER_SNAPSHOTBOUND_H
