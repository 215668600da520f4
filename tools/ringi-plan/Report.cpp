//===- Report.cpp - What ringi-plan prints --------------------------------===//
//
// Part of Ringi. See Report.h.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "ringi/Planner/Simulator.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

namespace ringi::tool {

using namespace planner;

static double now() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Stopwatch::Stopwatch() : start(now()) {}
double Stopwatch::seconds() const { return now() - start; }

std::string formatBytes(int64_t bytes) {
  const char *units[] = {"KiB", "MiB", "GiB", "TiB", "PiB"};
  std::string text = std::to_string(bytes) + " bytes";
  double value = double(bytes);
  int unit = -1;
  while (value >= 1024 && unit < 4) {
    value /= 1024;
    ++unit;
  }
  if (unit < 0)
    return text;
  char small[40];
  std::snprintf(small, sizeof small, " (%.2f %s)", value, units[unit]);
  return text + small;
}

double percentOfCost(const Problem &problem, double cost) {
  double total = problem.totalCost();
  return total > 0 ? 100 * cost / total : 0;
}

static const char *orderName(Order order) {
  return order == Order::Fixed ? "fixed" : "free";
}

/// A number, or null where there is none.
static nlohmann::ordered_json orNull(std::optional<int64_t> value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json();
}

/// What is above the bound; rounding does not bring it below 0.
static double gapOf(double extra, double bound) {
  return std::max(0.0, extra - bound);
}

nlohmann::ordered_json toJson(const PlanRecord &record) {
  const Claims &claims = record.plan.claims;
  double extra = percentOfCost(record.problem, claims.recomputeCost);
  double bound = percentOfCost(record.problem, claims.lowerBound);
  nlohmann::ordered_json json;
  json["status"] = "planned";
  json["strategy"] = record.plan.strategy;
  json["order"] = orderName(record.order);
  json["budget_bytes"] = record.plan.budget;
  json["live_peak_bytes"] = claims.livePeak;
  json["keep_all_peak_bytes"] = record.keepAllPeak;
  json["minimum_budget_bytes"] = orNull(record.minimumBudget);
  json["saved_activation_bytes"] =
      savedActivationBytes(record.problem, record.plan);
  json["extra_cost_percent"] = extra;
  json["bound_percent"] = bound;
  json["bound_class"] = toString(claims.boundClass);
  json["gap_percent"] = gapOf(extra, bound);
  json["recomputes"] = claims.recomputes;
  json["seconds"] = record.seconds;
  return json;
}

nlohmann::ordered_json infeasibleJson(const StrategyOptions &options,
                                      int64_t keepAllPeak,
                                      std::optional<int64_t> minimumBudget,
                                      double seconds) {
  nlohmann::ordered_json json;
  json["status"] = "infeasible";
  json["strategy"] = toString(options.strategy);
  json["order"] = orderName(options.order);
  json["budget_bytes"] = options.budget;
  json["live_peak_bytes"] = nullptr;
  json["keep_all_peak_bytes"] = keepAllPeak;
  json["minimum_budget_bytes"] = orNull(minimumBudget);
  json["saved_activation_bytes"] = nullptr;
  json["extra_cost_percent"] = nullptr;
  json["bound_percent"] = nullptr;
  json["bound_class"] = "none";
  json["gap_percent"] = nullptr;
  json["recomputes"] = nullptr;
  json["seconds"] = seconds;
  return json;
}

/// Where the peak is and the largest storages there: what a smaller budget
/// would have to attack.
static void printPeak(const PlanRecord &record) {
  Expected<Timeline> timeline = simulate(record.problem, record.plan);
  if (!timeline || timeline->peakExecution == kNone)
    return;
  ExecutionIndex peak = timeline->peakExecution;
  const Op &op = record.problem.ops[record.plan.schedule[peak].op];
  std::printf("peak at        execution %d, op '%s'%s\n", peak, op.name.c_str(),
              findClones(record.problem, record.plan)[peak] ? " (recomputed)"
                                                            : "");
  std::vector<const Buffer *> alive;
  for (const Buffer &buffer : timeline->buffers)
    if (buffer.first <= peak && peak <= buffer.last && buffer.bytes > 0)
      alive.push_back(&buffer);
  std::stable_sort(
      alive.begin(), alive.end(),
      [](const Buffer *a, const Buffer *b) { return a->bytes > b->bytes; });
  for (size_t i = 0; i < alive.size() && i < 3; ++i) {
    const Buffer &buffer = *alive[i];
    std::printf("  alive        %s, %s\n",
                buffer.storage == kNone
                    ? "workspace"
                    : ("'" + record.problem.storages[buffer.storage].name + "'")
                          .c_str(),
                formatBytes(buffer.bytes).c_str());
  }
  if (alive.size() > 3)
    std::printf("  alive        and %zu more\n", alive.size() - 3);
}

void printPlan(const PlanRecord &record) {
  const Plan &plan = record.plan;
  const Claims &claims = plan.claims;
  double extra = percentOfCost(record.problem, claims.recomputeCost);
  double bound = percentOfCost(record.problem, claims.lowerBound);
  std::printf("graph          %s, %zu ops\n", record.problem.name.c_str(),
              record.problem.ops.size());
  std::printf("strategy       %s, order %s\n", plan.strategy.c_str(),
              orderName(record.order));
  if (plan.budget > 0)
    std::printf("budget         %s\n", formatBytes(plan.budget).c_str());
  std::printf("live peak      %s\n", formatBytes(claims.livePeak).c_str());
  std::printf("keep-all peak  %s\n", formatBytes(record.keepAllPeak).c_str());
  std::printf("saved          %s\n",
              formatBytes(savedActivationBytes(record.problem, plan)).c_str());
  std::printf("extra cost     %.4f %%\n", extra);
  if (claims.boundClass != BoundClass::None) {
    std::printf("lower bound    %.4f %% (%s)\n", bound,
                toString(claims.boundClass));
    std::printf("gap            %.4f points\n", gapOf(extra, bound));
  }
  std::printf("recomputes     %lld\n", (long long)claims.recomputes);
  printPeak(record);
  std::printf("time           %.3f s\n", record.seconds);
}

void printTableHead() {
  std::printf("%-14s %16s %16s %16s %9s %9s %9s %10s\n", "strategy", "budget",
              "live peak", "saved", "extra %", "bound %", "gap", "recomputes");
}

void printTableRow(const PlanRecord &record) {
  const Claims &claims = record.plan.claims;
  double extra = percentOfCost(record.problem, claims.recomputeCost);
  double bound = percentOfCost(record.problem, claims.lowerBound);
  std::string budget =
      record.plan.budget > 0 ? std::to_string(record.plan.budget) : "-";
  char boundText[40] = "-", gapText[40] = "-";
  if (claims.boundClass != BoundClass::None) {
    std::snprintf(boundText, sizeof boundText, "%.4f", bound);
    std::snprintf(gapText, sizeof gapText, "%.4f", gapOf(extra, bound));
  }
  std::printf("%-14s %16s %16lld %16lld %9.4f %9s %9s %10lld\n",
              record.plan.strategy.c_str(), budget.c_str(),
              (long long)claims.livePeak,
              (long long)savedActivationBytes(record.problem, record.plan),
              extra, boundText, gapText, (long long)claims.recomputes);
}

void printInfeasibleRow(const char *strategy, int64_t budget,
                        std::optional<int64_t> minimumBudget) {
  std::string least = "no plan at any budget";
  if (minimumBudget)
    least = "minimum " + std::to_string(*minimumBudget);
  std::printf("%-14s %16s %16s %s\n", strategy,
              budget > 0 ? std::to_string(budget).c_str() : "-", "infeasible",
              least.c_str());
}

} // namespace ringi::tool
