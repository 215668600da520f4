//===- PlanOptions.cpp - The options of ringi-plan graph.json -------------===//
//
// Part of Ringi. See PlanOptions.h.
//
//===----------------------------------------------------------------------===//

#include "PlanOptions.h"

#include "../CommandLine.h"
#include "OptionRules.h"

#include "ringi/Support/DeviceSpec.h"
#include "ringi/Support/NumberText.h"

namespace ringi::tool {

using namespace planner;

void addPlanOptions(CLI::App &app, PlanArguments &a) {
  app.add_option("graph", a.graph,
                 "Graph file: Ringi's graph JSON, networkx node-link or an "
                 "AOTAutograd dump");
  app.add_option("--budget", a.budget,
                 "Live peak allowed: 8GiB, 500MB, 1234, 60% of the keep-all "
                 "peak, or auto");
  app.add_option("--strategy", a.strategy,
                 "none, every-block, sqrt, selective, recompute-all, manual or "
                 "memory-budget (the default with --budget)");
  app.add_option("--order", a.order,
                 "fixed keeps the given order, free lets memory-budget "
                 "reorder; bounds and minimum budgets speak about the same")
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
                 "Search effort, in multiples of the default")
      ->capture_default_str();
  app.add_option("--seed", a.seed, "Seed of the search")
      ->check(commandline::unsignedNumber())
      ->capture_default_str();
  app.add_option("--device", a.device,
                 "Device whose memory --budget auto takes: a built-in name "
                 "or a file of ringi-run --calibrate");
  app.add_option("--device-memory", a.deviceMemory,
                 "Memory of the device, for --budget auto");
  app.add_option("-o,--output", a.output, "Write the plan to this file")
      ->check(commandline::writableFile());
  app.add_option("--verify", a.verify,
                 "Check this plan file independently, and against --budget "
                 "where it is given")
      ->check(commandline::nonEmpty());
  app.add_flag("--compare", a.compare, "Every strategy in one table");
  app.add_flag("--pareto", a.pareto, "The whole front of budgets");
  app.add_option("--points", a.points, "Points of --pareto")
      ->check(CLI::Range(2, 1000))
      ->capture_default_str();
  app.add_flag("--json", a.json, "Print JSON");
}

Expected<Strategy> chosenStrategy(const CLI::App &app, const PlanArguments &a) {
  if (app.count("--strategy") > 0)
    return parseStrategy(a.strategy);
  return app.count("--budget") > 0 || a.pareto ? Strategy::MemoryBudget
                                               : Strategy::None;
}

Status checkPlanOptions(const CLI::App &app, const PlanArguments &a) {
  if (a.graph.empty())
    return Error::badInput("no graph file given; see ringi-plan --help");
  if (!(a.effort > 0))
    return Error::badInput("effort " + numberText(a.effort) +
                           " is not above 0; 1 is the default");
  if (a.effort > 1e6)
    return Error::badInput("effort " + numberText(a.effort) +
                           " is above 1000000; 1 is the default");
  if (!a.verify.empty() + a.compare + a.pareto > 1)
    return Error::badInput("--verify, --compare and --pareto exclude each "
                           "other; give one of them");
  Expected<Strategy> strategy = chosenStrategy(app, a);
  if (!strategy)
    return strategy.error();
  const bool single = a.isSinglePlan(), hasBudget = app.count("--budget") > 0;
  const bool budgeted = *strategy == Strategy::MemoryBudget;
  const bool searches =
      a.pareto || a.json || (hasBudget && a.compare) || (single && budgeted);
  const std::string forSearches =
      "is read by searches only; drop it, or give --budget, --pareto or --json "
      "(which searches for the minimum budget)";
  const std::string forAuto =
      "is read by --budget auto only; drop it or give --budget auto";
  Status status = checkRules(
      app,
      {{"--budget", !a.pareto,
        "is not read by --pareto, which asks for every budget; drop one of "
        "them"},
       {"--strategy", single || (a.pareto && budgeted),
        "is not read by --verify and --compare, and --pareto plans with "
        "memory-budget; drop it"},
       {"--order", a.verify.empty(),
        "is not read by --verify: the plan has its own order; drop it"},
       {"--keep", single && *strategy == Strategy::Selective,
        "is read by strategy selective only; drop it or give --strategy "
        "selective"},
       {"--segments", a.compare || (single && *strategy == Strategy::Sqrt),
        "is read by strategy sqrt and --compare only; drop it or give "
        "--strategy sqrt"},
       {"--effort", searches, forSearches},
       {"--seed", searches, forSearches},
       {"--device", a.budget == "auto", forAuto},
       {"--device-memory", a.budget == "auto", forAuto},
       {"--output", single,
        "writes a single plan; drop it, or --verify, --compare or --pareto"},
       {"--points", a.pareto,
        "is read by --pareto only; drop it or give --pareto"}});
  if (!status)
    return status;
  if (single && budgeted && !hasBudget)
    return Error::badInput("strategy 'memory-budget' needs a budget; give "
                           "--budget, for example --budget 60%");
  if (app.count("--device") > 0 && app.count("--device-memory") > 0)
    return Error::badInput("--device and --device-memory both give the "
                           "memory; leave one of them out");
  return Status::success();
}

/// Bytes of the device that --budget auto is about; 0 when none is named.
static Expected<int64_t> deviceBytes(const CLI::App &app,
                                     const PlanArguments &a) {
  if (app.count("--device") > 0) {
    Expected<DeviceSpec> spec = resolveDevice(a.device);
    if (!spec)
      return spec.error();
    return spec->memory;
  }
  if (app.count("--device-memory") == 0)
    return int64_t(0);
  if (a.deviceMemory == "auto" || a.deviceMemory.find('%') != std::string::npos)
    return Error::badInput("device memory '" + a.deviceMemory +
                           "' is not a size; write bytes (1234) or a size "
                           "(8GiB, 500MB)");
  return parseBudget(a.deviceMemory, 0, 0);
}

Expected<StrategyOptions> resolvePlanOptions(const CLI::App &app,
                                             const PlanArguments &a,
                                             int64_t keepAllPeak) {
  StrategyOptions options;
  Expected<Strategy> strategy = chosenStrategy(app, a);
  if (!strategy)
    return strategy.error();
  options.strategy = *strategy;
  options.order = a.order == "free" ? Order::Free : Order::Fixed;
  options.keep =
      a.keep == "weight-gemm" ? SelectiveKeep::WeightGemm : SelectiveKeep::Gemm;
  options.segments = a.segments;
  options.effort = a.effort;
  options.seed = a.seed;
  if (app.count("--budget") == 0)
    return options;
  Expected<int64_t> device = deviceBytes(app, a);
  if (!device)
    return device.error();
  Expected<int64_t> budget = parseBudget(a.budget, keepAllPeak, *device);
  if (!budget)
    return budget.error();
  options.budget = *budget;
  return options;
}

} // namespace ringi::tool
