//===- MemoryBudgetTest.cpp - Budgets honoured, monotone, near-optimal ----===//
//
// Part of Ringi. memory-budget against the exact optimum on small graphs, and
// its promises on larger ones: peak within the budget, cost never rising with
// it, bound below cost, refusals that name the minimum.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/MemoryBudget.h"
#include "ringi/Planner/BlockDetection.h"
#include "ringi/Planner/ExactSearch.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/MinimumBudget.h"
#include "ringi/Planner/Pareto.h"
#include "ringi/Planner/PricedMinCut.h"
#include "ringi/Planner/ProblemBuilder.h"
#include "ringi/Planner/Simulator.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace ringi;
using namespace ringi::planner;

namespace {

StrategyOptions budgetOptions(int64_t budget, Order order = Order::Fixed) {
  StrategyOptions options;
  options.strategy = Strategy::MemoryBudget;
  options.budget = budget;
  options.order = order;
  return options;
}

int64_t keepAllPeak(const Problem &problem) {
  return makeKeepAllPlan(problem).claims.livePeak;
}

TEST(MemoryBudget, GoldenChainBudgets) {
  Problem chain = makeChain(4);
  auto extra = [&](int64_t budget) {
    auto plan = planMemoryBudget(chain, budgetOptions(budget));
    return plan ? plan->claims.recomputeCost : -1;
  };
  EXPECT_EQ(extra(6), 0);
  EXPECT_EQ(extra(5), 1);
  EXPECT_EQ(extra(4), 3);
  auto refused = planMemoryBudget(chain, budgetOptions(3));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, Error::Kind::Refused);
  EXPECT_NE(refused.error().message.find("no plan fits into 3 bytes; the "
                                         "minimum budget is 4 bytes, forced"),
            std::string::npos)
      << refused.error().message;
}

TEST(MemoryBudget, EqualsTheOptimumOfSmallGraphs) {
  int planned = 0, refused = 0;
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomOptions random;
    random.ops = 6 + int32_t(seed % 5);
    random.inPlace = seed % 3 ? 0 : 0.2;
    random.notRecomputable = seed % 4 ? 0 : 0.1;
    Problem problem = seed % 2 ? makeRandomDag(seed, random)
                               : makeRandomTraining(seed, random);
    for (int percent : {90, 80, 60}) {
      int64_t budget = keepAllPeak(problem) * percent / 100;
      auto exact = searchExact(problem, budget);
      ASSERT_TRUE(exact);
      if (exact->outcome == ExactResult::Outcome::LimitReached)
        continue;
      auto plan = planMemoryBudget(problem, budgetOptions(budget));
      bool feasible = exact->outcome == ExactResult::Outcome::Optimal;
      ASSERT_EQ(bool(plan), feasible) << seed << " at " << budget;
      if (!feasible) {
        ++refused;
        auto minimum = computeMinimumBudget(problem, budgetOptions(0));
        ASSERT_TRUE(minimum);
        EXPECT_EQ(minimum->bytes, *findMinimumBudget(problem)) << seed;
        EXPECT_TRUE(minimum->exact);
        EXPECT_GT(minimum->bytes, budget);
        continue;
      }
      ++planned;
      EXPECT_NEAR(plan->claims.recomputeCost, exact->cost, 1e-9)
          << seed << " at " << budget;
      EXPECT_LE(plan->claims.livePeak, budget);
    }
  }
  EXPECT_GT(planned, 150);
  EXPECT_GT(refused, 50);
}

void expectMonotone(const Problem &problem, Order order, int points) {
  StrategyOptions options = budgetOptions(0, order);
  options.effort = 0.05;
  auto front = planPareto(problem, options, points);
  ASSERT_TRUE(front) << front.error().message;
  ASSERT_EQ(int(front->size()), points);
  for (size_t i = 0; i < front->size(); ++i) {
    const Plan &plan = (*front)[i];
    EXPECT_LE(plan.claims.livePeak, plan.budget);
    EXPECT_LE(plan.claims.lowerBound, plan.claims.recomputeCost);
    EXPECT_TRUE(verifyPlan(problem, plan));
    if (i > 0) {
      EXPECT_LE(plan.claims.recomputeCost, (*front)[i - 1].claims.recomputeCost)
          << problem.name << " at " << plan.budget;
    }
  }
  EXPECT_EQ(front->back().claims.recomputeCost, 0);
}

TEST(MemoryBudget, CostNeverRisesWithTheBudget) {
  expectMonotone(makeBlocks(8, 4), Order::Fixed, 29);
  expectMonotone(makeChain(20), Order::Fixed, 20);
  for (uint64_t seed = 0; seed < 4; ++seed) {
    RandomOptions random;
    random.ops = 30;
    expectMonotone(makeRandomDag(seed, random), Order::Fixed, 15);
    expectMonotone(makeRandomTraining(seed, random), Order::Free, 15);
  }
}

TEST(MemoryBudget, FortyBudgetsOfGeneratedSteps) {
  GptOptions gpt;
  gpt.layers = 2;
  expectMonotone(makeGptStep(gpt), Order::Fixed, 40);
  for (uint64_t seed = 10; seed < 12; ++seed) {
    RandomOptions random;
    random.ops = 40;
    random.inPlace = 0.1;
    random.notRecomputable = 0.1;
    for (Order order : {Order::Fixed, Order::Free})
      expectMonotone(makeRandomTraining(seed, random), order, 40);
  }
}

TEST(MemoryBudget, LargeGraphsAreMonotoneToo) {
  // Above the size of the ladder one price is followed.
  Problem problem = makeGptStep(gptOptionsForOps(5200));
  int64_t peak = keepAllPeak(problem);
  double before = 0;
  for (int percent = 95; percent >= 35; percent -= 20) {
    auto plan = planMemoryBudget(problem, budgetOptions(peak / 100 * percent));
    ASSERT_TRUE(plan) << percent;
    EXPECT_GE(plan->claims.recomputeCost, before) << percent;
    before = plan->claims.recomputeCost;
  }
}

TEST(MemoryBudget, LargeGraphsWithoutBlocksAreMonotoneFromTheirMinimum) {
  // No single value separates blocks: several prices are followed, and the
  // least peak of all of them is the least budget that has a plan.
  Problem problem = makeGptStep(gptOptionsForOps(5200));
  const StorageIndex everywhere = problem.ops.front().outputs.front();
  for (OpIndex op = 40; problem.ops[op].phase == Phase::Forward; op += 40) {
    std::vector<StorageIndex> &inputs = problem.ops[op].inputs;
    if (std::find(inputs.begin(), inputs.end(), everywhere) == inputs.end())
      inputs.push_back(everywhere);
  }
  ASSERT_FALSE(detectChain(problem).singleValue);
  expectMonotone(problem, Order::Fixed, 4);
  StrategyOptions options = budgetOptions(0, Order::Fixed);
  auto minimum = computeMinimumBudget(problem, options);
  ASSERT_TRUE(minimum);
  EXPECT_LT(minimum->bytes, keepAllPeak(problem) / 2);
  options.budget = minimum->bytes;
  EXPECT_TRUE(planMemoryBudget(problem, options));
  options.budget = minimum->bytes - 1;
  EXPECT_FALSE(planMemoryBudget(problem, options));
}

TEST(MemoryBudget, MoreEffortSearchesMore) {
  RandomOptions random;
  random.ops = 120;
  Problem problem = makeRandomTraining(5, random);
  StrategyOptions options = budgetOptions(keepAllPeak(problem) * 7 / 10);
  std::vector<double> costs;
  for (double effort : {0.001, 0.2}) {
    options.effort = effort;
    auto plan = planMemoryBudget(problem, options);
    ASSERT_TRUE(plan) << plan.error().message;
    costs.push_back(plan->claims.recomputeCost);
  }
  EXPECT_LT(costs[1], costs[0]);
}

TEST(MemoryBudget, AStopLeavesTheBestSoFar) {
  RandomOptions random;
  random.ops = 120;
  Problem problem = makeRandomTraining(5, random);
  StrategyOptions options = budgetOptions(keepAllPeak(problem) * 8 / 10);
  // Stopped from the start, and stopped after the first two rungs.
  for (int after : {0, 2}) {
    std::atomic<bool> stop = after == 0;
    int told = 0;
    options.stop = &stop;
    options.progress = [&](const std::string &) { stop = ++told > after; };
    auto plan = planMemoryBudget(problem, options);
    ASSERT_TRUE(plan) << plan.error().message;
    EXPECT_LE(plan->claims.livePeak, options.budget);
    EXPECT_TRUE(verifyPlan(problem, *plan));
    EXPECT_GT(told, 0);
  }
}

TEST(MemoryBudget, AStoppedFrontStillUsesWhatItHas) {
  // The levels found before the stop serve the budgets at their height.
  RandomOptions random;
  random.ops = 120;
  Problem problem = makeRandomTraining(5, random);
  StrategyOptions options = budgetOptions(0, Order::Free);
  options.effort = 0.05;
  std::atomic<bool> stop = false;
  int told = 0;
  options.stop = &stop;
  options.progress = [&](const std::string &) { stop = ++told > 3; };
  auto front = planPareto(problem, options, 20);
  ASSERT_TRUE(front) << front.error().message;
  ASSERT_GT(front->size(), 10u);
  double before = front->front().claims.recomputeCost;
  EXPECT_GT(before, 0);
  for (const Plan &point : *front) {
    EXPECT_LE(point.claims.livePeak, point.budget);
    EXPECT_LE(point.claims.recomputeCost, before);
    before = point.claims.recomputeCost;
  }
  EXPECT_LT((*front)[front->size() - 3].claims.recomputeCost,
            front->front().claims.recomputeCost);
}

TEST(MemoryBudget, TheFrontEqualsSingleRuns) {
  Problem problem = makeBlocks(4, 3);
  StrategyOptions options = budgetOptions(0);
  options.effort = 0.05;
  auto front = planPareto(problem, options, 5);
  ASSERT_TRUE(front);
  for (const Plan &point : *front) {
    options.budget = point.budget;
    auto single = planMemoryBudget(problem, options);
    ASSERT_TRUE(single);
    EXPECT_EQ(single->claims.recomputeCost, point.claims.recomputeCost);
    EXPECT_EQ(single->claims.lowerBound, point.claims.lowerBound);
  }
  auto none = planPareto(problem, options, 1);
  ASSERT_FALSE(none);
  EXPECT_EQ(none.error().message,
            "a front of 1 points was asked for; ask for 2 or more");
}

TEST(MemoryBudget, NeverWorseThanNamedStrategies) {
  GptOptions gpt;
  gpt.layers = 4;
  Problem problem = makeGptStep(gpt);
  for (Strategy strategy :
       {Strategy::EveryBlock, Strategy::Selective, Strategy::Sqrt}) {
    StrategyOptions named;
    named.strategy = strategy;
    auto plan = planStrategy(problem, named);
    ASSERT_TRUE(plan);
    StrategyOptions options = budgetOptions(plan->claims.livePeak);
    options.effort = 0.05;
    auto ours = planMemoryBudget(problem, options);
    ASSERT_TRUE(ours);
    EXPECT_LE(ours->claims.recomputeCost, plan->claims.recomputeCost)
        << toString(strategy);
  }
}

TEST(MemoryBudget, MarksBind) {
  Problem chain = makeChain(16);
  chain.storages[5].mark = Mark::MustKeep;
  chain.storages[9].mark = Mark::MustRecompute;
  StrategyOptions options = budgetOptions(12);
  options.effort = 0.05;
  auto plan = planMemoryBudget(chain, options);
  ASSERT_TRUE(plan) << plan.error().message;
  EXPECT_TRUE(verifyPlan(chain, *plan));
  EXPECT_LE(plan->claims.livePeak, 12);
  EXPECT_GE(plan->claims.recomputeCost, 1);
}

/// Where the message of a refusal has `text`.
void expectRefusal(const Expected<Plan> &plan, const std::string &text) {
  ASSERT_FALSE(plan);
  EXPECT_EQ(plan.error().kind, Error::Kind::Refused);
  EXPECT_NE(plan.error().message.find(text), std::string::npos)
      << plan.error().message;
}

TEST(MemoryBudget, MarksThatKeepTooMuchConflictWithTheBudget) {
  // chain(4) runs in 4 units, but not while x1 waits for its backward.
  Problem chain = makeChain(4);
  chain.storages[1].mark = Mark::MustKeep;
  ASSERT_EQ(chain.storages[1].name, "x1");
  auto minimum = computeMinimumBudget(chain, budgetOptions(0));
  ASSERT_TRUE(minimum);
  EXPECT_EQ(minimum->bytes, 5);
  EXPECT_EQ(minimum->bytesWithoutMarks, 4);
  expectRefusal(planMemoryBudget(chain, budgetOptions(4)),
                "conflict: the marks need 5 bytes, 1 more than the budget of "
                "4, forced at op");
  expectRefusal(planMemoryBudget(chain, budgetOptions(4)),
                "; without marks 4 bytes suffice; raise the budget to 5 or "
                "drop marks ('x1' must-keep)");
  expectRefusal(planMemoryBudget(chain, budgetOptions(3)),
                "no plan fits into 3 bytes; the minimum budget is 5 bytes, 4 "
                "without the marks, forced");
  EXPECT_TRUE(planMemoryBudget(chain, budgetOptions(5)));
}

TEST(MemoryBudget, MarksThatForceAReplayConflictWithTheBudget) {
  // The replay of `small` needs `wide` over the peak, where `small` would do.
  ProblemBuilder builder("replay");
  StorageIndex wide = builder.addInitial("wide", 10, Category::Input, false);
  OpIndex f = builder.addOp("f", {wide});
  StorageIndex small = builder.addResult(f, "small", 1);
  OpIndex g = builder.addOp("g", {small});
  StorageIndex large = builder.addResult(g, "large", 20);
  OpIndex h = builder.addOp("h", {large}, 1, Phase::Backward);
  StorageIndex down = builder.addResult(h, "down", 1);
  OpIndex k = builder.addOp("k", {small, down}, 1, Phase::Backward);
  builder.storage(builder.addResult(k, "gradient", 1)).output = true;
  Problem problem = builder.take();
  EXPECT_TRUE(planMemoryBudget(problem, budgetOptions(22)));
  problem.storages[small].mark = Mark::MustRecompute;
  expectRefusal(planMemoryBudget(problem, budgetOptions(22)),
                "conflict: the marks need 31 bytes, 9 more than the budget of "
                "22, forced at op");
  expectRefusal(planMemoryBudget(problem, budgetOptions(22)),
                "; without marks 22 bytes suffice; raise the budget to 31 or "
                "drop marks ('small' must-recompute)");
}

TEST(PricedMinCut, ReachesTheBoundOfOneMoment) {
  // Four values wait over one op that is too large: the two cheapest per byte
  // go, and the plan costs what the optimum does.
  Problem problem = makeBlocks(8, 4);
  int64_t peak = keepAllPeak(problem);
  PricedMinCutOptions options;
  options.budget = peak - 3;
  Plan plan = planPricedMinCut(problem, options);
  EXPECT_LE(plan.claims.livePeak, options.budget);
  EXPECT_EQ(plan.claims.recomputeCost, 3);
  options.budget = 1;
  EXPECT_GT(planPricedMinCut(problem, options).claims.livePeak, 1);
  auto timeline = simulate(problem, plan);
  ASSERT_TRUE(timeline);
  EXPECT_EQ(timeline->livePeak, plan.claims.livePeak);
}

TEST(PricedMinCut, PlansAreWhatTheSimulatorSees) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    RandomOptions random;
    random.ops = 12 + int32_t(seed % 20);
    random.inPlace = seed % 2 ? 0.3 : 0;
    random.marks = seed % 3 ? 0 : 0.1;
    Problem problem = makeRandomTraining(seed, random);
    PricedMinCutOptions options;
    options.budget = keepAllPeak(problem) * 3 / 4;
    Plan plan = planPricedMinCut(problem, options);
    auto timeline = simulate(problem, plan);
    ASSERT_TRUE(timeline) << seed << ": " << timeline.error().message;
    EXPECT_EQ(timeline->livePeak, plan.claims.livePeak) << seed;
  }
}

} // namespace
