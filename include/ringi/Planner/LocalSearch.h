//===- LocalSearch.h - Improve a plan by many small edits -------*- C++ -*-===//
//
// Part of Ringi. Simulated annealing over schedules: add, remove or move a
// recompute, keep a copy after recomputing it, drop a value over a gap between
// two uses and, with a free order, move any op within its legal window.
//
// After FastSA (Sadamoto et al., "Simulated annealing for memory-constrained
// recomputation", NeurIPS 2023), with moves aimed at the places over budget.
// No bound comes with it. Moves are counted, never timed: equal input, options
// and seed give the equal plan.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_LOCALSEARCH_H
#define RINGI_PLANNER_LOCALSEARCH_H

#include "ringi/Planner/Strategies.h"

#include <atomic>

namespace ringi::planner {

enum class LocalSearchGoal : uint8_t {
  /// Least recompute cost with a live peak of at most the budget. Among plans
  /// that miss the budget the one with the least peak counts as best.
  LeastCost,
  /// Least live peak, ties broken by cost; the budget is ignored.
  LeastPeak
};

struct LocalSearchOptions {
  LocalSearchGoal goal = LocalSearchGoal::LeastCost;
  /// Bytes of live peak.
  int64_t budget = 0;
  Order order = Order::Fixed;
  /// Whether recomputes may be added and dropped; otherwise only the order
  /// changes.
  bool recompute = true;
  /// Edits tried; 0 takes defaultMoves(problem).
  int64_t moves = 0;
  uint64_t seed = 0;
  /// Start temperature in multiples of the default: less for a start that is
  /// nearly as good as it gets.
  double heat = 1;
  /// LeastCost: a plan that costs less is not taken.
  double leastCost = 0;
  /// When it becomes true the search ends with the best plan so far.
  const std::atomic<bool> *stop = nullptr;
};

/// Enough moves for the published benchmark graphs, growing with the number of
/// ops and capped for large graphs.
int64_t defaultMoves(const Problem &problem);

/// Improves `start`, which must be accepted by simulate() and honour the marks
/// but may exceed the budget.
///
/// \returns a plan that is never worse than `start` under the goal, whose
/// claims are exact and whose marks, fixed order and non-recomputable ops are
/// as Problem asks. `strategy`, `budget` and decisions of `start` are carried
/// over. O(moves x degree x log n).
Plan improvePlan(const Problem &problem, Plan start,
                 const LocalSearchOptions &options);

} // namespace ringi::planner

#endif // RINGI_PLANNER_LOCALSEARCH_H
