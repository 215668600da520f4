//===- LoopLevelChoice.cpp - How much the loops of a step stack -----------===//
//
// Part of Ringi. Plans the step around its loops at every level; each level is
// looked at in a copy of the step.
//
//===----------------------------------------------------------------------===//

#include "LoopLevelChoice.h"

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Planner/Bounds.h"
#include "ringi/Planner/MinimumBudget.h"
#include "ringi/Planner/Simulator.h"

#include "mlir/IR/Builders.h"

#include <limits>
#include <optional>

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

/// Calls `look` with the problem of a copy whose loops stack as the level
/// says.
static LogicalResult atLevel(FunctionOpInterface step,
                             const StackLevels &levels, size_t level,
                             const GraphOptions &options,
                             llvm::function_ref<void(const Problem &)> look) {
  OpBuilder builder(step);
  auto copy = cast<FunctionOpInterface>(builder.clone(*step));
  levels.apply(copy, level);
  FailureOr<ActivationGraph> graph = ActivationGraph::build(copy, options);
  if (succeeded(graph))
    look(graph->problem());
  copy->erase();
  return success(succeeded(graph));
}

FailureOr<size_t> ringi::chooseStackLevel(FunctionOpInterface step,
                                          const StackLevels &levels,
                                          const GraphOptions &options,
                                          const StrategyOptions &ask) {
  std::optional<size_t> best;
  double bestCost = 0;
  for (size_t level = 0; level < levels.size(); ++level) {
    LogicalResult built =
        atLevel(step, levels, level, options, [&](const Problem &problem) {
          double cost = problem.totalCost();
          if (best && cost >= bestCost)
            return;
          Plan keepAll = makeKeepAllPlan(problem);
          Expected<Timeline> timeline = simulate(problem, keepAll);
          if (!timeline)
            return;
          if (timeline->livePeak > ask.budget) {
            if (computeBudgetFloor(problem, ask.order).bytes > ask.budget)
              return;
            Expected<Plan> found = planStrategy(problem, ask);
            if (!found)
              return;
            cost = 0;
            for (const planner::Execution &execution : found->schedule)
              cost += problem.ops[execution.op].cost;
          }
          if (best && cost >= bestCost)
            return;
          best = level;
          bestCost = cost;
        });
    if (failed(built))
      return failure();
  }
  if (best)
    return *best;
  int64_t least = std::numeric_limits<int64_t>::max();
  best = 0;
  for (size_t level = 0; level < levels.size(); ++level)
    if (failed(
            atLevel(step, levels, level, options, [&](const Problem &problem) {
              Expected<MinimumBudget> minimum =
                  computeMinimumBudget(problem, ask);
              if (!minimum || minimum->bytes >= least)
                return;
              least = minimum->bytes;
              best = level;
            })))
      return failure();
  return *best;
}
