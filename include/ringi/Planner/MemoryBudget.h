//===- MemoryBudget.h - The least recompute within a budget -----*- C++ -*-===//
//
// Part of Ringi. Strategy memory-budget: a plan whose live peak is at most the
// budget, near the least recompute cost, with a proven lower bound.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_MEMORYBUDGET_H
#define RINGI_PLANNER_MEMORYBUDGET_H

#include "ringi/Planner/Strategies.h"

namespace ringi::planner {

/// Plans `problem` within `options.budget` bytes of live peak.
///
/// \returns a verified plan with its bound, or a Refused error that gives the
/// minimum feasible budget and the storages that force it.
Expected<Plan> planMemoryBudget(const Problem &problem,
                                const StrategyOptions &options);

} // namespace ringi::planner

#endif // RINGI_PLANNER_MEMORYBUDGET_H
