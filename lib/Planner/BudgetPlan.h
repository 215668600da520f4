//===- BudgetPlan.h - A plan of the ladder made presentable -----*- C++ -*-===//
//
// Part of Ringi. What memory-budget, the Pareto front and the minimum budget
// have in common.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_BUDGETPLAN_H
#define RINGI_LIB_PLANNER_BUDGETPLAN_H

#include "BudgetLadder.h"
#include "ringi/Planner/MinimumBudget.h"

namespace ringi::planner {

/// Names the plan, gives it its budget, decisions and proven bound, and
/// verifies it.
Expected<Plan> finishBudgetPlan(const Problem &problem, Plan plan,
                                const StrategyOptions &options);

/// What the ladder of `problem` reaches at least. With marks a second ladder
/// tells what they cost.
MinimumBudget describeLeastPeak(const Problem &problem, BudgetLadder &ladder,
                                const StrategyOptions &options);

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_BUDGETPLAN_H
