//===- PlanCommand.cpp - ringi-plan graph.json ----------------------------===//
//
// Part of Ringi. Checks the options, reads the graph, and either plans it or
// checks a plan of it. PlanTables.cpp has what prints several plans.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "PlanRun.h"

#include "ringi/Planner/Bounds.h"
#include "ringi/Planner/GraphFile.h"
#include "ringi/Planner/MinimumBudget.h"
#include "ringi/Planner/PlanJson.h"
#include "ringi/Planner/Verifier.h"

#include <algorithm>
#include <cstdio>
#include <memory>

namespace ringi::tool {

using namespace planner;

std::optional<int64_t> PlanRun::minimumBudget() const {
  progress.say("searching for the minimum budget");
  Expected<MinimumBudget> minimum = computeMinimumBudget(problem, options);
  return minimum ? std::optional(minimum->bytes) : std::nullopt;
}

void PlanRun::addBound(Plan &plan) const {
  if (plan.claims.boundClass != BoundClass::None || plan.claims.recomputes == 0)
    return;
  CostBound bound = computeBound(problem, plan.claims.livePeak, options.order);
  plan.claims.lowerBound = std::min(bound.cost, plan.claims.recomputeCost);
  plan.claims.boundClass = bound.boundClass;
}

static void printJson(const nlohmann::ordered_json &json) {
  std::printf("%s\n", json.dump(2).c_str());
}

Status planOne(PlanRun &run) {
  const PlanArguments &a = run.arguments;
  run.progress.say("planning");
  Stopwatch watch;
  Expected<Plan> plan = planStrategy(run.problem, run.options);
  double seconds = watch.seconds();
  if (!plan) {
    if (a.json && plan.error().kind == Error::Kind::Refused)
      printJson(infeasibleJson(run.options, run.keepAllPeak,
                               run.minimumBudget(), seconds));
    return plan.error();
  }
  run.addBound(*plan);
  std::optional<int64_t> minimum;
  if (a.json)
    minimum = run.minimumBudget();
  run.progress.clear();
  for (const std::string &warning : plan->warnings)
    std::fprintf(stderr, "ringi-plan: warning: %s\n", warning.c_str());
  if (!a.output.empty())
    if (Status status =
            writeTextFile(a.output, writePlanJson(run.problem, *plan));
        !status)
      return status;
  if (a.json)
    printJson(toJson(run.record(*plan, seconds, minimum)));
  else
    printPlan(run.record(*plan, seconds));
  return Status::success();
}

Status verifyFile(PlanRun &run) {
  const std::string &path = run.arguments.verify;
  Stopwatch watch;
  Expected<std::string> text = readTextFile(path);
  if (!text)
    return text.error();
  Expected<Plan> plan = readPlanJson(run.problem, *text);
  if (!plan)
    return Error{path + ": " + plan.error().message, plan.error().kind};
  // A budget on the command line binds the plan as well.
  if (run.options.budget > 0)
    plan->budget = run.options.budget;
  Expected<VerifiedPlan> verified = verifyPlan(run.problem, *plan);
  if (!verified)
    return Error{path + ": " + verified.error().message, verified.error().kind};
  double seconds = watch.seconds();
  if (!run.arguments.json) {
    std::printf("verified: live peak %s, recomputes %lld, extra cost %.4f %%\n",
                formatBytes(verified->livePeak).c_str(),
                (long long)verified->recomputes,
                percentOfCost(run.problem, verified->recomputeCost));
    return Status::success();
  }
  run.options.order =
      keepsGivenOrder(run.problem, *plan) ? Order::Fixed : Order::Free;
  // The file's bound is a claim that nobody checked.
  plan->claims.boundClass = BoundClass::None;
  plan->claims.lowerBound = 0;
  run.addBound(*plan);
  printJson(toJson(run.record(*plan, seconds, run.minimumBudget())));
  return Status::success();
}

static Status runPlanCommand(const CLI::App &app, const PlanArguments &a) {
  if (Status status = checkPlanOptions(app, a); !status)
    return status;
  Expected<Problem> problem = readGraphFile(a.graph);
  if (!problem)
    return problem.error();
  int64_t keepAllPeak = makeKeepAllPlan(*problem).claims.livePeak;
  Expected<StrategyOptions> options = resolvePlanOptions(app, a, keepAllPeak);
  if (!options)
    return options.error();
  PlanRun run{a, std::move(*problem), std::move(*options), keepAllPeak, {}};
  run.options.stop = &stopRequested;
  run.options.progress = [&run](const std::string &what) {
    run.progress.say(what);
  };
  if (!a.verify.empty())
    return verifyFile(run);
  if (a.compare)
    return compareStrategies(run);
  return a.pareto ? sweepBudgets(run) : planOne(run);
}

Action addPlanCommand(CLI::App &app) {
  auto arguments = std::make_shared<PlanArguments>();
  addPlanOptions(app, *arguments);
  return [arguments, &app] { return runPlanCommand(app, *arguments); };
}

} // namespace ringi::tool
