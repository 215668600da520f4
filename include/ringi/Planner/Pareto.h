//===- Pareto.h - All budgets of one problem in one run ---------*- C++ -*-===//
//
// Part of Ringi. The front of live peak against recompute cost: evenly spaced
// budgets from the least feasible to the peak of keeping everything, each with
// its plan and proven bound. The points share the rungs of one ladder.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_PARETO_H
#define RINGI_PLANNER_PARETO_H

#include "ringi/Planner/Strategies.h"

namespace ringi::planner {

/// Plans `points` >= 2 budgets; the budget of `options` is not read.
///
/// \returns the plans by ascending budget; cost never rises with the budget,
/// and each plan equals what planMemoryBudget returns for its budget. An error
/// when the marks cannot be honoured or `points` is below 2.
Expected<std::vector<Plan>> planPareto(const Problem &problem,
                                       const StrategyOptions &options,
                                       int32_t points);

} // namespace ringi::planner

#endif // RINGI_PLANNER_PARETO_H
