//===- ChainPlanner.h - Nested recompute along a chain ----------*- C++ -*-===//
//
// Part of Ringi. Dynamic programming over a chain of blocks: at each block keep
// one of several sets of internals, or keep only a later boundary and come
// back. This is the strategy for budgets that a single recompute per value
// cannot reach.
//
// The recurrence is rotor's (Beaumont, Eyraud-Dubois, Herrmann, Joly, Shilova
// 2019) over heterogeneous blocks, with several options per block as in
// Rockmate (Zhao et al. 2023). Exact for persistent schedules of the chain
// up to the memory resolution; long chains are grouped and planned recursively,
// which is not exact.
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
  /// The memory axis of the recurrence has this many steps; sizes are rounded
  /// up, so a plan never exceeds the budget by rounding.
  int32_t memorySteps = 500;
  /// Chains with more blocks than this are grouped.
  int32_t maxBlocks = 80;
};

/// Plans the chain within the budget at the least cost the recurrence knows.
///
/// \returns a plan accepted by simulate() that honours the marks, claims
/// filled. When the recurrence finds nothing within the budget it returns the
/// plan of least peak that it knows: the caller compares claims.livePeak.
Plan planChain(const Problem &problem, const Chain &chain,
               const ChainPlannerOptions &options);

} // namespace ringi::planner

#endif // RINGI_PLANNER_CHAINPLANNER_H
