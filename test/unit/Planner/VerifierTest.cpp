//===- VerifierTest.cpp - Every way a plan can be wrong -------------------===//
//
// Part of Ringi. One damaged plan per message of the verifier.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Verifier.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/KeepSet.h"
#include "ringi/Planner/ProblemBuilder.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

namespace {

/// chain(3) with x2 recomputed: f1 f2 f3 loss dloss [f2] b3 b2 b1.
Plan makeRecomputePlan(const Problem &problem) {
  std::vector<bool> keep(problem.storages.size(), true);
  keep[2] = false;
  return expandKeepSet(problem, keep);
}

struct Case {
  const char *name;
  void (*damage)(Problem &problem, Plan &plan);
  const char *message;
  int exitCode;
};

TEST(Verifier, AcceptsAndMeasures) {
  Problem problem = makeChain(3);
  Expected<VerifiedPlan> verified =
      verifyPlan(problem, makeRecomputePlan(problem));
  ASSERT_TRUE(bool(verified)) << verified.error().message;
  EXPECT_EQ(verified->recomputes, 1);
  EXPECT_EQ(verified->recomputeCost, 1);
}

TEST(Verifier, NamesWhatIsWrong) {
  const Case cases[] = {
      {"op of another graph", [](Problem &, Plan &p) { p.schedule[0].op = 77; },
       "execution #0 runs op #77 but the graph has 8 ops; the plan is for "
       "another graph",
       2},
      {"reads of another graph",
       [](Problem &, Plan &p) { p.schedule[0].reads.push_back(0); },
       "execution #0 (op 'f1') names 2 reads but the op has 1 inputs; the plan "
       "is for another graph",
       2},
      {"clone of an op with effects",
       [](Problem &q, Plan &) { q.ops[1].recomputable = false; },
       "execution #5 (op 'f2') runs the op a second time, but it is not "
       "recomputable; keep its results",
       1},
      {"missing op", [](Problem &, Plan &p) { p.schedule.pop_back(); },
       "op 'b1' never runs; a plan runs each of the 8 ops", 1},
      {"must-keep",
       [](Problem &q, Plan &) { q.storages[2].mark = Mark::MustKeep; },
       "op 'f2' runs 2 times but its result 'x2' is marked must-keep", 1},
      {"must-recompute",
       [](Problem &q, Plan &) { q.storages[1].mark = Mark::MustRecompute; },
       "execution #5 (op 'f2') reads the forward copy of 'x1', which is marked "
       "must-recompute",
       1},
      {"read of the future",
       [](Problem &, Plan &p) { p.schedule[1].reads[0] = 4; },
       "execution #1 (op 'f2') reads 'x1' of execution #4, which has not run "
       "by "
       "then",
       1},
      {"read of another op",
       [](Problem &, Plan &p) { p.schedule[2].reads[0] = 0; },
       "execution #2 (op 'f3') reads 'x2' of execution #0 (op 'f1'), which "
       "does "
       "not compute it",
       1},
      {"missing output", [](Problem &, Plan &p) { p.outputs.pop_back(); },
       "the plan names 1 outputs and misses 'g0'", 1},
      {"too many outputs", [](Problem &, Plan &p) { p.outputs.push_back(0); },
       "the plan names 3 outputs but the step has 2", 1},
      {"wrong output", [](Problem &, Plan &p) { p.outputs[1] = 0; },
       "output 'g0' is taken from execution #0, which does not compute it", 1},
      {"claimed peak", [](Problem &, Plan &p) { p.claims.livePeak = 4; },
       "the plan claims a live peak of 4 bytes but it is 5; plan the graph "
       "again",
       1},
      {"one size doubled", [](Problem &q, Plan &) { q.storages[1].bytes = 2; },
       "the plan claims a live peak of 5 bytes but it is 6; plan the graph "
       "again",
       1},
      {"budget", [](Problem &, Plan &p) { p.budget = 4; },
       "the plan's live peak of 5 bytes exceeds its budget of 4", 1},
      {"claimed recomputes",
       [](Problem &, Plan &p) { p.claims.recomputes = 0; },
       "the plan claims 0 recomputes but has 1", 1},
      {"claimed cost", [](Problem &, Plan &p) { p.claims.recomputeCost = 0.5; },
       "the plan claims a recompute cost of 0.5 but it is 1", 1},
      {"bound above the cost",
       [](Problem &, Plan &p) { p.claims.lowerBound = 2; },
       "the plan claims the lower bound 2 above its own recompute cost of 1",
       1}};
  for (const Case &bad : cases) {
    Problem problem = makeChain(3);
    Plan plan = makeRecomputePlan(problem);
    ASSERT_EQ(plan.claims.livePeak, 5);
    bad.damage(problem, plan);
    Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
    ASSERT_FALSE(bool(verified)) << bad.name;
    EXPECT_EQ(verified.error().message, bad.message) << bad.name;
    EXPECT_EQ(verified.error().exitCode(), bad.exitCode) << bad.name;
  }
}

/// read(w) and update(w in place), both with effects.
Problem makeUpdate() {
  ProblemBuilder builder("update");
  StorageIndex w = builder.addInitial("w", 8, Category::Parameter);
  OpIndex read = builder.addOp("read", {w});
  builder.storage(builder.addResult(read, "y", 1)).output = true;
  OpIndex update = builder.addOp("update", {w});
  builder.addInPlace(update, w, builder.addResult(update, "w.new", 8), true);
  return builder.take();
}

TEST(Verifier, RefusesReadsAfterAnOverwrite) {
  Problem problem = makeUpdate();
  Plan plan = makeKeepAllPlan(problem);
  std::swap(plan.schedule[0], plan.schedule[1]);
  plan.outputs[0] = 1;
  Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
  ASSERT_FALSE(bool(verified));
  EXPECT_EQ(verified.error().message,
            "execution #0 (op 'update') overwrites 'w' which has 1 later uses; "
            "move them before it");
}

TEST(Verifier, RefusesReorderedEffects) {
  Problem problem = makeUpdate();
  problem.ops[1].inPlace.clear();
  for (Op &op : problem.ops)
    op.ordered = true, op.recomputable = false;
  Plan plan = makeKeepAllPlan(problem);
  std::swap(plan.schedule[0], plan.schedule[1]);
  plan.outputs[0] = 1;
  Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
  ASSERT_FALSE(bool(verified));
  EXPECT_EQ(verified.error().message,
            "execution #1 (op 'read') runs after op 'update', but ops with "
            "effects keep the given order");
}

} // namespace
