//===- GptTable.cpp - GPT-2 beside named strategies and peers -------------===//
//
// Part of Ringi. For budgets of 90 to 20 % of the keep-all activation bytes:
// the extra cost of memory-budget with its proven bound, and that of the other
// strategies and rules where they fit the same budget. Rules with a knob are
// given the best setting that fits.
//
//===----------------------------------------------------------------------===//

#include "PeerRules.h"
#include "Support.h"

#include "ringi/Planner/Generators.h"
#include "ringi/Planner/MemoryBudget.h"

#include <cstdio>
#include <optional>

namespace ringi::planner {

namespace {

struct Shape {
  const char *name;
  int32_t layers;
  int64_t hidden, heads;
};

/// The cheapest of some plans that fits.
std::optional<double> cheapest(const std::vector<Plan> &plans, int64_t budget) {
  std::optional<double> cost;
  for (const Plan &plan : plans)
    if (plan.claims.livePeak <= budget &&
        (!cost || plan.claims.recomputeCost < *cost))
      cost = plan.claims.recomputeCost;
  return cost;
}

std::vector<Plan> planNamed(const Problem &problem, Strategy strategy,
                            int32_t mostSegments = 0) {
  std::vector<Plan> plans;
  for (int32_t segments = 0; segments <= mostSegments; ++segments) {
    StrategyOptions options;
    options.strategy = strategy;
    options.segments = segments;
    if (Expected<Plan> plan = planStrategy(problem, options))
      plans.push_back(std::move(*plan));
  }
  return plans;
}

void printCell(std::optional<double> cost, double onePercent) {
  if (cost)
    std::printf(" %.2f |", *cost / onePercent);
  else
    std::printf(" - |");
}

void benchShape(const Shape &shape, const BenchOptions &bench) {
  GptOptions gpt;
  gpt.layers = shape.layers;
  gpt.hidden = shape.hidden;
  gpt.heads = shape.heads;
  gpt.vocabulary = 50304;
  Problem problem = makeGptStep(gpt);
  const double onePercent = problem.totalCost() / 100;
  const int64_t peak = makeKeepAllPlan(problem).claims.livePeak;
  const int64_t persistent = problem.persistentBytes();

  const std::vector<Plan> everyBlock = planNamed(problem, Strategy::EveryBlock);
  const std::vector<Plan> sqrt =
      planNamed(problem, Strategy::Sqrt, shape.layers);
  std::vector<Plan> selective = planNamed(problem, Strategy::Selective);
  {
    StrategyOptions options;
    options.strategy = Strategy::Selective;
    options.keep = SelectiveKeep::WeightGemm;
    if (Expected<Plan> plan = planStrategy(problem, options))
      selective.push_back(std::move(*plan));
  }
  std::vector<Plan> torch;
  for (int step = 0; step <= 20; ++step)
    torch.push_back(planByPyTorchRule(problem, step / 20.0));

  std::printf("\n## %s, %zu ops: extra cost %% within a budget in %% of the "
              "keep-all activation bytes\n\n",
              shape.name, problem.ops.size());
  std::printf(
      "| budget | ours | proven bound | every-block | sqrt, best number "
      "of segments | selective, best of two | PyTorch's rule, best of "
      "21 settings | XLA's rule | CPU s (ours) |\n"
      "|---|---|---|---|---|---|---|---|---|\n");
  int worse = 0;
  for (int percent = 90; percent >= 20; percent -= 10) {
    StrategyOptions options;
    options.strategy = Strategy::MemoryBudget;
    options.effort = bench.effort;
    options.budget =
        persistent + int64_t(double(peak - persistent) * percent / 100);
    double start = cpuSeconds();
    Expected<Plan> ours = planMemoryBudget(problem, options);
    double seconds = cpuSeconds() - start;
    std::printf("| %d %% |", percent);
    if (ours)
      std::printf(" %.2f | %.2f |", ours->claims.recomputeCost / onePercent,
                  ours->claims.lowerBound / onePercent);
    else
      std::printf(" - | - |");
    const std::vector<Plan> xla = {planByXlaRule(problem, options.budget)};
    bool isWorse = false;
    for (const std::vector<Plan> *plans :
         std::initializer_list<const std::vector<Plan> *>{
             &everyBlock, &sqrt, &selective, &torch, &xla}) {
      std::optional<double> cost = cheapest(*plans, options.budget);
      printCell(cost, onePercent);
      isWorse |= cost && (!ours || *cost < ours->claims.recomputeCost);
    }
    worse += isWorse;
    std::printf(" %.2f |\n", seconds);
    std::fflush(stdout);
  }
  std::printf("\nRows in which another rule is cheaper than ours: %d.\n",
              worse);
}

} // namespace

bool benchGpt2(const BenchOptions &options) {
  for (const Shape &shape :
       {Shape{"GPT-2 124M", 12, 768, 12}, Shape{"GPT-2 1558M", 48, 1600, 25}})
    if (options.wants(shape.name))
      benchShape(shape, options);
  return true;
}

} // namespace ringi::planner
