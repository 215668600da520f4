//===- PlanCommand.cpp - ringi-plan graph.json ----------------------------===//
//
// Part of Ringi. One graph: a plan, a table of all strategies, the front of all
// budgets, or the check of a plan file.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Report.h"

#include "ringi/Planner/Bounds.h"
#include "ringi/Planner/GraphFile.h"
#include "ringi/Planner/MinimumBudget.h"
#include "ringi/Planner/Pareto.h"
#include "ringi/Planner/PlanJson.h"
#include "ringi/Planner/Verifier.h"
#include "ringi/Support/DeviceSpec.h"
#include "ringi/Support/NumberText.h"

#include <cstdio>
#include <memory>
#include <unistd.h>

namespace ringi::tool {

using namespace planner;

namespace {

struct PlanArguments {
  std::string graph, budget, strategy, order = "fixed", keep = "gemm";
  std::string output, verify, device, deviceMemory;
  /// Whether they were given at all: an empty one is an error then.
  bool hasBudget = false, hasStrategy = false, hasDevice = false,
       hasDeviceMemory = false;
  double effort = 1;
  uint64_t seed = 0;
  int32_t segments = 0, points = 10;
  bool compare = false, pareto = false, json = false;
};

/// A line on the terminal while something takes long, each over the one before;
/// nothing when stderr is not a terminal.
class Progress {
public:
  Progress() : shown(isatty(STDERR_FILENO)) {}
  ~Progress() {
    if (shown)
      std::fprintf(stderr, "\r\033[K");
  }
  void say(const std::string &what) const {
    if (shown)
      std::fprintf(stderr,
                   "\r\033[Kringi-plan: %s (Ctrl-C for the best so far)",
                   what.c_str());
  }

private:
  bool shown;
};

class PlanCommand {
public:
  explicit PlanCommand(const PlanArguments &arguments) : a(arguments) {}

  Status run() {
    if (Status status = load(); !status)
      return status;
    if (!a.verify.empty())
      return verify();
    if (a.compare)
      return compare();
    if (a.pareto)
      return sweep();
    return planOne();
  }

private:
  Status load() {
    if (a.graph.empty())
      return Error::badInput("no graph file given; see ringi-plan --help");
    if (!(a.effort > 0))
      return Error::badInput("effort " + numberText(a.effort) +
                             " is not above 0; 1 is the default");
    if (a.effort > 1e6)
      return Error::badInput("effort " + numberText(a.effort) +
                             " is above 1000000; 1 is the default");
    int modes = !a.verify.empty() + a.compare + a.pareto;
    if (modes > 1)
      return Error::badInput("--verify, --compare and --pareto exclude each "
                             "other; give one of them");
    if (!a.output.empty() && modes > 0)
      return Error::badInput("-o writes a single plan; drop --verify, "
                             "--compare or --pareto");
    Expected<Problem> read = readGraphFile(a.graph);
    if (!read)
      return read.error();
    problem = std::move(*read);
    keepAllPeak = makeKeepAllPlan(problem).claims.livePeak;
    return readOptions();
  }

  Status readOptions() {
    options.order = a.order == "free" ? Order::Free : Order::Fixed;
    options.keep = a.keep == "weight-gemm" ? SelectiveKeep::WeightGemm
                                           : SelectiveKeep::Gemm;
    options.segments = a.segments;
    options.effort = a.effort;
    options.seed = a.seed;
    options.stop = &stopRequested;
    options.progress = [this](const std::string &what) { progress.say(what); };
    options.strategy = a.hasBudget ? Strategy::MemoryBudget : Strategy::None;
    if (a.hasStrategy) {
      Expected<Strategy> strategy = parseStrategy(a.strategy);
      if (!strategy)
        return strategy.error();
      options.strategy = *strategy;
    }
    int64_t deviceBytes = 0;
    if (a.hasDevice) {
      if (a.hasDeviceMemory)
        return Error::badInput("--device and --device-memory both give the "
                               "memory; leave one of them out");
      Expected<DeviceSpec> spec = resolveDevice(a.device);
      if (!spec)
        return spec.error();
      deviceBytes = spec->memory;
    }
    if (a.hasDeviceMemory) {
      Expected<int64_t> bytes = parseBudget(a.deviceMemory, keepAllPeak, 0);
      if (!bytes)
        return bytes.error();
      deviceBytes = *bytes;
    }
    if (a.hasBudget) {
      Expected<int64_t> budget =
          parseBudget(a.budget, keepAllPeak, deviceBytes);
      if (!budget)
        return budget.error();
      options.budget = *budget;
    } else if (options.strategy == Strategy::MemoryBudget && !a.pareto &&
               !a.compare) {
      return Error::badInput("strategy 'memory-budget' needs a budget; give "
                             "--budget, for example --budget 60%");
    }
    return Status::success();
  }

  PlanRecord record(const Plan &plan, double seconds,
                    int64_t minimum = 0) const {
    return {problem, plan, options.order, keepAllPeak, minimum, seconds};
  }

  /// The least budget that the planner reaches; 0 when there is no plan at all.
  int64_t minimumBudget() const {
    Expected<MinimumBudget> minimum = computeMinimumBudget(problem, options);
    return minimum ? minimum->bytes : 0;
  }

  /// What the plan's own strategy did not prove is proven here, at its peak.
  void addBound(Plan &plan) const {
    if (plan.claims.boundClass != BoundClass::None ||
        plan.claims.recomputes == 0)
      return;
    CostBound bound =
        computeBound(problem, plan.claims.livePeak, options.order);
    plan.claims.lowerBound = bound.cost;
    plan.claims.boundClass = bound.boundClass;
  }

  static void printWarnings(const Plan &plan) {
    for (const std::string &warning : plan.warnings)
      std::fprintf(stderr, "ringi-plan: warning: %s\n", warning.c_str());
  }

  Status planOne() {
    progress.say("planning");
    Stopwatch watch;
    Expected<Plan> plan = planStrategy(problem, options);
    double seconds = watch.seconds();
    if (!plan) {
      if (a.json && plan.error().kind == Error::Kind::Refused &&
          options.strategy == Strategy::MemoryBudget) {
        std::printf("%s\n",
                    infeasibleJson(options.order, options.budget, keepAllPeak,
                                   minimumBudget(), seconds)
                        .dump(2)
                        .c_str());
      }
      return plan.error();
    }
    printWarnings(*plan);
    addBound(*plan);
    if (!a.output.empty())
      if (Status status =
              writeTextFile(a.output, writePlanJson(problem, *plan));
          !status)
        return status;
    if (!a.json) {
      printPlan(record(*plan, seconds));
      return Status::success();
    }
    std::printf(
        "%s\n",
        toJson(record(*plan, seconds, minimumBudget())).dump(2).c_str());
    return Status::success();
  }

  Status compare() {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    const int64_t minimum = a.json ? minimumBudget() : 0;
    if (!a.json)
      printTableHead();
    auto show = [&](StrategyOptions each, const char *name) -> Status {
      progress.say(name);
      Stopwatch watch;
      Expected<Plan> plan = planStrategy(problem, each);
      if (!plan)
        return plan.error();
      addBound(*plan);
      plan->strategy = name;
      if (a.json)
        rows.push_back(toJson(record(*plan, watch.seconds(), minimum)));
      else
        printTableRow(record(*plan, watch.seconds()));
      return Status::success();
    };
    for (Strategy strategy :
         {Strategy::None, Strategy::Selective, Strategy::EveryBlock,
          Strategy::Sqrt, Strategy::RecomputeAll, Strategy::Manual}) {
      StrategyOptions each = options;
      each.strategy = strategy;
      each.budget = 0;
      if (Status status = show(each, toString(strategy)); !status)
        return status;
      if (strategy != Strategy::Selective)
        continue;
      each.keep = SelectiveKeep::WeightGemm;
      if (Status status = show(each, "weight-gemm"); !status)
        return status;
    }
    if (options.budget > 0) {
      StrategyOptions each = options;
      each.strategy = Strategy::MemoryBudget;
      if (Status status = show(each, "memory-budget"); !status)
        return status;
    }
    if (a.json)
      std::printf("%s\n", rows.dump(2).c_str());
    return Status::success();
  }

  Status sweep() {
    progress.say("sweeping budgets");
    Stopwatch watch;
    Expected<std::vector<Plan>> plans = planPareto(problem, options, a.points);
    if (!plans)
      return plans.error();
    double seconds = watch.seconds();
    int64_t minimum = plans->empty() ? 0 : plans->front().claims.livePeak;
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    if (!a.json)
      printTableHead();
    for (const Plan &plan : *plans) {
      if (a.json)
        rows.push_back(toJson(record(plan, seconds, minimum)));
      else
        printTableRow(record(plan, seconds));
    }
    if (a.json)
      std::printf("%s\n", rows.dump(2).c_str());
    else
      std::printf("time           %.3f s\n", seconds);
    return Status::success();
  }

  Status verify() {
    Stopwatch watch;
    Expected<std::string> text = readTextFile(a.verify);
    if (!text)
      return text.error();
    Expected<Plan> plan = readPlanJson(problem, *text);
    if (!plan)
      return Error{a.verify + ": " + plan.error().message, plan.error().kind};
    // A budget on the command line binds the plan as well.
    if (options.budget > 0)
      plan->budget = options.budget;
    Expected<VerifiedPlan> verified = verifyPlan(problem, *plan);
    if (!verified)
      return Error{a.verify + ": " + verified.error().message,
                   verified.error().kind};
    if (a.json)
      std::printf("%s\n",
                  toJson(record(*plan, watch.seconds(), minimumBudget()))
                      .dump(2)
                      .c_str());
    else
      std::printf("verified: live peak %s, %lld recomputes, extra cost %.4f "
                  "%%\n",
                  formatBytes(verified->livePeak).c_str(),
                  (long long)verified->recomputes,
                  percentOfCost(problem, verified->recomputeCost));
    return Status::success();
  }

  const PlanArguments &a;
  Problem problem;
  StrategyOptions options;
  int64_t keepAllPeak = 0;
  Progress progress;
};

} // namespace

Action addPlanCommand(CLI::App &app) {
  auto arguments = std::make_shared<PlanArguments>();
  PlanArguments &a = *arguments;
  app.add_option("graph", a.graph,
                 "Graph file: Ringi's graph JSON, networkx node-link or an "
                 "AOTAutograd dump");
  CLI::Option *budget = app.add_option(
      "--budget", a.budget,
      "Live peak allowed: 8GiB, 500MB, 1234, 60% of the keep-all "
      "peak, or auto");
  CLI::Option *strategy = app.add_option(
      "--strategy", a.strategy,
      "none, every-block, sqrt, selective, recompute-all, manual or "
      "memory-budget (the default with --budget)");
  app.add_option("--order", a.order,
                 "fixed keeps the given order, free may "
                 "reorder")
      ->check(CLI::IsMember({"fixed", "free"}))
      ->capture_default_str();
  app.add_option("--keep", a.keep, "What selective keeps")
      ->check(CLI::IsMember({"gemm", "weight-gemm"}))
      ->capture_default_str();
  app.add_option("--segments", a.segments,
                 "Segments of sqrt; 0 takes about the square root")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_option("--effort", a.effort,
                 "Search effort, in multiples of the "
                 "default")
      ->capture_default_str();
  app.add_option("--seed", a.seed, "Seed of the search")->capture_default_str();
  CLI::Option *device =
      app.add_option("--device", a.device,
                     "Device whose memory --budget auto takes: a built-in name "
                     "or a file of ringi-run --calibrate");
  CLI::Option *deviceMemory =
      app.add_option("--device-memory", a.deviceMemory,
                     "Memory of the device, for --budget auto");
  app.add_option("-o,--output", a.output, "Write the plan to this file");
  app.add_option("--verify", a.verify, "Check this plan file independently");
  app.add_flag("--compare", a.compare, "Every strategy in one table");
  app.add_flag("--pareto", a.pareto, "The whole front of budgets");
  app.add_option("--points", a.points, "Points of --pareto")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  app.add_flag("--json", a.json, "Print JSON");
  return [arguments, budget, strategy, device, deviceMemory] {
    arguments->hasBudget = budget->count() > 0;
    arguments->hasStrategy = strategy->count() > 0;
    arguments->hasDevice = device->count() > 0;
    arguments->hasDeviceMemory = deviceMemory->count() > 0;
    return PlanCommand(*arguments).run();
  };
}

} // namespace ringi::tool
