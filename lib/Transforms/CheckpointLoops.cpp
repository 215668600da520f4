//===- CheckpointLoops.cpp - Checkpoints for loops and their reversal -----===//
//
// Part of Ringi. Chooses for each pair of loops the schedule with the fewest
// replays at which the whole step fits, by rewriting a copy and simulating it.
//
//===----------------------------------------------------------------------===//

#include "LoopPair.h"

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Planner/MemoryBudget.h"
#include "ringi/Planner/Simulator.h"
#include "ringi/Planner/Strategies.h"
#include "ringi/Support/ExitCode.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "mlir/IR/BuiltinOps.h"

#include <algorithm>

namespace ringi {
#define GEN_PASS_DEF_CHECKPOINTLOOPS
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

/// Ops that one pair may become; a schedule that is longer is not considered.
constexpr size_t kMostActions = 4096;

/// Schedules of one pair, fewest replays first, each needing less than the one
/// before.
std::vector<LoopPlan> candidatesFor(const LoopProblem &problem) {
  std::vector<int64_t> budgets;
  for (int64_t segment = 1; segment <= problem.trips; ++segment)
    budgets.push_back(periodicLoopPeak(problem.trips, problem.carryBytes,
                                       problem.internalBytes, segment));
  for (int64_t stored = 1; stored <= problem.trips; ++stored)
    budgets.push_back((stored + 1) * problem.carryBytes +
                      problem.internalBytes);
  llvm::sort(budgets, std::greater<>());
  std::vector<LoopPlan> plans;
  for (int64_t budget : budgets) {
    LoopProblem ask = problem;
    ask.budget = budget;
    Expected<LoopPlan> plan = planLoop(ask);
    if (plan && (plans.empty() || plan->peak < plans.back().peak) &&
        expandLoop(problem.trips, *plan).size() <= kMostActions)
      plans.push_back(*plan);
  }
  std::stable_sort(
      plans.begin(), plans.end(),
      [](const auto &a, const auto &b) { return a.replays < b.replays; });
  return plans;
}

LoopPlan forcedPlan(const LoopProblem &problem, int64_t segment) {
  LoopPlan plan;
  plan.segment = std::min(segment, problem.trips);
  plan.scheme = plan.segment == problem.trips ? LoopScheme::KeepAll
                                              : LoopScheme::Periodic;
  plan.peak = periodicLoopPeak(problem.trips, problem.carryBytes,
                               problem.internalBytes, segment);
  plan.replays =
      (problem.trips + plan.segment - 1) / plan.segment * plan.segment -
      plan.segment;
  return plan;
}

std::string describe(const LoopPlan &plan) {
  switch (plan.scheme) {
  case LoopScheme::KeepAll:
    return "keeps every iteration";
  case LoopScheme::Periodic:
    return "stores its carry every " + std::to_string(plan.segment) +
           " iterations and replays " + std::to_string(plan.replays);
  case LoopScheme::Binomial:
    return "stores " + std::to_string(plan.checkpoints) +
           " carries and replays " + std::to_string(plan.replays) +
           " iterations";
  }
  return "";
}

struct CheckpointLoopsPass
    : ringi::impl::CheckpointLoopsBase<CheckpointLoopsPass> {
  using CheckpointLoopsBase::CheckpointLoopsBase;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    if (segment < 0 || budget.empty() == (segment == 0)) {
      mlir::emitError(module.getLoc())
          << "segment=" << int64_t(segment) << " and budget='"
          << budget.getValue()
          << "'; give one of the two: the iterations between stored carries, "
             "or the live peak";
      return signalPassFailure();
    }
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(module, function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface step : *functions)
      if (failed(checkpoint(step)))
        return signalPassFailure();
  }

private:
  using Plans = std::vector<LoopPlan>;
  using Refused = std::vector<std::pair<scf::ForOp, std::string>>;

  /// Pairs that have an iteration to reverse.
  static std::vector<LoopPair> pairsOf(FunctionOpInterface step,
                                       Refused &refused) {
    std::vector<LoopPair> pairs = findLoopPairs(step, refused);
    std::erase_if(pairs, [](const LoopPair &pair) { return pair.trips == 0; });
    return pairs;
  }

  LogicalResult checkpoint(FunctionOpInterface step) {
    if (!llvm::hasSingleElement(step.getFunctionBody()))
      return success();
    FailureOr<GraphOptions> options = graphOptionsFor(step, alignment);
    if (failed(options))
      return failure();
    Refused refused;
    std::vector<LoopPair> pairs = pairsOf(step, refused);
    for (auto &[loop, reason] : refused)
      mlir::emitWarning(loop.getLoc())
          << "stacks a value of every iteration, but " << reason
          << "; it stays as it is";
    if (pairs.empty())
      return success();
    FailureOr<Plans> plans = budget.empty() ? forced(pairs, *options)
                                            : choose(step, pairs, *options);
    if (failed(plans))
      return failure();
    FailureOr<int64_t> peak = peakUnder(step, *plans, *options);
    if (failed(peak))
      return failure();
    scf::ForOp first = pairs.front().forward;
    mlir::emitRemark(first.getLoc())
        << "'" << step.getName() << "' has a live peak of " << *peak
        << " bytes with its loops as rewritten";
    for (auto [pair, plan] : llvm::zip(pairs, *plans)) {
      scf::ForOp loop = pair.forward;
      mlir::emitRemark(loop.getLoc())
          << "this loop of " << pair.trips << " iterations " << describe(plan)
          << "; its reversal holds " << plan.peak << " bytes";
      rewriteLoopPair(pair, plan);
    }
    return success();
  }

  FailureOr<Plans> forced(const std::vector<LoopPair> &pairs,
                          const GraphOptions &options) {
    Plans plans;
    for (const LoopPair &pair : pairs)
      plans.push_back(forcedPlan(pair.problem(options.alignment), segment));
    return plans;
  }

  /// The live peak of a copy of `step` whose pairs are written as `plans` say.
  FailureOr<int64_t> peakUnder(FunctionOpInterface step, const Plans &plans,
                               const GraphOptions &options) {
    OpBuilder builder(step);
    auto copy = cast<FunctionOpInterface>(builder.clone(*step));
    Refused refused;
    std::vector<LoopPair> pairs = pairsOf(copy, refused);
    for (auto [pair, plan] : llvm::zip(pairs, plans))
      rewriteLoopPair(pair, plan);
    FailureOr<ActivationGraph> graph = ActivationGraph::build(copy, options);
    FailureOr<int64_t> peak = failure();
    if (succeeded(graph)) {
      Expected<Timeline> timeline =
          simulate(graph->problem(), makeKeepAllPlan(graph->problem()));
      if (timeline)
        peak = timeline->livePeak;
      else
        mlir::emitError(step->getLoc()) << timeline.error().message;
    }
    copy->erase();
    return peak;
  }

  FailureOr<Plans> choose(FunctionOpInterface step,
                          const std::vector<LoopPair> &pairs,
                          const GraphOptions &options) {
    std::vector<Plans> candidates;
    size_t levels = 0;
    Plans keepAll;
    for (const LoopPair &pair : pairs) {
      LoopProblem problem = pair.problem(options.alignment);
      candidates.push_back(candidatesFor(problem));
      if (candidates.back().empty())
        candidates.back().push_back(forcedPlan(problem, problem.trips));
      levels = std::max(levels, candidates.back().size());
      keepAll.push_back(forcedPlan(problem, problem.trips));
    }
    FailureOr<int64_t> whole = peakUnder(step, keepAll, options);
    if (failed(whole))
      return failure();
    Expected<int64_t> bytes = parseBudget(std::string(budget), *whole, 0);
    if (!bytes)
      return refuse(step, bytes.error());
    int64_t least = *whole;
    for (size_t level = 0; level < levels; ++level) {
      Plans plans;
      for (const Plans &each : candidates)
        plans.push_back(each[std::min(level, each.size() - 1)]);
      FailureOr<int64_t> peak = peakUnder(step, plans, options);
      if (failed(peak))
        return failure();
      if (*peak <= *bytes)
        return plans;
      least = std::min(least, *peak);
    }
    return refuse(
        step, Error::refused("a budget of " + std::to_string(*bytes) +
                             " bytes is below what checkpointing the loops of "
                             "'" +
                             step.getName().str() + "' reaches, " +
                             std::to_string(least) +
                             " bytes; give that budget here and plan the rest "
                             "with --ringi-checkpoint"));
  }

  LogicalResult refuse(FunctionOpInterface step, const Error &error) {
    if (error.kind == Error::Kind::Refused)
      notePlanRefused();
    return mlir::emitError(step->getLoc()) << error.message;
  }
};

} // namespace
