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

MinimumBudget describeLeastPeak(const Problem &problem, BudgetLadder &ladder,
                                Order order);

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_BUDGETPLAN_H
