//===- PlanOptions.h - The options of ringi-plan graph.json -----*- C++ -*-===//
//
// Part of Ringi. What can be asked of one graph, which options go together, and
// what they mean to the planner.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_PLAN_PLANOPTIONS_H
#define RINGI_TOOLS_RINGI_PLAN_PLANOPTIONS_H

#include "ringi/Planner/Strategies.h"

#include <CLI/CLI.hpp>

#include <string>

namespace ringi::tool {

struct PlanArguments {
  std::string graph, budget, strategy, order = "fixed", keep = "gemm";
  std::string output, verify, device, deviceMemory;
  double effort = 1;
  uint64_t seed = 0;
  int32_t segments = 0, points = 10;
  bool compare = false, pareto = false, json = false;

  bool isSinglePlan() const { return verify.empty() && !compare && !pareto; }
};

/// Declares the options; `arguments` must outlive the parsing.
void addPlanOptions(CLI::App &app, PlanArguments &arguments);

/// The strategy that was asked for: memory-budget where only a budget is given.
Expected<planner::Strategy> chosenStrategy(const CLI::App &app,
                                           const PlanArguments &arguments);

/// Refuses options that exclude each other, that would not be read, and values
/// out of range. Nothing is read from files.
Status checkPlanOptions(const CLI::App &app, const PlanArguments &arguments);

/// Checked options as the planner takes them; budgets are in bytes of the graph
/// whose keep-all peak is given. `stop` and `progress` are left to the caller.
Expected<planner::StrategyOptions>
resolvePlanOptions(const CLI::App &app, const PlanArguments &arguments,
                   int64_t keepAllPeak);

} // namespace ringi::tool

#endif // RINGI_TOOLS_RINGI_PLAN_PLANOPTIONS_H
