//===- PlanRun.h - What ringi-plan does with one graph ----------*- C++ -*-===//
//
// Part of Ringi. A graph that is read, what is asked of it, and the four things
// that can be done: plan it, check a plan of it, compare strategies, sweep
// budgets.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_PLAN_PLANRUN_H
#define RINGI_TOOLS_RINGI_PLAN_PLANRUN_H

#include "PlanOptions.h"
#include "Progress.h"
#include "Report.h"

#include <optional>

namespace ringi::tool {

struct PlanRun {
  const PlanArguments &arguments;
  planner::Problem problem;
  planner::StrategyOptions options;
  int64_t keepAllPeak = 0;
  Progress progress;

  PlanRecord record(const planner::Plan &plan, double seconds,
                    std::optional<int64_t> minimum = std::nullopt) const {
    return {problem, plan, options.order, keepAllPeak, minimum, seconds};
  }
  /// The least budget that the planner reaches under the order, effort and seed
  /// asked for; nothing when no plan honours the marks.
  std::optional<int64_t> minimumBudget() const;
  /// What the plan's own strategy did not prove is proven here, at its peak.
  void addBound(planner::Plan &plan) const;
};

/// One plan, printed and, where asked for, written.
Status planOne(PlanRun &run);
/// The independent check of a plan file.
Status verifyFile(PlanRun &run);
/// Every strategy in one table (PlanTables.cpp).
Status compareStrategies(PlanRun &run);
/// The front of all budgets (PlanTables.cpp).
Status sweepBudgets(PlanRun &run);

} // namespace ringi::tool

#endif // RINGI_TOOLS_RINGI_PLAN_PLANRUN_H
