//===- Pareto.cpp - All budgets of one problem in one run -------*- C++ -*-===//
//
// Part of Ringi. One ladder, asked for evenly spaced budgets.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Pareto.h"

#include "BudgetPlan.h"
#include "ringi/Planner/BackwardOrder.h"

namespace ringi::planner {

Expected<std::vector<Plan>> planPareto(const Problem &problem,
                                       const StrategyOptions &options,
                                       int32_t points) {
  if (points < 2)
    return Error::badInput("a front of " + std::to_string(points) +
                           " points was asked for; ask for 2 or more");
  if (Status status = problem.check(); !status)
    return status.error();
  WorkingOrder working(problem, options.order);
  BudgetLadder ladder(working.problem(), options);
  if (!ladder.unplanned())
    return ladder.unplanned().error();
  int64_t from = ladder.leastPeak().claims.livePeak;
  int64_t to = std::max(from, ladder.unplanned()->claims.livePeak);
  std::vector<Plan> front;
  for (int32_t i = 0; i < points; ++i) {
    StrategyOptions here = options;
    here.budget = from + int64_t(double(to - from) * i / (points - 1));
    if (i == points - 1)
      here.budget = to;
    std::optional<Plan> plan = ladder.planAt(here.budget);
    if (!plan)
      continue;
    Expected<Plan> finished =
        finishBudgetPlan(working.problem(), std::move(*plan), here);
    if (!finished)
      return finished.error();
    working.restore(*finished);
    front.push_back(std::move(*finished));
  }
  return front;
}

} // namespace ringi::planner
