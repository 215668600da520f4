//===- BackwardOrderTest.cpp - Tests of the eager backward part -----------===//
//
// Part of Ringi. Weight gradients at the end of a step, steps that overwrite
// their arguments, and the way back to the given order.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/BackwardOrder.h"

#include "ringi/Planner/Generators.h"
#include "ringi/Planner/MemoryBudget.h"
#include "ringi/Planner/MinimumBudget.h"
#include "ringi/Planner/Pareto.h"
#include "ringi/Planner/ProblemBuilder.h"
#include "ringi/Planner/SequencePlan.h"
#include "ringi/Planner/Simulator.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

using namespace ringi;
using namespace ringi::planner;

namespace {

/// f1..fn, the loss, bn..b1, then the weight gradients wn..w1, each of which
/// reads an activation and the gradient made beside it: all are held to the
/// end. Every value but the weight gradients (1 byte, outputs) has 10 bytes.
Problem lateWeightGradients(int32_t layers, bool overwrite = false) {
  Problem problem;
  problem.name = "late";
  auto addStorage = [&](const std::string &name, int64_t bytes,
                        OpIndex producer) {
    Storage storage;
    storage.name = name;
    storage.bytes = bytes;
    storage.producer = producer;
    problem.storages.push_back(storage);
    return StorageIndex(problem.storages.size() - 1);
  };
  auto addOp = [&](const std::string &name, Phase phase,
                   std::vector<StorageIndex> inputs, int64_t bytes) {
    Op op;
    op.name = name;
    op.phase = phase;
    op.cost = 1;
    op.inputs = std::move(inputs);
    op.outputs = {addStorage(name, bytes, OpIndex(problem.ops.size()))};
    problem.ops.push_back(op);
    return op.outputs.front();
  };
  std::vector<StorageIndex> value = {addStorage("x", 10, kNone)};
  problem.storages.front().persistent = true;
  for (int32_t i = 1; i <= layers; ++i)
    value.push_back(
        addOp("f" + std::to_string(i), Phase::Forward, {value.back()}, 10));
  std::vector<StorageIndex> gradient(layers + 1);
  gradient[layers] = addOp("loss", Phase::Backward, {value.back()}, 10);
  for (int32_t i = layers; i >= 1; --i)
    gradient[i - 1] =
        addOp("b" + std::to_string(i), Phase::Backward, {gradient[i]}, 10);
  for (int32_t i = layers; i >= 1; --i) {
    StorageIndex made = addOp("w" + std::to_string(i), Phase::Backward,
                              {value[i - 1], gradient[i]}, 1);
    problem.storages[made].output = true;
  }
  if (overwrite)
    problem.ops.back().inPlace.push_back(
        {value.front(), problem.ops.back().outputs.front(), true});
  return problem;
}

int64_t keepAllPeak(const Problem &problem) {
  return simulate(problem, makeKeepAllPlan(problem))->livePeak;
}

TEST(BackwardOrder, RunsWeightGradientsWhereTheyFree) {
  Problem problem = lateWeightGradients(4);
  std::vector<OpIndex> order = orderBackward(problem);
  std::vector<std::string> names;
  for (OpIndex op : order)
    names.push_back(problem.ops[op].name);
  EXPECT_EQ(names, (std::vector<std::string>{"f1", "f2", "f3", "f4", "loss",
                                             "w4", "b4", "w3", "b3", "w2", "b2",
                                             "b1", "w1"}));
  Problem moved = reorder(problem, order);
  ASSERT_TRUE(bool(moved.check()));
  EXPECT_LT(keepAllPeak(moved), keepAllPeak(problem));
}

TEST(BackwardOrder, LeavesOverwritingStepsAlone) {
  Problem problem = lateWeightGradients(4, true);
  std::vector<OpIndex> given(problem.ops.size());
  std::iota(given.begin(), given.end(), 0);
  EXPECT_EQ(orderBackward(problem), given);
}

TEST(BackwardOrder, PlansAndMinimumsAreThoseOfTheGivenProblem) {
  // More ops than are searched exhaustively.
  Problem problem = lateWeightGradients(6);
  StrategyOptions options;
  options.strategy = Strategy::MemoryBudget;
  options.order = Order::Free;
  options.effort = 0.01;
  Expected<MinimumBudget> minimum = computeMinimumBudget(problem, options);
  ASSERT_TRUE(bool(minimum));
  EXPECT_TRUE(bool(verifyPlan(problem, minimum->plan)));
  // Which op that is says the plan's own timeline.
  Expected<Timeline> timeline = simulate(problem, minimum->plan);
  ASSERT_TRUE(bool(timeline));
  EXPECT_EQ(minimum->plan.schedule[timeline->peakExecution].op,
            minimum->peakOp);
  options.budget = minimum->bytes;
  Expected<Plan> plan = planMemoryBudget(problem, options);
  ASSERT_TRUE(bool(plan)) << plan.error().message;
  EXPECT_TRUE(bool(verifyPlan(problem, *plan)));
  EXPECT_LE(plan->claims.livePeak, minimum->bytes);
  Expected<std::vector<Plan>> front = planPareto(problem, options, 3);
  ASSERT_TRUE(bool(front));
  for (const Plan &point : *front)
    EXPECT_TRUE(bool(verifyPlan(problem, point)));
}

TEST(BackwardOrder, AFixedOrderStaysAsGiven) {
  Problem problem = lateWeightGradients(4);
  WorkingOrder fixed(problem, Order::Fixed);
  EXPECT_EQ(&fixed.problem(), &problem);
  EXPECT_EQ(fixed.original(3), 3);
  WorkingOrder free(problem, Order::Free);
  ASSERT_NE(&free.problem(), &problem);
  for (OpIndex op = 0; op < OpIndex(problem.ops.size()); ++op)
    EXPECT_EQ(free.problem().ops[op].name, problem.ops[free.original(op)].name);
}

TEST(EagerOrder, IsLegalOnRandomGraphs) {
  int moved = 0;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    RandomOptions random;
    random.ops = 8 + int32_t(seed % 25);
    random.inPlace = seed % 2 ? 0.3 : 0;
    Problem problem = seed % 3 ? makeRandomTraining(seed, random)
                               : makeRandomDag(seed, random);
    for (size_t v = 0; v < problem.ops.size(); v += 4) {
      problem.ops[v].ordered = seed % 5 == 0;
      problem.ops[v].recomputable &= !problem.ops[v].ordered;
    }
    ASSERT_TRUE(bool(problem.check())) << seed;
    std::vector<OpIndex> order = orderEagerly(problem);
    moved += !std::is_sorted(order.begin(), order.end());
    Plan plan = planOfSequence(problem, order);
    ASSERT_TRUE(bool(fillClaims(problem, plan))) << seed;
    Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
    ASSERT_TRUE(bool(verified)) << seed << ": " << verified.error().message;
    Problem eager = reorder(problem, order);
    ASSERT_TRUE(bool(eager.check())) << seed;
    EXPECT_EQ(keepAllPeak(eager), plan.claims.livePeak) << seed;
  }
  EXPECT_GT(moved, 50);
}

TEST(EagerOrder, LargeGraphsAreAlsoPlannedAlongIt) {
  // Masks of all layers stand behind the forward part, and what they are made
  // from waits for them. Nothing may run twice: only the order can help.
  const int32_t layers = 1300;
  ProblemBuilder builder;
  StorageIndex y = builder.addInitial("x", 1);
  auto add = [&](const std::string &name, std::vector<StorageIndex> inputs,
                 int64_t bytes, Phase phase) {
    OpIndex op = builder.addOp(name, inputs, 1, phase);
    builder.op(op).recomputable = false;
    return builder.addResult(op, name, bytes);
  };
  std::vector<StorageIndex> sums, masks;
  for (int32_t i = 0; i < layers; ++i) {
    const std::string layer = std::to_string(i);
    sums.push_back(add("sum" + layer, {y}, 8, Phase::Forward));
    y = add("relu" + layer, {sums.back()}, 1, Phase::Forward);
  }
  for (int32_t i = 0; i < layers; ++i)
    masks.push_back(
        add("mask" + std::to_string(i), {sums[size_t(i)]}, 1, Phase::Forward));
  StorageIndex gradient = y;
  for (int32_t i = layers; i-- > 0;)
    gradient = add("back" + std::to_string(i), {gradient, masks[size_t(i)]}, 1,
                   Phase::Backward);
  builder.storage(gradient).output = true;
  Problem problem = builder.take();
  EXPECT_GT(keepAllPeak(problem), 8 * layers);

  StrategyOptions options;
  options.strategy = Strategy::MemoryBudget;
  options.budget = 2 * layers;
  EXPECT_FALSE(bool(planMemoryBudget(problem, options)));
  options.order = Order::Free;
  Expected<Plan> plan = planMemoryBudget(problem, options);
  ASSERT_TRUE(bool(plan)) << plan.error().message;
  EXPECT_LE(plan->claims.livePeak, options.budget);
  EXPECT_EQ(plan->claims.recomputes, 0);
}

} // namespace
