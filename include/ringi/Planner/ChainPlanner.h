//===- ChainPlanner.h - Nested recompute along a chain ----------*- C++ -*-===//
//
// Part of Ringi. Dynamic programming over a chain of blocks: at each block keep
// one of several sets of internals, or keep only a later boundary and come
// back. This is the strategy for budgets that a single recompute per value
// cannot reach.
//
// The recurrence is rotor's (Beaumont, Eyraud-Dubois, Herrmann, Joly, Shilova
// 2019) over heterogeneous blocks, with several options per block as in
// Rockmate (Zhao et al. 2023); on equal blocks it finds what revolve (Griewank,
// Walther 2000) finds. Exact for persistent schedules of the chain up to the
// memory resolution; long chains are planned over groups of blocks, which is
// not exact.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_CHAINPLANNER_H
#define RINGI_PLANNER_CHAINPLANNER_H

#include "ringi/Planner/BlockDetection.h"
#include "ringi/Planner/Plan.h"

namespace ringi::planner {

struct ChainPlannerOptions {
  /// Bytes of live peak.
  int64_t budget = 0;
  /// The memory axis of the recurrence has this many steps. Sizes are rounded
  /// to the nearest step; what that distorts is put right by simulating plans
  /// for several memory sizes.
  int32_t memorySteps = 400;
  /// Chains with more blocks than this are grouped.
  int32_t maxBlocks = 64;
};

/// Plans the chain that `chain` (detectChain) finds in `problem` within the
/// budget, at the least cost the recurrence knows.
///
/// \returns a plan accepted by simulate() that keeps the given order of first
/// executions, honours the marks and has its claims filled. When the recurrence
/// finds nothing within the budget it is the plan of least peak that it knows:
/// the caller compares claims.livePeak. O(maxBlocks^3 x memorySteps + n + m).
Plan planChain(const Problem &problem, const Chain &chain,
               const ChainPlannerOptions &options);

} // namespace ringi::planner

#endif // RINGI_PLANNER_CHAINPLANNER_H
