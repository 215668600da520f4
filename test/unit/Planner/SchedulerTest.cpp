//===- SchedulerTest.cpp - Orders with a low peak -------------------------===//
//
// Part of Ringi. The order of least peak of small graphs, by trying all, and
// that effects and overwrites keep their places.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Scheduler.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/ProblemBuilder.h"
#include "ringi/Planner/Simulator.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>

#include <map>

using namespace ringi;
using namespace ringi::planner;

namespace {

/// Least peak over all orders, by dynamic programming over sets of done ops.
int64_t leastPeak(const Problem &problem) {
  const size_t n = problem.ops.size();
  std::map<uint32_t, int64_t> level = {{0, 0}};
  auto readers = computeReaders(problem);
  int64_t initial = problem.persistentBytes();
  for (size_t step = 0; step < n; ++step) {
    std::map<uint32_t, int64_t> next;
    for (auto [done, peak] : level)
      for (size_t v = 0; v < n; ++v) {
        if (done >> v & 1)
          continue;
        bool ready = true;
        for (StorageIndex s : problem.ops[v].inputs)
          ready &= problem.storages[s].producer == kNone ||
                   (done >> problem.storages[s].producer & 1);
        if (!ready)
          continue;
        int64_t bytes = initial + problem.ops[v].workspace;
        for (size_t s = 0; s < problem.storages.size(); ++s) {
          const Storage &storage = problem.storages[s];
          if (storage.persistent)
            continue;
          bool exists =
              storage.producer == kNone || (done >> storage.producer & 1);
          bool needed = storage.output;
          for (OpIndex reader : readers[s])
            needed |= !(done >> reader & 1);
          if ((exists && needed) || storage.producer == OpIndex(v))
            bytes += storage.bytes;
        }
        int64_t worst = std::max(peak, bytes);
        auto [it, fresh] = next.emplace(done | 1u << v, worst);
        if (!fresh)
          it->second = std::min(it->second, worst);
      }
    level = std::move(next);
  }
  return level.begin()->second;
}

TEST(Scheduler, FindsTheLeastPeakOfSmallGraphs) {
  RandomOptions random;
  SchedulerOptions options;
  options.moves = 20000;
  int64_t optimal = 0, improved = 0;
  const int64_t graphs = 60;
  for (int64_t seed = 0; seed < graphs; ++seed) {
    random.ops = 6 + int32_t(seed % 6);
    Problem problem = makeRandomDag(uint64_t(seed), random);
    Plan plan = scheduleForPeak(problem, options);
    ASSERT_TRUE(bool(verifyPlan(problem, plan)));
    EXPECT_EQ(plan.claims.recomputes, 0);
    int64_t given = makeKeepAllPlan(problem).claims.livePeak;
    EXPECT_LE(plan.claims.livePeak, given);
    EXPECT_GE(plan.claims.livePeak, leastPeak(problem));
    improved += plan.claims.livePeak < given;
    optimal += plan.claims.livePeak == leastPeak(problem);
  }
  EXPECT_GE(optimal, graphs - 1);
  EXPECT_GE(improved, 5);
}

TEST(Scheduler, WeightGradientsGoWhereTheyFreeAnActivation) {
  // Eight layers whose weight gradients stand at the end: each holds an
  // activation and an output gradient until then.
  ProblemBuilder builder;
  StorageIndex x = builder.addInitial("x", 0);
  std::vector<StorageIndex> activations, gradients;
  for (int i = 0; i < 8; ++i) {
    OpIndex f = builder.addOp("f" + std::to_string(i), {x});
    activations.push_back(x = builder.addResult(f, "x", 1));
  }
  StorageIndex g = x;
  for (int i = 7; i >= 0; --i) {
    OpIndex b = builder.addOp("b" + std::to_string(i), {g}, 1, Phase::Backward);
    gradients.push_back(g = builder.addResult(b, "g", 1));
  }
  for (int i = 7; i >= 0; --i) {
    OpIndex w = builder.addOp(
        "w" + std::to_string(i),
        {activations[size_t(i)], gradients[size_t(7 - i)]}, 1, Phase::Backward);
    builder.storage(builder.addResult(w, "dw", 0)).output = true;
  }
  Problem problem = builder.take();
  EXPECT_EQ(makeKeepAllPlan(problem).claims.livePeak, 16);
  EXPECT_LE(scheduleForPeak(problem).claims.livePeak, 10);
}

TEST(Scheduler, EffectsKeepTheirOrderAndOverwritesComeLast) {
  ProblemBuilder builder;
  StorageIndex parameter =
      builder.addInitial("w", 4, Category::Parameter, true);
  std::vector<StorageIndex> values;
  for (int i = 0; i < 6; ++i) {
    OpIndex op = builder.addOp("print" + std::to_string(i), {parameter});
    builder.op(op).ordered = true;
    builder.op(op).recomputable = false;
    values.push_back(builder.addResult(op, "v" + std::to_string(i), 6 - i));
  }
  OpIndex sum = builder.addOp("sum", values);
  StorageIndex total = builder.addResult(sum, "total", 1);
  OpIndex update = builder.addOp("update", {parameter, total});
  builder.op(update).recomputable = false;
  StorageIndex updated = builder.addResult(update, "w'", 4);
  builder.storage(updated).output = true;
  builder.addInPlace(update, parameter, updated, true);
  Problem problem = builder.take();
  ASSERT_TRUE(bool(problem.check())) << problem.check().error().message;
  Plan plan = scheduleForPeak(problem);
  Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
  EXPECT_TRUE(bool(verified)) << verified.error().message;
}

TEST(Scheduler, EmptyProblem) {
  EXPECT_TRUE(scheduleForPeak(Problem()).schedule.empty());
}

} // namespace
