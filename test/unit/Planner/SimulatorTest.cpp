//===- SimulatorTest.cpp - The memory model's golden numbers --------------===//
//
// Part of Ringi. Peaks known by hand (docs/memory-model.md), in-place rules,
// and the agreement of simulator and verifier on random plans.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Simulator.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/KeepSet.h"
#include "ringi/Planner/ProblemBuilder.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

namespace {

int64_t keepAllPeak(const Problem &problem) {
  Expected<Timeline> timeline = simulate(problem, makeKeepAllPlan(problem));
  EXPECT_TRUE(bool(timeline)) << timeline.error().message;
  return timeline->livePeak;
}

/// a(10) is made, b(10) is computed from it and returned.
Problem makeOverwrite(bool inPlace) {
  ProblemBuilder builder("overwrite");
  OpIndex make = builder.addOp("make", {});
  StorageIndex a = builder.addResult(make, "a", 10);
  OpIndex use = builder.addOp("use", {a});
  StorageIndex b = builder.addResult(use, "b", 10);
  builder.storage(b).output = true;
  if (inPlace)
    builder.addInPlace(use, a, b);
  return builder.take();
}

TEST(Simulator, KeepAllPeakOfChainIsLengthPlusTwo) {
  for (int32_t n : {1, 2, 5, 9, 40})
    EXPECT_EQ(keepAllPeak(makeChain(n)), n + 2);
}

TEST(Simulator, KeepAllPeakOfEightBlocks) {
  EXPECT_EQ(keepAllPeak(makeBlocks(8, 4)), 42);
}

// Case 3 of the field: 20 bytes, 10 only where the op reuses its operand.
TEST(Simulator, InPlaceCountsTheBytesOnce) {
  EXPECT_EQ(keepAllPeak(makeOverwrite(false)), 20);
  EXPECT_EQ(keepAllPeak(makeOverwrite(true)), 10);
  Problem problem = makeOverwrite(true);
  Expected<Timeline> timeline = simulate(problem, makeKeepAllPlan(problem));
  ASSERT_TRUE(bool(timeline));
  ASSERT_EQ(timeline->buffers.size(), 2u);
  EXPECT_EQ(timeline->buffers[1].reuses, 0);
  EXPECT_EQ(timeline->buffers[0].last, timeline->buffers[1].first);
}

TEST(Simulator, InPlaceNeedsADyingOperand) {
  Problem problem = makeOverwrite(true);
  problem.storages[0].output = true;
  EXPECT_EQ(keepAllPeak(problem), 20);
}

TEST(Simulator, ParameterUpdateLivesInPersistentBytes) {
  ProblemBuilder builder("update");
  StorageIndex weight = builder.addInitial("w", 8, Category::Parameter);
  StorageIndex gradient = builder.addInitial("g", 8, Category::Gradient, false);
  OpIndex update = builder.addOp("sgd", {weight, gradient});
  builder.addInPlace(update, weight, builder.addResult(update, "w.new", 8),
                     true);
  OpIndex other = builder.addOp("other", {});
  builder.storage(builder.addResult(other, "y", 1)).output = true;
  Problem problem = builder.take();
  ASSERT_TRUE(bool(problem.check()));
  Expected<Timeline> timeline = simulate(problem, makeKeepAllPlan(problem));
  ASSERT_TRUE(bool(timeline)) << timeline.error().message;
  // The gradient is freed after the update; the weight's bytes stay.
  EXPECT_EQ(timeline->resident, (std::vector<int64_t>{16, 9}));
}

TEST(Simulator, WorkspaceCountsWhileItsOpRuns) {
  Problem problem = makeChain(2);
  problem.ops[0].workspace = 100;
  Expected<Timeline> timeline = simulate(problem, makeKeepAllPlan(problem));
  ASSERT_TRUE(bool(timeline));
  EXPECT_EQ(timeline->livePeak, 102);
  EXPECT_EQ(timeline->peakExecution, 0);
}

TEST(Simulator, UnreadStorageBeforeTheStepOccupiesNothing) {
  ProblemBuilder builder("unread");
  builder.addInitial("unused", 7, Category::Input, false);
  OpIndex make = builder.addOp("make", {});
  builder.storage(builder.addResult(make, "y", 1)).output = true;
  EXPECT_EQ(keepAllPeak(builder.take()), 1);
}

TEST(Simulator, SequencePeaksOfUniformGroups) {
  // 24 layers of 6 unit values with gradients in place: 24/g boundaries and
  // 6 g replayed or in-flight units.
  ChainOptions options;
  options.inPlaceGradients = true;
  Problem problem = makeChain(24 * 6, options);
  for (auto [g, peak] : std::vector<std::pair<int, int64_t>>{
           {1, 30}, {2, 24}, {3, 26}, {4, 30}, {24, 145}}) {
    std::vector<bool> keep(problem.storages.size(), true);
    for (int32_t k = 1; k <= 24 * 6; ++k)
      keep[k] = k % (6 * g) == 0;
    Plan plan = expandKeepSet(problem, keep);
    EXPECT_EQ(plan.claims.livePeak, peak) << "groups of " << g;
    EXPECT_TRUE(bool(verifyPlan(problem, plan)));
  }
}

struct BadPlan {
  const char *name;
  void (*damage)(Plan &plan);
  const char *message;
};

TEST(Simulator, RefusesPlansThatReadWhatIsNotThere) {
  const BadPlan cases[] = {
      {"later", [](Plan &p) { p.schedule[1].reads[0] = 3; },
       "execution #1 (op 'f2') reads 'x1' of execution #3, which is not "
       "earlier"},
      {"wrong op", [](Plan &p) { p.schedule[2].reads[0] = 0; },
       "execution #2 (op 'loss') reads 'x2' of execution #0 (op 'f1'), which "
       "does not compute it"},
      {"before the step", [](Plan &p) { p.schedule[1].reads[0] = kNone; },
       "execution #1 (op 'f2') reads 'x1' from before the step, which does not "
       "compute it"},
      {"op index", [](Plan &p) { p.schedule[1].op = 99; },
       "execution #1 runs op #99 but the graph has 6 ops; the plan is for "
       "another graph"},
      {"reads", [](Plan &p) { p.schedule[1].reads.clear(); },
       "execution #1 (op 'f2') names 0 reads but the op has 1 inputs"},
      {"outputs", [](Plan &p) { p.outputs.pop_back(); },
       "the plan names 1 outputs but the step has 2"},
      {"output", [](Plan &p) { p.outputs[0] = 0; },
       "the plan takes output 'loss' from execution #0, which does not compute "
       "it"}};
  Problem problem = makeChain(2);
  for (const BadPlan &bad : cases) {
    Plan plan = makeKeepAllPlan(problem);
    bad.damage(plan);
    Expected<Timeline> timeline = simulate(problem, plan);
    ASSERT_FALSE(bool(timeline)) << bad.name;
    EXPECT_EQ(timeline.error().message, bad.message) << bad.name;
  }
}

TEST(Simulator, RefusesReadsOfOverwrittenBytes) {
  ProblemBuilder builder("stale");
  StorageIndex weight = builder.addInitial("w", 8, Category::Parameter);
  OpIndex read = builder.addOp("read", {weight});
  builder.storage(builder.addResult(read, "y", 1)).output = true;
  OpIndex update = builder.addOp("update", {weight});
  builder.addInPlace(update, weight, builder.addResult(update, "w.new", 8),
                     true);
  Problem problem = builder.take();
  Plan plan = makeKeepAllPlan(problem);
  std::swap(plan.schedule[0], plan.schedule[1]);
  plan.outputs[0] = 1;
  Expected<Timeline> timeline = simulate(problem, plan);
  ASSERT_FALSE(bool(timeline));
  EXPECT_EQ(timeline.error().message,
            "execution #0 (op 'update') overwrites 'w', which is read again by "
            "execution #1 (op 'read')");
}

// 4000 random plans: both implementations of the memory model agree.
TEST(Simulator, AgreesWithTheVerifierOnRandomPlans) {
  for (uint64_t seed = 0; seed < 2000; ++seed) {
    RandomOptions options;
    options.ops = 4 + int32_t(seed % 17);
    options.inPlace = seed % 3 == 0 ? 0.4 : 0;
    options.notRecomputable = 0.15;
    Problem problem = seed % 4 == 0 ? makeRandomDag(seed, options)
                                    : makeRandomTraining(seed, options);
    ASSERT_TRUE(bool(problem.check())) << seed;
    std::vector<bool> keep(problem.storages.size());
    for (size_t s = 0; s < keep.size(); ++s)
      keep[s] = ((seed + 1) * (s + 3) * 2654435761u >> 9) & 1;
    for (const Plan &plan :
         {makeKeepAllPlan(problem), expandKeepSet(problem, keep)}) {
      Expected<Timeline> timeline = simulate(problem, plan);
      ASSERT_TRUE(bool(timeline)) << seed << timeline.error().message;
      Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
      ASSERT_TRUE(bool(verified)) << seed << verified.error().message;
      EXPECT_EQ(timeline->livePeak, verified->livePeak) << seed;
      EXPECT_TRUE(keepsGivenOrder(problem, plan));
    }
  }
}

} // namespace
