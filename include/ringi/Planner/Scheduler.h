//===- Scheduler.h - An order of ops with a low peak ------------*- C++ -*-===//
//
// Part of Ringi. Reorders the ops within their dependences, without recompute,
// for the least live peak: a start for searches with a free order.
//
// A greedy list schedule by bytes freed, then a beam search over sets of done
// ops, in the line of Liu et al. (OLLA/MODel) and of register-pressure
// scheduling; optimal for neither, so the better of them and the given order is
// returned.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_SCHEDULER_H
#define RINGI_PLANNER_SCHEDULER_H

#include "ringi/Planner/Plan.h"

namespace ringi::planner {

struct SchedulerOptions {
  /// States kept per step of the beam search; 0 runs the greedy schedule only.
  int32_t beamWidth = 32;
  /// Graphs with more ops than this get the greedy schedule only.
  int32_t beamLimit = 4000;
};

/// \returns a plan that runs every op once, with a live peak no higher than
/// that of the given order. Required overwrites stay after the other readers.
/// O(n x beamWidth x ready ops).
Plan scheduleForPeak(const Problem &problem,
                     const SchedulerOptions &options = {});

} // namespace ringi::planner

#endif // RINGI_PLANNER_SCHEDULER_H
