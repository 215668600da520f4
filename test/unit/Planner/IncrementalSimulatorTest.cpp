//===- IncrementalSimulatorTest.cpp - Edits against the simulator ---------===//
//
// Part of Ringi. Random edit sequences on random graphs, with in-place pairs,
// workspaces, several results and inputs that die: after every edit the
// incremental values equal what Simulator says of the same schedule.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/IncrementalSimulator.h"
#include "ringi/Planner/Simulator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

using namespace ringi;
using namespace ringi::planner;

namespace {

Problem randomProblem(std::mt19937_64 &rng, int ops) {
  Problem problem;
  auto pick = [&](int bound) { return int(rng() % uint64_t(bound)); };
  for (int i = 0; i < 3; ++i) {
    Storage storage;
    storage.name = "in" + std::to_string(i);
    storage.bytes = 1 + pick(9);
    storage.persistent = i == 0;
    problem.storages.push_back(storage);
  }
  for (int i = 0; i < ops; ++i) {
    Op op;
    op.name = "op" + std::to_string(i);
    op.cost = 1 + pick(5);
    op.workspace = pick(4) == 0 ? pick(6) : 0;
    op.recomputable = pick(8) != 0;
    int reads = 1 + pick(3);
    for (int k = 0; k < reads; ++k) {
      int known = int(problem.storages.size());
      StorageIndex s =
          pick(3) == 0 ? pick(known) : known - 1 - pick(std::min(known, 5));
      if (std::find(op.inputs.begin(), op.inputs.end(), s) == op.inputs.end())
        op.inputs.push_back(s);
    }
    int results = 1 + (pick(4) == 0);
    for (int k = 0; k < results; ++k) {
      Storage storage;
      storage.name = "s" + std::to_string(problem.storages.size());
      storage.bytes = pick(10);
      storage.producer = i;
      storage.output = pick(6) == 0;
      op.outputs.push_back(StorageIndex(problem.storages.size()));
      if (pick(3) == 0) {
        storage.bytes = problem.storages[op.inputs[0]].bytes;
        op.inPlace.push_back({op.inputs[0], op.outputs.back(), false});
      }
      problem.storages.push_back(storage);
    }
    problem.ops.push_back(op);
  }
  // One parameter update: overwrites the persistent input after all readers.
  Op update;
  update.name = "update";
  update.recomputable = false;
  update.inputs = {0, StorageIndex(problem.storages.size() - 1)};
  Storage updated;
  updated.name = "updated";
  updated.bytes = problem.storages[0].bytes;
  updated.producer = ops;
  updated.output = true;
  update.outputs = {StorageIndex(problem.storages.size())};
  update.inPlace.push_back({0, update.outputs[0], true});
  problem.storages.push_back(updated);
  problem.ops.push_back(update);
  return problem;
}

void expectEqual(const Problem &problem, const IncrementalSimulator &edited,
                 int64_t budget, bool flat) {
  Plan plan = edited.toPlan();
  Expected<Timeline> timeline = simulate(problem, plan);
  ASSERT_TRUE(bool(timeline)) << timeline.error().message;
  ASSERT_EQ(timeline->livePeak, edited.peak());
  double over = 0;
  for (int64_t bytes : timeline->resident)
    over += double(std::max<int64_t>(bytes - budget, 0));
  if (!flat)
    over = double(std::max<int64_t>(timeline->livePeak - budget, 0));
  ASSERT_EQ(over, edited.overflow());
  ASSERT_DOUBLE_EQ(plan.claims.recomputeCost, edited.recomputeCost());
  ExecutionIndex e = 0;
  for (auto h = edited.front(); flat && h != kNone; h = edited.next(h)) {
    ASSERT_EQ(timeline->resident[e++], edited.resident(h));
  }
}

/// One random edit; true when it was legal.
bool randomEdit(std::mt19937_64 &rng, const Problem &problem,
                IncrementalSimulator &simulator) {
  auto pick = [&](size_t bound) { return int32_t(rng() % bound); };
  auto any = [&] {
    auto h = simulator.atOrAfter(pick(size_t(simulator.numSlots())));
    return h == kNone ? simulator.front() : h;
  };
  auto where = pick(10) == 0 ? kNone : any();
  switch (pick(3)) {
  case 0:
    return simulator.insert(pick(problem.ops.size()), where) != kNone;
  case 1:
    return simulator.remove(any());
  default:
    return simulator.move(any(), where);
  }
}

TEST(IncrementalSimulator, EqualsSimulatorUnderRandomEdits) {
  int64_t legal = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 rng(seed);
    Problem problem = randomProblem(rng, 4 + int(seed % 20));
    ASSERT_TRUE(bool(problem.check())) << problem.check().error().message;
    int64_t budget = 20 + int64_t(rng() % 20);
    IncrementalSimulator simulator(problem, makeKeepAllPlan(problem), budget);
    ASSERT_NO_FATAL_FAILURE(expectEqual(problem, simulator, budget, true));
    for (int edit = 0; edit < 150; ++edit) {
      simulator.begin();
      legal += randomEdit(rng, problem, simulator);
      simulator.commit();
      ASSERT_NO_FATAL_FAILURE(expectEqual(problem, simulator, budget, true))
          << "seed " << seed << " edit " << edit;
    }
  }
  EXPECT_GT(legal, 1000);
}

TEST(IncrementalSimulator, RollbackRestoresScheduleAndBytes) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    std::mt19937_64 rng(seed);
    Problem problem = randomProblem(rng, 12);
    IncrementalSimulator simulator(problem, makeKeepAllPlan(problem), 25);
    for (int round = 0; round < 40; ++round) {
      Plan before = simulator.toPlan();
      double overflow = simulator.overflow();
      simulator.begin();
      for (int edit = 0; edit < 6; ++edit)
        randomEdit(rng, problem, simulator);
      if (round % 4 == 0) {
        simulator.commit();
        continue;
      }
      simulator.rollback();
      Plan after = simulator.toPlan();
      ASSERT_EQ(before.schedule.size(), after.schedule.size());
      for (size_t i = 0; i < before.schedule.size(); ++i)
        ASSERT_EQ(before.schedule[i].op, after.schedule[i].op);
      ASSERT_EQ(before.claims.livePeak, after.claims.livePeak);
      ASSERT_EQ(overflow, simulator.overflow());
      ASSERT_NO_FATAL_FAILURE(expectEqual(problem, simulator, 25, true));
    }
  }
}

TEST(IncrementalSimulator, ForecastsAreWhatTheEditsDo) {
  int64_t known = 0;
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::mt19937_64 rng(seed);
    Problem problem = randomProblem(rng, 4 + int(seed % 20));
    for (Op &op : problem.ops)
      op.inPlace.clear();
    IncrementalSimulator simulator(problem, makeKeepAllPlan(problem), 25);
    auto pick = [&](size_t bound) { return int32_t(rng() % bound); };
    auto any = [&] {
      auto h = simulator.atOrAfter(pick(size_t(simulator.numSlots())));
      return h == kNone ? simulator.front() : h;
    };
    for (int edit = 0; edit < 200; ++edit) {
      simulator.begin();
      auto where = pick(10) == 0 ? kNone : any();
      IncrementalSimulator::Forecast forecast;
      bool legal = false;
      if (int kind = pick(3); kind == 0) {
        OpIndex op = pick(problem.ops.size());
        forecast = simulator.forecastInsert(op, where);
        legal = simulator.insert(op, where) != kNone;
      } else if (kind == 1) {
        auto h = any();
        forecast = simulator.forecastRemove(h);
        legal = simulator.remove(h);
      } else {
        auto h = any();
        forecast = simulator.forecastMove(h, where);
        legal = simulator.move(h, where);
      }
      using Forecast = IncrementalSimulator::Forecast;
      if (forecast.kind == Forecast::Known) {
        ASSERT_TRUE(legal);
        ASSERT_EQ(forecast.overflow, simulator.overflow())
            << "seed " << seed << " edit " << edit;
        ++known;
      } else if (forecast.kind == Forecast::Illegal) {
        ASSERT_FALSE(legal);
      }
      simulator.commit();
    }
  }
  EXPECT_GT(known, 2000);
}

TEST(IncrementalSimulator, LargeSchedulesUseTheTree) {
  std::mt19937_64 rng(7);
  Problem problem = randomProblem(rng, 6000);
  IncrementalSimulator simulator(problem, makeKeepAllPlan(problem), 1000);
  ASSERT_NO_FATAL_FAILURE(expectEqual(problem, simulator, 1000, false));
  for (int round = 0; round < 20; ++round) {
    simulator.begin();
    for (int edit = 0; edit < 50; ++edit)
      randomEdit(rng, problem, simulator);
    if (round % 2)
      simulator.rollback();
    else
      simulator.commit();
    ASSERT_NO_FATAL_FAILURE(expectEqual(problem, simulator, 1000, false));
  }
}

TEST(IncrementalSimulator, RefusesWhatBreaksAPlan) {
  // a -> b -> c: b cannot run before a, a cannot be removed or moved past b.
  Problem problem;
  for (int i = 0; i < 3; ++i) {
    Op op;
    op.name = std::string(1, char('a' + i));
    op.recomputable = i != 1;
    if (i > 0)
      op.inputs = {StorageIndex(i - 1)};
    op.outputs = {StorageIndex(i)};
    problem.ops.push_back(op);
    Storage storage;
    storage.name = op.name;
    storage.bytes = 1;
    storage.producer = i;
    problem.storages.push_back(storage);
  }
  problem.storages[2].output = true;
  IncrementalSimulator simulator(problem, makeKeepAllPlan(problem), 2);
  auto a = simulator.front(), b = simulator.next(a), c = simulator.next(b);
  EXPECT_EQ(simulator.insert(1, kNone), kNone) << "b may not run twice";
  EXPECT_FALSE(simulator.remove(a));
  EXPECT_FALSE(simulator.move(a, c));
  EXPECT_FALSE(simulator.move(b, a));
  auto again = simulator.insert(0, c);
  ASSERT_NE(again, kNone);
  EXPECT_TRUE(simulator.isUseless(again));
  EXPECT_FALSE(simulator.remove(a));
  EXPECT_TRUE(simulator.remove(again));
}

} // namespace
