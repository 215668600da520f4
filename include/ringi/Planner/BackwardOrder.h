//===- BackwardOrder.h - A backward part that frees early -------*- C++ -*-===//
//
// Part of Ringi. Some frontends put all weight gradients and updates at the end
// of the step, where they hold every activation to the end (XLA prints a step
// in the order of its results). Under order=free they may run where they free.
//
// Greedy: an op behind the forward part runs as soon as it frees no fewer bytes
// than it makes; all else keeps its order. Steps that overwrite their arguments
// keep theirs.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_BACKWARDORDER_H
#define RINGI_PLANNER_BACKWARDORDER_H

#include "ringi/Planner/Strategies.h"

#include <optional>

namespace ringi::planner {

/// The ops of `problem` in an order that keeps its forward ops first and as
/// they stand, and whose live peak without recompute is not above that of the
/// given order; the given one where none is found. O((n + m) log n).
std::vector<OpIndex> orderBackward(const Problem &problem);

/// The same with all ops, those of the forward part too: what only the backward
/// part reads runs when what it is made from is no longer needed. Nothing says
/// that the peak falls, and phases no longer follow one another; the given
/// order for steps that overwrite their arguments. O((n + m) log n).
std::vector<OpIndex> orderEagerly(const Problem &problem);

/// `problem` with its ops in `order`; storages keep their numbers.
Problem reorder(const Problem &problem, const std::vector<OpIndex> &order);

/// The problem as a search sees it: under a free order with its backward part
/// reordered, so that engines which keep the order start from a good one.
class WorkingOrder {
public:
  /// \param problem outlives this.
  WorkingOrder(const Problem &problem, Order order);

  const Problem &problem() const { return moved ? *moved : given; }

  /// The op of the given problem that problem()'s op is.
  OpIndex original(OpIndex op) const;

  /// Renames the ops of a plan of problem() to those of the given problem.
  void restore(Plan &plan) const;

private:
  const Problem &given;
  std::vector<OpIndex> order;
  std::optional<Problem> moved;
};

} // namespace ringi::planner

#endif // RINGI_PLANNER_BACKWARDORDER_H
