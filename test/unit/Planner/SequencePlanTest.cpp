//===- SequencePlanTest.cpp - Reads take the latest copy ------------------===//
//
// Part of Ringi. An order of executions as a plan, with and without recompute.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/SequencePlan.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

#include <numeric>

using namespace ringi;
using namespace ringi::planner;

namespace {

TEST(SequencePlan, EachOpOnceIsKeepAll) {
  Problem problem = makeBlocks(4, 3);
  std::vector<OpIndex> sequence(problem.ops.size());
  std::iota(sequence.begin(), sequence.end(), 0);
  Plan plan = planOfSequence(problem, sequence);
  ASSERT_TRUE(fillClaims(problem, plan));
  EXPECT_EQ(plan.claims.livePeak, makeKeepAllPlan(problem).claims.livePeak);
  EXPECT_EQ(plan.claims.recomputes, 0);
  EXPECT_TRUE(verifyPlan(problem, plan));
}

TEST(SequencePlan, ReadersTakeTheCopyMadeLast) {
  // f1 f2 f3 f4 loss dloss b4 [f1 f2] b3 b2 b1 of chain(4).
  Problem chain = makeChain(4);
  std::vector<OpIndex> sequence = {0, 1, 2, 3, 4, 5, 6, 0, 1, 7, 8, 9};
  Plan plan = planOfSequence(chain, sequence);
  ASSERT_TRUE(fillClaims(chain, plan));
  EXPECT_TRUE(verifyPlan(chain, plan));
  EXPECT_EQ(plan.claims.recomputes, 2);
  EXPECT_EQ(plan.schedule[2].reads, std::vector<ExecutionIndex>{1});
  EXPECT_EQ(plan.schedule[8].reads, std::vector<ExecutionIndex>{7});
  // b3 reads x2 and g3, b2 reads x1 and g2.
  EXPECT_EQ(plan.schedule[9].reads, (std::vector<ExecutionIndex>{8, 6}));
  EXPECT_EQ(plan.schedule[10].reads, (std::vector<ExecutionIndex>{7, 9}));
  EXPECT_EQ(plan.outputs, (std::vector<ExecutionIndex>{4, 11}));
}

} // namespace
