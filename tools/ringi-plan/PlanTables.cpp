//===- PlanTables.cpp - Several plans of one graph ------------------------===//
//
// Part of Ringi. --compare prints every strategy, --pareto every budget, as a
// table or as an array of JSON objects.
//
//===----------------------------------------------------------------------===//

#include "PlanRun.h"

#include "ringi/Planner/Pareto.h"

#include <cstdio>

namespace ringi::tool {

using namespace planner;

namespace {

/// Rows go out as they come in a table, at the end in JSON.
class Rows {
public:
  explicit Rows(PlanRun &run) : run(run), json(run.arguments.json) {
    if (!json)
      printTableHead();
  }

  void add(const PlanRecord &record) {
    run.progress.clear();
    if (json)
      list.push_back(toJson(record));
    else
      printTableRow(record);
    std::fflush(stdout);
  }

  void addInfeasible(const StrategyOptions &options, const char *name,
                     std::optional<int64_t> minimum, double seconds) {
    run.progress.clear();
    if (json) {
      list.push_back(
          infeasibleJson(options, run.keepAllPeak, minimum, seconds));
      list.back()["strategy"] = name;
    } else {
      printInfeasibleRow(name, options.budget, minimum);
    }
    std::fflush(stdout);
  }

  void finish() const {
    if (json)
      std::printf("%s\n", list.dump(2).c_str());
  }

private:
  PlanRun &run;
  const bool json;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
};

} // namespace

Status compareStrategies(PlanRun &run) {
  std::optional<int64_t> minimum;
  if (run.arguments.json)
    minimum = run.minimumBudget();
  Rows rows(run);
  auto show = [&](Strategy strategy, int64_t budget, const char *name,
                  SelectiveKeep keep = SelectiveKeep::Gemm) -> Status {
    StrategyOptions options = run.options;
    options.strategy = strategy;
    options.budget = budget;
    options.keep = keep;
    run.progress.say(name);
    Stopwatch watch;
    Expected<Plan> plan = planStrategy(run.problem, options);
    if (plan) {
      run.addBound(*plan);
      plan->strategy = name;
      rows.add(run.record(*plan, watch.seconds(), minimum));
      return Status::success();
    }
    if (plan.error().kind != Error::Kind::Refused)
      return plan.error();
    // One row that cannot be does not take the others away.
    double seconds = watch.seconds();
    if (!minimum)
      minimum = run.minimumBudget();
    rows.addInfeasible(options, name, minimum, seconds);
    std::fprintf(stderr, "ringi-plan: warning: %s\n",
                 plan.error().message.c_str());
    return Status::success();
  };
  for (Strategy strategy :
       {Strategy::None, Strategy::Selective, Strategy::EveryBlock,
        Strategy::Sqrt, Strategy::RecomputeAll, Strategy::Manual}) {
    if (Status status = show(strategy, 0, toString(strategy)); !status)
      return status;
    if (strategy != Strategy::Selective)
      continue;
    if (Status status =
            show(strategy, 0, "weight-gemm", SelectiveKeep::WeightGemm);
        !status)
      return status;
  }
  if (run.options.budget > 0)
    if (Status status = show(Strategy::MemoryBudget, run.options.budget,
                             toString(Strategy::MemoryBudget));
        !status)
      return status;
  rows.finish();
  return Status::success();
}

Status sweepBudgets(PlanRun &run) {
  run.progress.say("sweeping budgets");
  Stopwatch watch;
  Expected<std::vector<Plan>> plans =
      planPareto(run.problem, run.options, run.arguments.points);
  if (!plans)
    return plans.error();
  double seconds = watch.seconds();
  std::optional<int64_t> minimum;
  if (!plans->empty())
    minimum = plans->front().claims.livePeak;
  Rows rows(run);
  for (const Plan &plan : *plans)
    rows.add(run.record(plan, seconds, minimum));
  rows.finish();
  if (!run.arguments.json)
    std::printf("time           %.3f s\n", seconds);
  return Status::success();
}

} // namespace ringi::tool
