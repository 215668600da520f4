//===- ChainPlannerTest.cpp - Golden tables of the chain recurrence -------===//
//
// Part of Ringi. The tables of docs/memory-model.md are met exactly; on random
// training graphs every plan passes the verifier.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/ChainPlanner.h"
#include "ringi/Planner/ExactSearch.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/LoopPlanner.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

namespace {

Plan planWithin(const Problem &problem, int64_t budget) {
  ChainPlannerOptions options;
  options.budget = budget;
  Plan plan = planChain(problem, detectChain(problem), options);
  Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
  EXPECT_TRUE(bool(verified)) << verified.error().message;
  return plan;
}

/// Forward executions at a budget; 0 where the budget is missed.
int64_t forwardExecutions(int32_t n, int64_t budget) {
  Plan plan = planWithin(makeChain(n), budget);
  return plan.claims.livePeak <= budget ? n + plan.claims.recomputes : 0;
}

TEST(ChainPlanner, GoldenTables) {
  EXPECT_EQ(forwardExecutions(4, 3), 0);
  EXPECT_EQ(forwardExecutions(4, 4), 7);
  EXPECT_EQ(forwardExecutions(4, 5), 5);
  EXPECT_EQ(forwardExecutions(4, 6), 4);
  EXPECT_EQ(forwardExecutions(6, 3), 0);
  EXPECT_EQ(forwardExecutions(6, 4), 16);
  EXPECT_EQ(forwardExecutions(6, 5), 9);
  EXPECT_EQ(forwardExecutions(6, 6), 8);
  EXPECT_EQ(forwardExecutions(6, 7), 7);
  EXPECT_EQ(forwardExecutions(6, 8), 6);
}

TEST(ChainPlanner, EqualsExhaustiveSearchOnChains) {
  for (int32_t n : {2, 3, 5, 7, 8})
    for (int64_t budget = 4; budget <= n + 2; ++budget) {
      Problem problem = makeChain(n);
      Expected<ExactResult> exact = searchExact(problem, budget);
      ASSERT_TRUE(bool(exact));
      ASSERT_EQ(exact->outcome, ExactResult::Outcome::Optimal);
      EXPECT_EQ(planWithin(problem, budget).claims.recomputeCost, exact->cost)
          << "chain(" << n << ") at " << budget;
    }
}

TEST(ChainPlanner, LongChainsStayNearRevolve) {
  // A gradient, the value being made and the one it is made from leave room for
  // the input and budget - 4 stored states; revolve is optimal for equal steps,
  // and the first sweep, without a gradient, has a unit more.
  const int32_t n = 60;
  for (int64_t budget : {6, 8, 12, 20}) {
    Plan plan = planWithin(makeChain(n), budget);
    EXPECT_LE(plan.claims.livePeak, budget);
    EXPECT_LE(n + plan.claims.recomputes,
              revolveForwardSteps(n + 1, budget - 3));
  }
}

TEST(ChainPlanner, BlocksFromFortyTwoUnitsToTheDeepest) {
  Problem problem = makeBlocks(8, 4);
  double before = -1;
  for (int64_t budget = 42; budget >= 6; --budget) {
    Plan plan = planWithin(problem, budget);
    EXPECT_LE(plan.claims.livePeak, budget);
    EXPECT_GE(plan.claims.recomputeCost, before);
    before = plan.claims.recomputeCost;
    if (budget == 42) {
      EXPECT_EQ(plan.claims.recomputes, 0);
    }
  }
}

TEST(ChainPlanner, FiveThousandBlocksNeedNoRecursion) {
  Problem problem = makeChain(5000);
  Plan plan = planWithin(problem, 400);
  EXPECT_LE(plan.claims.livePeak, 400);
  EXPECT_LE(plan.claims.recomputes, 2 * 5000);
}

TEST(ChainPlanner, TransformerWithOptimizerReachesDeepBudgets) {
  GptOptions options;
  options.layers = 4;
  Problem problem = makeGptStep(options);
  int64_t keepAll = makeKeepAllPlan(problem).claims.livePeak;
  for (int64_t percent : {90, 70, 60}) {
    Plan plan = planWithin(problem, keepAll / 100 * percent);
    EXPECT_LE(plan.claims.livePeak, keepAll / 100 * percent);
  }
}

TEST(ChainPlanner, RandomStepsWithMarksGiveValidPlans) {
  RandomOptions options;
  options.ops = 24;
  options.notRecomputable = 0.1;
  options.inPlace = 0.2;
  int64_t lower = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    options.ops = 8 + int32_t(seed % 24);
    Problem problem = makeRandomTraining(seed, options);
    int64_t keepAll = makeKeepAllPlan(problem).claims.livePeak;
    Plan plan = planWithin(problem, keepAll * 7 / 10);
    EXPECT_LE(plan.claims.livePeak, keepAll);
    lower += plan.claims.livePeak < keepAll;
  }
  EXPECT_GT(lower, 20);
}

} // namespace
