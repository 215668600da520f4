//===- ExactSearchTest.cpp - The oracle against a second oracle -----------===//
//
// Part of Ringi. The golden tables of docs/memory-model.md, and a brute-force
// enumeration of schedules on tiny graphs that shares nothing with the search.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/ExactSearch.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/ProblemBuilder.h"
#include "ringi/Planner/Simulator.h"
#include "ringi/Planner/Verifier.h"

#include <cmath>
#include <gtest/gtest.h>
#include <map>

using namespace ringi;
using namespace ringi::planner;

namespace {

using Outcome = ExactResult::Outcome;

/// All schedules of one problem with at most `extra` clones, every read of
/// every earlier copy, judged by the verifier alone.
class BruteForce {
public:
  BruteForce(const Problem &problem, Order order, int extra)
      : problem(problem), order(order), extra(extra),
        copies(problem.ops.size()) {
    extend();
  }

  /// Least cost among schedules whose peak is at most `budget`; -1 for none.
  double cost(int64_t budget) const {
    double best = -1;
    for (auto [peak, value] : cheapest)
      if (peak <= budget && (best < 0 || value < best))
        best = value;
    return best;
  }

private:
  void extend() {
    bool complete = true;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
      bool isOrigin = copies[v].empty();
      bool allowed = isOrigin ? (order == Order::Free || complete)
                              : problem.ops[v].recomputable && extra > 0;
      complete &= !isOrigin;
      if (allowed)
        chooseReads(v, Execution{v, {}});
    }
    if (complete)
      chooseOutputs(0);
  }

  void chooseReads(OpIndex v, Execution execution) {
    const std::vector<StorageIndex> &inputs = problem.ops[v].inputs;
    if (execution.reads.size() < inputs.size()) {
      OpIndex producer =
          problem.storages[inputs[execution.reads.size()]].producer;
      std::vector<ExecutionIndex> sources = {kNone};
      if (producer != kNone)
        sources = copies[producer];
      for (ExecutionIndex source : sources) {
        execution.reads.push_back(source);
        chooseReads(v, execution);
        execution.reads.pop_back();
      }
      return;
    }
    bool isClone = !copies[v].empty();
    extra -= isClone;
    plan.claims.recomputes += isClone;
    plan.claims.recomputeCost += isClone ? problem.ops[v].cost : 0;
    copies[v].push_back(ExecutionIndex(plan.schedule.size()));
    plan.schedule.push_back(execution);
    extend();
    plan.schedule.pop_back();
    copies[v].pop_back();
    plan.claims.recomputeCost -= isClone ? problem.ops[v].cost : 0;
    plan.claims.recomputes -= isClone;
    extra += isClone;
  }

  void chooseOutputs(size_t i) {
    std::vector<StorageIndex> outputs = outputStorages(problem);
    if (i < outputs.size()) {
      for (ExecutionIndex e : copies[problem.storages[outputs[i]].producer]) {
        plan.outputs.push_back(e);
        chooseOutputs(i + 1);
        plan.outputs.pop_back();
      }
      return;
    }
    // Ask the verifier for the peak: claim nonsense first, then the truth.
    Expected<Timeline> timeline = simulate(problem, plan);
    if (!timeline)
      return;
    plan.claims.livePeak = timeline->livePeak;
    if (!verifyPlan(problem, plan))
      return;
    auto [entry, isNew] =
        cheapest.try_emplace(timeline->livePeak, plan.claims.recomputeCost);
    if (!isNew)
      entry->second = std::min(entry->second, plan.claims.recomputeCost);
  }

  const Problem &problem;
  const Order order;
  int extra;
  Plan plan;
  std::vector<std::vector<ExecutionIndex>> copies;
  /// Per peak the least cost.
  std::map<int64_t, double> cheapest;
};

TEST(ExactSearch, GoldenTableOfChains) {
  struct Row {
    int32_t n;
    int64_t budget;
    int32_t executions;
  };
  for (Row row : {Row{4, 4, 7}, Row{4, 5, 5}, Row{4, 6, 4}, Row{6, 4, 16},
                  Row{6, 5, 9}, Row{6, 6, 8}, Row{6, 7, 7}, Row{6, 8, 6}}) {
    Problem problem = makeChain(row.n);
    Expected<ExactResult> result = searchExact(problem, row.budget);
    ASSERT_TRUE(bool(result));
    ASSERT_EQ(result->outcome, Outcome::Optimal);
    EXPECT_EQ(row.n + result->cost, row.executions)
        << "chain(" << row.n << ") at " << row.budget;
    EXPECT_LE(result->plan.claims.livePeak, row.budget);
    EXPECT_TRUE(bool(verifyPlan(problem, result->plan)));
  }
  for (int32_t n : {4, 6})
    EXPECT_EQ(searchExact(makeChain(n), 3)->outcome, Outcome::Infeasible);
}

TEST(ExactSearch, LeastBudgetOfEveryChainIsFour) {
  for (int32_t n : {2, 3, 4, 6, 8})
    EXPECT_EQ(*findMinimumBudget(makeChain(n)), 4);
}

// Case 17 of the field: weight gradients run where they free an activation.
TEST(ExactSearch, WeightGradientsAreNotDeferred) {
  // Eight layers; w_k (a weight gradient of 0 units) reads x_{k-1} and g_k, and
  // all of them stand at the end of the given order.
  const int32_t n = 8;
  ProblemBuilder builder("deferred");
  std::vector<StorageIndex> x, g(n + 1);
  OpIndex load = builder.addOp("load", {});
  x.push_back(builder.addResult(load, "x0", 1));
  for (int32_t k = 1; k <= n; ++k)
    x.push_back(
        builder.addResult(builder.addOp("f" + std::to_string(k), {x.back()}),
                          "x" + std::to_string(k), 1));
  OpIndex dloss = builder.addOp("dloss", {x[n]}, 1, Phase::Backward);
  g[n] = builder.addResult(dloss, "g", 1);
  for (int32_t k = n; k >= 1; --k)
    g[k - 1] = builder.addResult(
        builder.addOp("b" + std::to_string(k), {g[k]}, 1, Phase::Backward),
        "g" + std::to_string(k - 1), 1);
  for (int32_t k = n; k >= 1; --k) {
    OpIndex w = builder.addOp("w" + std::to_string(k), {x[k - 1], g[k]}, 1,
                              Phase::Backward);
    builder.storage(builder.addResult(w, "dw" + std::to_string(k), 0)).output =
        true;
  }
  Problem problem = builder.take();
  for (Op &op : problem.ops)
    op.recomputable = false;
  EXPECT_EQ(*findMinimumBudget(problem), 17);
  ExactOptions free;
  free.order = Order::Free;
  EXPECT_EQ(*findMinimumBudget(problem, free), 10);
}

// Case 9 of the field: a value used twice, far apart.
TEST(ExactSearch, DistantUsesGetTwoClonesOnlyWhenThePeakLiesBetween) {
  ProblemBuilder builder("distant");
  StorageIndex p = builder.addInitial("p", 1);
  StorageIndex t = builder.addResult(builder.addOp("make", {p}), "t", 10);
  auto use = [&](const char *name, std::vector<StorageIndex> inputs,
                 int64_t bytes) {
    OpIndex v = builder.addOp(name, inputs, 1, Phase::Backward);
    builder.op(v).recomputable = false;
    return builder.addResult(v, name, bytes);
  };
  StorageIndex big = use("big1", {p}, 20);
  StorageIndex u = use("use1", {t}, 1);
  StorageIndex v = use("small", {big, u}, 1);
  StorageIndex big2 = use("big2", {v}, 20);
  StorageIndex w = use("use2", {big2, v}, 1);
  StorageIndex last = use("use3", {t, w}, 1);
  builder.storage(last).output = true;
  Problem problem = builder.take();
  // Keeping t costs 10 beside big2; 33 holds everything.
  EXPECT_EQ(makeKeepAllPlan(problem).claims.livePeak, 33);
  EXPECT_EQ(searchExact(problem, 33)->plan.claims.recomputes, 0);
  EXPECT_EQ(searchExact(problem, 32)->plan.claims.recomputes, 1);
  EXPECT_EQ(*findMinimumBudget(problem), 32);
}

TEST(ExactSearch, AgreesWithBruteForceOnTinyGraphs) {
  int compared = 0, infeasible = 0, recomputing = 0;
  for (uint64_t seed = 0; seed < 90; ++seed) {
    RandomOptions options;
    options.ops = 3 + int32_t(seed % 3);
    options.maxInputs = 2;
    options.inPlace = seed % 2 ? 0.4 : 0;
    options.notRecomputable = seed % 5 == 0 ? 0.2 : 0;
    options.marks = seed % 3 == 0 ? 0.2 : 0;
    Problem problem = seed % 4 == 0 ? makeRandomDag(seed, options)
                                    : makeRandomTraining(seed, options);
    int extra = problem.ops.size() <= 4 ? 3 : 2;
    for (Order order : {Order::Fixed, Order::Free}) {
      BruteForce brute(problem, order, extra);
      ExactOptions exact;
      exact.order = order;
      int64_t top = makeKeepAllPlan(problem).claims.livePeak;
      for (int64_t budget = top / 3; budget <= top; ++budget) {
        Expected<ExactResult> result = searchExact(problem, budget, exact);
        ASSERT_TRUE(bool(result)) << result.error().message;
        ASSERT_NE(result->outcome, Outcome::LimitReached);
        double expected = brute.cost(budget);
        if (result->outcome == Outcome::Infeasible) {
          EXPECT_EQ(expected, -1) << seed << " at " << budget;
          ++infeasible;
          continue;
        }
        Expected<VerifiedPlan> verified = verifyPlan(problem, result->plan);
        ASSERT_TRUE(bool(verified)) << seed << verified.error().message;
        EXPECT_LE(verified->livePeak, budget);
        EXPECT_TRUE(order == Order::Free ||
                    keepsGivenOrder(problem, result->plan));
        if (expected >= 0) {
          EXPECT_LE(result->cost, expected) << seed << " at " << budget;
        }
        // Brute force sees every plan with that few clones.
        if (result->plan.claims.recomputes <= extra) {
          EXPECT_EQ(result->cost, expected) << seed << " at " << budget;
          recomputing += result->plan.claims.recomputes > 0;
        }
        ++compared;
      }
    }
  }
  // The sample is worth something only if all three kinds occur often.
  EXPECT_GT(compared, 400);
  EXPECT_GT(infeasible, 100);
  EXPECT_GT(recomputing, 30);
}

TEST(ExactSearch, CostNeverRisesWithTheBudget) {
  for (uint64_t seed = 0; seed < 24; ++seed) {
    RandomOptions options;
    options.ops = 9;
    options.inPlace = seed % 3 ? 0.3 : 0;
    options.marks = seed % 4 ? 0 : 0.15;
    Problem problem = makeRandomTraining(seed, options);
    for (Order order : {Order::Fixed, Order::Free}) {
      ExactOptions exact;
      exact.order = order;
      Expected<int64_t> least = findMinimumBudget(problem, exact);
      ASSERT_TRUE(bool(least)) << seed << least.error().message;
      EXPECT_EQ(searchExact(problem, *least - 1, exact)->outcome,
                Outcome::Infeasible);
      double last = INFINITY;
      for (int64_t budget = *least; budget < *least + 12; budget += 2) {
        Expected<ExactResult> result = searchExact(problem, budget, exact);
        ASSERT_EQ(result->outcome, Outcome::Optimal) << seed;
        EXPECT_LE(result->cost, last) << seed;
        last = result->cost;
      }
    }
  }
}

TEST(ExactSearch, SaysWhenItGivesUp) {
  ExactOptions options;
  options.stateLimit = 5;
  EXPECT_EQ(searchExact(makeChain(6), 5, options)->outcome,
            Outcome::LimitReached);
  EXPECT_EQ(findMinimumBudget(makeChain(6), options).error().message,
            "exact search gave up after 5 states; the graph is too large for "
            "it");
  EXPECT_EQ(searchExact(makeChain(40), 50).error().message,
            "exact search handles 64 ops and 64 storages; the graph has 82 and "
            "83");
}

TEST(ExactSearch, NamesTheInPlacePairsItDoesNotHandle) {
  Problem problem = makeChain(2);
  problem.ops[5].inPlace = {{5, 6, true}};
  EXPECT_EQ(searchExact(problem, 9).error().message,
            "exact search does not handle op 'b1', which always overwrites the "
            "recomputable 'g1'");
  ProblemBuilder builder("slots");
  StorageIndex a = builder.addInitial("a", 4), b = builder.addInitial("b", 4);
  OpIndex first = builder.addOp("update", {a});
  StorageIndex c = builder.addResult(first, "a.new", 4);
  builder.addInPlace(first, a, c, true);
  OpIndex second = builder.addOp("merge", {b, c});
  StorageIndex d = builder.addResult(second, "d", 4);
  builder.storage(d).output = true;
  builder.addInPlace(second, b, d);
  builder.addInPlace(second, c, d);
  EXPECT_EQ(searchExact(builder.take(), 99).error().message,
            "exact search does not handle op 'merge', which may write 'd' over "
            "several operands");
}

} // namespace
