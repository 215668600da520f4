//===- LoopPlannerTest.cpp - Loop checkpointing against its definition ----===//
//
// Part of Ringi. Every schedule is interpreted action by action: iterations are
// reversed in order, only what is stored is read, the bytes held and the
// replays are those claimed. The closed form is compared with its recurrence.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/LoopPlanner.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

using namespace ringi;
using namespace ringi::planner;

namespace {

struct Outcome {
  int64_t peak = 0, executed = 0;
  bool valid = true;
};

Outcome interpret(int64_t trips, int64_t carry, int64_t internals,
                  const std::vector<LoopAction> &actions) {
  Outcome outcome;
  std::set<int64_t> stored;
  int64_t current = 0, end = trips, recordedFrom = -1, recorded = 0;
  auto require = [&](bool condition) { outcome.valid &= condition; };
  for (const LoopAction &action : actions) {
    switch (action.kind) {
    case LoopAction::Store:
      require(current == action.from && stored.insert(action.from).second);
      break;
    case LoopAction::Load:
      require(stored.count(action.from) == 1);
      current = action.from;
      break;
    case LoopAction::Discard:
      require(stored.erase(action.from) == 1);
      break;
    case LoopAction::Advance:
      require(current == action.from && action.from < action.to &&
              action.to <= end);
      outcome.executed += action.to - action.from;
      current = action.to;
      break;
    case LoopAction::Record:
      require(current == action.from && action.to == end && recorded == 0);
      outcome.executed += action.to - action.from;
      recordedFrom = action.from;
      recorded = action.to - action.from;
      break;
    case LoopAction::Reverse:
      require(recordedFrom == action.from && action.to == end &&
              recorded == action.to - action.from);
      end = action.from;
      recorded = 0;
      current = -1;
      break;
    }
    outcome.peak = std::max(outcome.peak, int64_t(stored.size()) * carry +
                                              recorded * (carry + internals));
  }
  require(end == 0 && stored.empty());
  return outcome;
}

TEST(LoopPlanner, PeriodicPeaksOfTheCase) {
  // T = 16, carry 1, internals 3.
  EXPECT_EQ(periodicLoopPeak(16, 1, 3, 1), 20);
  EXPECT_EQ(periodicLoopPeak(16, 1, 3, 2), 16);
  EXPECT_EQ(periodicLoopPeak(16, 1, 3, 4), 20);
  EXPECT_EQ(periodicLoopPeak(16, 1, 3, 8), 34);
  EXPECT_EQ(periodicLoopPeak(16, 1, 3, 16), 65);
  Expected<LoopPlan> plan = planLoop({16, 1, 3, 16});
  ASSERT_TRUE(bool(plan));
  EXPECT_EQ(plan->scheme, LoopScheme::Periodic);
  EXPECT_EQ(plan->segment, 2);
  EXPECT_EQ(plan->peak, 16);
}

TEST(LoopPlanner, EverySchedulesKeepsItsPromise) {
  for (int64_t trips : {0, 1, 2, 3, 7, 16, 17, 40})
    for (int64_t carry : {0, 1, 3})
      for (int64_t internals : {0, 1, 3}) {
        int64_t replays = -1;
        int64_t least = trips == 0 ? 0 : 2 * carry + internals;
        int64_t most = trips * (carry + internals) + carry;
        for (int64_t budget = least; budget <= most + 1; ++budget) {
          Expected<LoopPlan> plan = planLoop({trips, carry, internals, budget});
          ASSERT_TRUE(bool(plan)) << plan.error().message;
          ASSERT_LE(plan->peak, budget);
          Outcome outcome =
              interpret(trips, carry, internals, expandLoop(trips, *plan));
          ASSERT_TRUE(outcome.valid) << trips << " at " << budget;
          ASSERT_LE(outcome.peak, plan->peak);
          ASSERT_EQ(outcome.executed - trips, plan->replays)
              << trips << " at " << budget;
          // More bytes never cost more replays.
          if (replays >= 0) {
            ASSERT_LE(plan->replays, replays);
          }
          replays = plan->replays;
        }
        EXPECT_EQ(replays, 0);
      }
}

TEST(LoopPlanner, RevolveEqualsItsRecurrence) {
  constexpr int kSteps = 40, kCheckpoints = 8;
  std::vector<std::vector<int64_t>> least(kCheckpoints + 1,
                                          std::vector<int64_t>(kSteps + 1, 0));
  for (int c = 1; c <= kCheckpoints; ++c)
    for (int l = 2; l <= kSteps; ++l) {
      least[c][l] = int64_t(l) * (l - 1) / 2;
      for (int m = 1; c > 1 && m < l; ++m)
        least[c][l] =
            std::min(least[c][l], m + least[c - 1][l - m] + least[c][m]);
      EXPECT_EQ(revolveForwardSteps(l, c), least[c][l]) << l << " " << c;
      if (c > 1) {
        int64_t m = revolveAdvance(l, c);
        EXPECT_EQ(m + least[c - 1][l - m] + least[c][m], least[c][l])
            << l << " " << c;
      }
    }
  EXPECT_EQ(revolveForwardSteps(int64_t(1) << 40, 1), int64_t(1) << 62);
  EXPECT_EQ(revolveForwardSteps(1000000, 1000000), 999999);
}

TEST(LoopPlanner, TooSmallABudgetNamesTheLeast) {
  Expected<LoopPlan> plan = planLoop({16, 2, 3, 6});
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(plan.error().exitCode(), 1);
  EXPECT_EQ(plan.error().message,
            "a budget of 6 bytes cannot hold the reversal of a loop of 16 "
            "iterations; it takes 7 bytes");
  EXPECT_TRUE(bool(planLoop({16, 2, 3, 7})));
}

TEST(LoopPlanner, BadNumbersAreNamed) {
  Expected<LoopPlan> plan = planLoop({-1, 2, 3, 6});
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(plan.error().exitCode(), 2);
  EXPECT_EQ(plan.error().message,
            "a loop with -1 iterations cannot be planned; give a number from "
            "0 to 2^62");
  plan = planLoop({2, int64_t(1) << 62, int64_t(1) << 62, 6});
  ASSERT_FALSE(bool(plan));
  EXPECT_EQ(plan.error().exitCode(), 2);
  EXPECT_EQ(plan.error().message.find("one iteration of the loop holds more"),
            0u);
}

TEST(LoopPlanner, LongLoopsArePlannedInNoTime) {
  Expected<LoopPlan> plan = planLoop({int64_t(1) << 40, 1, 3, 1000});
  ASSERT_TRUE(bool(plan)) << plan.error().message;
  EXPECT_EQ(plan->scheme, LoopScheme::Binomial);
  EXPECT_EQ(plan->checkpoints, 996);
}

} // namespace
