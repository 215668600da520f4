//===- Scheduler.h - An order of ops with a low peak ------------*- C++ -*-===//
//
// Part of Ringi. Reorders the ops within their dependences, without recompute,
// for the least live peak: the start for searches with a free order, which
// without it stay in a bad region of the orders.
//
// A greedy list schedule that frees as many bytes as it can at each step (the
// rule of register-pressure schedulers), then annealing over single moves. Not
// optimal: the problem is NP-hard (Sethi 1975).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_SCHEDULER_H
#define RINGI_PLANNER_SCHEDULER_H

#include "ringi/Planner/Plan.h"

namespace ringi::planner {

struct SchedulerOptions {
  /// Relocations tried; 0 takes a number that grows with the graph, none for
  /// more than 20,000 ops.
  int64_t moves = 0;
  uint64_t seed = 0;
};

/// \returns a plan that runs every op once, with claims filled and a live peak
/// no higher than that of the given order. Ops with effects keep their order
/// and required overwrites stay after the other readers.
/// O((n + m) log n + moves x degree).
Plan scheduleForPeak(const Problem &problem,
                     const SchedulerOptions &options = {});

} // namespace ringi::planner

#endif // RINGI_PLANNER_SCHEDULER_H
