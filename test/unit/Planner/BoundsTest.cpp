//===- BoundsTest.cpp - Lower bounds against the exact optimum ------------===//
//
// Part of Ringi. No bound of either class may exceed the optimum of its class,
// on thousands of random graphs; on golden graphs they must reach known values.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Bounds.h"
#include "ringi/Planner/ExactSearch.h"
#include "ringi/Planner/GapBound.h"
#include "ringi/Planner/Generators.h"

#include <gtest/gtest.h>

using namespace ringi::planner;

namespace {

RandomOptions optionsFor(uint64_t seed) {
  RandomOptions options;
  options.ops = 4 + int32_t(seed % 6);
  options.inPlace = seed % 3 == 0 ? 0.3 : 0;
  options.notRecomputable = seed % 4 == 0 ? 0.2 : 0;
  options.marks = seed % 5 == 0 ? 0.15 : 0;
  return options;
}

/// Compares every bound with the optimum at several budgets of one graph.
/// \returns the number of budgets with a positive bound.
int compare(const Problem &problem, const std::string &what) {
  int64_t peak = makeKeepAllPlan(problem).claims.livePeak;
  int positive = 0;
  for (Order order : {Order::Fixed, Order::Free}) {
    BudgetFloor floor = computeBudgetFloor(problem, order);
    for (int percent : {95, 85, 75, 65, 55}) {
      int64_t budget = peak * percent / 100;
      ExactOptions exact;
      exact.order = order;
      exact.stateLimit = 20'000;
      auto optimum = searchExact(problem, budget, exact);
      if (!optimum || optimum->outcome == ExactResult::Outcome::LimitReached)
        continue;
      bool feasible = optimum->outcome == ExactResult::Outcome::Optimal;
      if (feasible) {
        EXPECT_LE(floor.bytes, budget) << what;
      }
      std::vector<CostBound> bounds = {
          computeSnapshotBound(problem, budget, order)};
      if (order == Order::Fixed)
        bounds.push_back(computeGapBound(problem, budget));
      bounds.push_back(computeBound(problem, budget, order));
      for (const CostBound &bound : bounds) {
        if (!feasible)
          continue;
        EXPECT_FALSE(bound.infeasible) << what << " at " << budget;
        EXPECT_LE(bound.cost, optimum->cost)
            << what << " at " << budget << ", " << toString(bound.boundClass);
        positive += bound.cost > 0;
      }
    }
  }
  return positive;
}

TEST(Bounds, NeverAboveTheOptimumOfRandomDags) {
  int positive = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed)
    positive += compare(makeRandomDag(seed, optionsFor(seed)),
                        "dag " + std::to_string(seed));
  EXPECT_GT(positive, 1000);
}

TEST(Bounds, NeverAboveTheOptimumOfRandomTrainingSteps) {
  int positive = 0;
  for (uint64_t seed = 0; seed < 1500; ++seed)
    positive += compare(makeRandomTraining(seed, optionsFor(seed)),
                        "training " + std::to_string(seed));
  EXPECT_GT(positive, 500);
}

TEST(Bounds, UnitChainIsTight) {
  // chain(6): 8 executions at most 2 above the 6 needed at budget 6, one at 7.
  Problem chain = makeChain(6);
  EXPECT_NEAR(computeBound(chain, 7, Order::Fixed).cost, 1, 1e-9);
  EXPECT_NEAR(computeBound(chain, 6, Order::Fixed).cost, 2, 1e-9);
  EXPECT_EQ(computeBound(chain, 8, Order::Fixed).cost, 0);
  EXPECT_EQ(computeBound(chain, 8, Order::Fixed).stage, kNone);
}

TEST(Bounds, CoveringIsIntegral) {
  // Four values of 3 units wait over one op; 4 units too many means dropping
  // two of them, not one and a third.
  Problem problem;
  auto op = [&](std::vector<StorageIndex> inputs, int64_t bytes) {
    Op made;
    made.name = "op" + std::to_string(problem.ops.size());
    made.cost = 1;
    made.inputs = std::move(inputs);
    made.outputs = {StorageIndex(problem.storages.size())};
    Storage storage;
    storage.name = "s" + std::to_string(problem.storages.size());
    storage.bytes = bytes;
    storage.producer = OpIndex(problem.ops.size());
    problem.storages.push_back(storage);
    problem.ops.push_back(made);
    return made.outputs[0];
  };
  std::vector<StorageIndex> kept;
  for (int i = 0; i < 4; ++i)
    kept.push_back(op({}, 3));
  op({}, 5);
  for (StorageIndex s : kept)
    op({s}, 0);
  ASSERT_TRUE(problem.check());
  EXPECT_EQ(makeKeepAllPlan(problem).claims.livePeak, 17);
  CostBound gap = computeGapBound(problem, 13);
  EXPECT_NEAR(gap.cost, 2, 1e-9);
  EXPECT_EQ(gap.stage, 4);
  EXPECT_NEAR(computeSnapshotBound(problem, 13, Order::Fixed).cost, 4. / 3,
              1e-9);
  EXPECT_EQ(computeBound(problem, 13, Order::Fixed).boundClass,
            BoundClass::GapFixed);
}

TEST(Bounds, KnowsWhenNothingFits) {
  Problem chain = makeChain(4);
  EXPECT_TRUE(computeBound(chain, 1, Order::Fixed).infeasible);
  EXPECT_TRUE(computeBound(chain, 1, Order::Free).infeasible);
  // x0 stays, b_k reads two values and makes a third.
  EXPECT_EQ(computeBudgetFloor(chain, Order::Fixed).bytes, 4);
}

TEST(Bounds, WhatCannotComeBackRaisesTheFloor) {
  Problem chain = makeChain(4);
  for (Op &op : chain.ops)
    op.recomputable = false;
  EXPECT_EQ(computeBudgetFloor(chain, Order::Fixed).bytes, 6);
  EXPECT_TRUE(computeBound(chain, 5, Order::Fixed).infeasible);
}

} // namespace
