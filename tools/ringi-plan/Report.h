//===- Report.h - What ringi-plan prints ------------------------*- C++ -*-===//
//
// Part of Ringi. Plans as a page, as rows of a table and as JSON with stable
// keys (docs/graph-json.md, "Output of ringi-plan").
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_PLAN_REPORT_H
#define RINGI_TOOLS_RINGI_PLAN_REPORT_H

#include "ringi/Planner/Strategies.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

namespace ringi::tool {

/// CPU-independent wall clock, for the `seconds` of a report only.
class Stopwatch {
public:
  Stopwatch();
  double seconds() const;

private:
  double start;
};

/// "1234567 bytes (1.18 MiB)".
std::string formatBytes(int64_t bytes);

/// One planned point and what is known around it.
struct PlanRecord {
  const planner::Problem &problem;
  const planner::Plan &plan;
  planner::Order order;
  int64_t keepAllPeak = 0;
  /// The least budget that the planner reaches; for JSON only.
  std::optional<int64_t> minimumBudget;
  double seconds = 0;
};

/// In percent of one execution of every op.
double percentOfCost(const planner::Problem &problem, double cost);

nlohmann::ordered_json toJson(const PlanRecord &record);
/// What is known where the strategy and budget of `options` have no plan.
nlohmann::ordered_json infeasibleJson(const planner::StrategyOptions &options,
                                      int64_t keepAllPeak,
                                      std::optional<int64_t> minimumBudget,
                                      double seconds);

/// The page of a single plan.
void printPlan(const PlanRecord &record);

/// Head and rows of --compare and --pareto.
void printTableHead();
void printTableRow(const PlanRecord &record);
/// The row of a strategy that has no plan within the budget (0 = none given).
void printInfeasibleRow(const char *strategy, int64_t budget,
                        std::optional<int64_t> minimumBudget);

} // namespace ringi::tool

#endif // RINGI_TOOLS_RINGI_PLAN_REPORT_H
