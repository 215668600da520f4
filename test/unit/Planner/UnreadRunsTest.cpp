//===- UnreadRunsTest.cpp - No op runs for nothing ------------------------===//
//
// Part of Ringi. Unread runs go, chains of them too; what is read stays.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/UnreadRuns.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/ProblemBuilder.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

namespace {

/// a -> b -> c, c leaves the step.
Problem makeLine() {
  ProblemBuilder builder("line");
  StorageIndex a = builder.addResult(builder.addOp("a", {}), "a", 1);
  StorageIndex b = builder.addResult(builder.addOp("b", {a}), "b", 1);
  StorageIndex c = builder.addResult(builder.addOp("c", {b}), "c", 1);
  builder.storage(c).output = true;
  return builder.take();
}

std::vector<OpIndex> opsOf(const Plan &plan) {
  std::vector<OpIndex> ops;
  for (const Execution &execution : plan.schedule)
    ops.push_back(execution.op);
  return ops;
}

TEST(UnreadRuns, ChainOfUnreadClonesGoes) {
  Problem line = makeLine();
  Plan plan;
  // b's second run feeds nothing, and then a's second run feeds nothing.
  plan.schedule = {{0, {}}, {1, {0}}, {0, {}}, {1, {2}}, {2, {1}}};
  plan.outputs = {4};
  dropUnreadRuns(line, plan, Order::Free);
  EXPECT_EQ(opsOf(plan), (std::vector<OpIndex>{0, 1, 2}));
  EXPECT_EQ(plan.claims.recomputes, 0);
  EXPECT_TRUE(bool(verifyPlan(line, plan)));
}

TEST(UnreadRuns, FirstRunThatNobodyReadsMovesTheOp) {
  Problem line = makeLine();
  Plan plan;
  plan.schedule = {{0, {}}, {0, {}}, {1, {1}}, {2, {2}}};
  plan.outputs = {3};
  dropUnreadRuns(line, plan, Order::Free);
  EXPECT_EQ(opsOf(plan), (std::vector<OpIndex>{0, 1, 2}));
  EXPECT_EQ(plan.schedule[1].reads, (std::vector<ExecutionIndex>{0}));
  EXPECT_EQ(plan.outputs, (std::vector<ExecutionIndex>{2}));
}

TEST(UnreadRuns, GivenOrderKeepsFirstRuns) {
  Problem line = makeLine();
  Plan plan;
  plan.schedule = {{0, {}}, {0, {}}, {1, {1}}, {0, {}}, {2, {2}}};
  plan.outputs = {4};
  dropUnreadRuns(line, plan, Order::Fixed);
  EXPECT_EQ(opsOf(plan), (std::vector<OpIndex>{0, 0, 1, 2}));
}

TEST(UnreadRuns, LastRunOfAnOpStays) {
  ProblemBuilder builder("effect");
  OpIndex print = builder.addOp("print", {});
  builder.addResult(print, "p", 1);
  StorageIndex y = builder.addResult(builder.addOp("y", {}), "y", 1);
  builder.storage(y).output = true;
  Problem problem = builder.take();
  Plan plan = makeKeepAllPlan(problem);
  dropUnreadRuns(problem, plan, Order::Free);
  EXPECT_EQ(plan.schedule.size(), 2u);
}

TEST(UnreadRuns, MarkedMustRecomputeKeepsItsFirstRun) {
  Problem line = makeLine();
  line.storages[0].mark = Mark::MustRecompute;
  Plan plan;
  plan.schedule = {{0, {}}, {0, {}}, {1, {1}}, {2, {2}}};
  plan.outputs = {3};
  dropUnreadRuns(line, plan, Order::Free);
  EXPECT_EQ(plan.schedule.size(), 4u);
}

// Doubles every run of random plans with an unread copy: the plan comes back.
TEST(UnreadRuns, RestoresPlansThatWerePadded) {
  for (uint64_t seed = 0; seed < 50; ++seed) {
    Problem problem = makeRandomTraining(seed);
    Plan plan = makeKeepAllPlan(problem);
    Plan padded = plan;
    padded.schedule.clear();
    for (const Execution &execution : plan.schedule) {
      Execution twice = execution;
      for (ExecutionIndex &from : twice.reads)
        from = from == kNone ? kNone : 2 * from + 1;
      padded.schedule.push_back(twice);
      padded.schedule.push_back(twice);
    }
    for (ExecutionIndex &from : padded.outputs)
      from = 2 * from + 1;
    dropUnreadRuns(problem, padded, Order::Free);
    ASSERT_EQ(opsOf(padded), opsOf(plan)) << "seed " << seed;
    EXPECT_EQ(padded.outputs, plan.outputs);
    EXPECT_EQ(padded.claims.livePeak, plan.claims.livePeak);
    for (size_t e = 0; e < plan.schedule.size(); ++e)
      EXPECT_EQ(padded.schedule[e].reads, plan.schedule[e].reads);
  }
}

} // namespace
