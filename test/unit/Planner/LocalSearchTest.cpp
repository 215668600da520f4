//===- LocalSearchTest.cpp - The search against the optimum ---------------===//
//
// Part of Ringi. On graphs small enough for exhaustive search the annealer
// finds the optimum nearly always and a valid plan always; marks, effects and a
// fixed order hold; equal seeds give equal plans.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/LocalSearch.h"
#include "ringi/Planner/ExactSearch.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

namespace {

Plan improve(const Problem &problem, LocalSearchOptions options) {
  if (options.moves == 0)
    options.moves = 30000;
  Plan plan = improvePlan(problem, makeKeepAllPlan(problem), options);
  Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
  EXPECT_TRUE(bool(verified)) << verified.error().message;
  return plan;
}

/// Counts of graphs on which the search reached what exhaustive search proves.
struct Score {
  int64_t feasible = 0, found = 0, optimal = 0;
};

Score compare(Order order, bool training) {
  Score score;
  RandomOptions random;
  random.inPlace = 0.15;
  random.notRecomputable = 0.1;
  for (uint64_t seed = 0; seed < 40; ++seed) {
    random.ops = 7 + int32_t(seed % 5);
    Problem problem = training ? makeRandomTraining(seed, random)
                               : makeRandomDag(seed, random);
    ExactOptions exactOptions;
    exactOptions.order = order;
    Expected<int64_t> least = findMinimumBudget(problem, exactOptions);
    if (!least)
      continue;
    int64_t keepAll = makeKeepAllPlan(problem).claims.livePeak;
    for (int64_t budget : {*least, (*least + keepAll) / 2}) {
      Expected<ExactResult> exact = searchExact(problem, budget, exactOptions);
      if (!exact || exact->outcome != ExactResult::Outcome::Optimal)
        continue;
      LocalSearchOptions options;
      options.budget = budget;
      options.order = order;
      Plan plan = improve(problem, options);
      ++score.feasible;
      if (plan.claims.livePeak > budget)
        continue;
      ++score.found;
      EXPECT_GE(plan.claims.recomputeCost, exact->cost - 1e-9);
      score.optimal += plan.claims.recomputeCost <= exact->cost + 1e-9;
    }
  }
  return score;
}

TEST(LocalSearch, FindsTheOptimumOfSmallGraphsInAFixedOrder) {
  for (bool training : {false, true}) {
    Score score = compare(Order::Fixed, training);
    EXPECT_GT(score.feasible, 50);
    EXPECT_GE(score.found * 100, score.feasible * 88);
    EXPECT_GE(score.optimal * 100, score.feasible * 85);
  }
}

TEST(LocalSearch, FindsTheOptimumOfSmallGraphsInAFreeOrder) {
  for (bool training : {false, true}) {
    Score score = compare(Order::Free, training);
    EXPECT_GT(score.feasible, 50);
    EXPECT_GE(score.found * 100, score.feasible * 88);
    EXPECT_GE(score.optimal * 100, score.feasible * 85);
  }
}

TEST(LocalSearch, LeastPeakOfAChain) {
  LocalSearchOptions options;
  options.goal = LocalSearchGoal::LeastPeak;
  EXPECT_EQ(improve(makeChain(4), options).claims.livePeak, 4);
  EXPECT_EQ(improve(makeChain(6), options).claims.livePeak, 4);
}

TEST(LocalSearch, FixedOrderKeepsFirstExecutions) {
  RandomOptions random;
  random.ops = 30;
  Problem problem = makeRandomTraining(3, random);
  LocalSearchOptions options;
  options.budget = makeKeepAllPlan(problem).claims.livePeak * 3 / 4;
  Plan plan = improve(problem, options);
  EXPECT_GT(plan.claims.recomputes, 0);
  OpIndex expected = 0;
  for (const Execution &execution : plan.schedule)
    expected += execution.op == expected;
  EXPECT_EQ(expected, OpIndex(problem.ops.size()));
}

TEST(LocalSearch, MarksHold) {
  // The verifier refuses a plan that breaks a mark; here some plan must exist
  // that the search could be tempted from.
  RandomOptions random;
  random.ops = 20;
  int64_t tight = 0;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Problem problem = makeRandomTraining(seed, random);
    for (size_t v = 0; v < problem.ops.size(); v += 3)
      for (StorageIndex s : problem.ops[v].outputs)
        if (!problem.storages[s].output)
          problem.storages[s].mark = Mark::MustKeep;
    ASSERT_TRUE(bool(problem.check()));
    LocalSearchOptions options;
    options.order = seed % 2 ? Order::Free : Order::Fixed;
    options.budget = makeKeepAllPlan(problem).claims.livePeak * 8 / 10;
    tight += improve(problem, options).claims.recomputes > 0;
  }
  EXPECT_GT(tight, 3);
}

TEST(LocalSearch, EqualSeedsGiveEqualPlansAndNeverWorseOnes) {
  RandomOptions random;
  random.ops = 40;
  Problem problem = makeRandomTraining(5, random);
  LocalSearchOptions options;
  options.budget = makeKeepAllPlan(problem).claims.livePeak * 7 / 10;
  options.order = Order::Free;
  Plan first = improve(problem, options), second = improve(problem, options);
  ASSERT_EQ(first.schedule.size(), second.schedule.size());
  for (size_t e = 0; e < first.schedule.size(); ++e)
    EXPECT_EQ(first.schedule[e].op, second.schedule[e].op);
  // Started from its own result, even a single move keeps what it has.
  options.moves = 1;
  Plan again = improvePlan(problem, first, options);
  EXPECT_LE(again.claims.recomputeCost, first.claims.recomputeCost);
  EXPECT_LE(again.claims.livePeak,
            std::max(first.claims.livePeak, options.budget));
}

TEST(LocalSearch, TakesNoPlanBelowTheLeastCost) {
  Problem problem = makeChain(12);
  LocalSearchOptions options;
  options.budget = 10;
  options.moves = 20'000;
  Plan free = improvePlan(problem, makeKeepAllPlan(problem), options);
  ASSERT_LE(free.claims.livePeak, 10);
  options.leastCost = free.claims.recomputeCost + 2;
  Plan bound = improvePlan(problem, makeKeepAllPlan(problem), options);
  EXPECT_LE(bound.claims.livePeak, 10);
  EXPECT_GE(bound.claims.recomputeCost, options.leastCost);
}

TEST(LocalSearch, StopsWhenTold) {
  Problem problem = makeChain(30);
  std::atomic<bool> stop = true;
  LocalSearchOptions options;
  options.budget = 8;
  options.stop = &stop;
  EXPECT_EQ(improve(problem, options).claims.recomputes, 0);
}

TEST(LocalSearch, EmptyProblem) {
  EXPECT_TRUE(improvePlan(Problem(), Plan(), {}).schedule.empty());
}

} // namespace
