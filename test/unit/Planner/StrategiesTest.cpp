//===- StrategiesTest.cpp - Named strategies, marks and budgets -----------===//
//
// Part of Ringi. The cases of the field that concern named strategies, and the
// golden numbers of docs/memory-model.md.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Generators.h"
#include "ringi/Planner/KeepPolicy.h"
#include "ringi/Planner/KeepSet.h"
#include "ringi/Planner/ProblemBuilder.h"
#include "ringi/Planner/Verifier.h"

#include <gtest/gtest.h>
#include <map>

using namespace ringi;
using namespace ringi::planner;

namespace {

Expected<Plan> plan(const Problem &problem, Strategy strategy,
                    int64_t budget = 0, int32_t segments = 0) {
  StrategyOptions options;
  options.strategy = strategy;
  options.budget = budget;
  options.segments = segments;
  return planStrategy(problem, options);
}

std::vector<std::string> recomputedOps(const Problem &problem,
                                       const Plan &plan) {
  std::vector<bool> clone = findClones(problem, plan);
  std::vector<std::string> names;
  for (size_t e = 0; e < plan.schedule.size(); ++e)
    if (clone[e])
      names.push_back(problem.ops[plan.schedule[e].op].name);
  return names;
}

// Case 1 of the field, the ends of the sweep: 42 units keep all, 14 with every
// block, 42 again when everything is recomputed.
TEST(Strategies, EightBlocks) {
  Problem problem = makeBlocks(8, 4);
  EXPECT_EQ(plan(problem, Strategy::None)->claims.livePeak, 42);
  EXPECT_EQ(plan(problem, Strategy::EveryBlock)->claims.livePeak, 14);
  EXPECT_EQ(plan(problem, Strategy::EveryBlock)->claims.recomputes, 32);
  EXPECT_EQ(plan(problem, Strategy::RecomputeAll)->claims.livePeak, 42);
}

TEST(Strategies, SqrtCutsTheChainOfNine) {
  // Keeping the ends of [2,2,2,2,1] peaks at 7; of [1,1,1,1,5] at 11, for the
  // same four extra ops.
  Problem problem = makeChain(9);
  auto keepEnds = [&](std::vector<int> kept) {
    std::vector<bool> keep(problem.storages.size(), true);
    for (int k = 1; k <= 9; ++k)
      keep[k] = false;
    for (int k : kept)
      keep[k] = true;
    return expandKeepSet(problem, keep);
  };
  Plan good = keepEnds({2, 4, 6, 8, 9}), bad = keepEnds({1, 2, 3, 4, 9});
  EXPECT_EQ(good.claims.livePeak, 7);
  EXPECT_EQ(good.claims.recomputes, 4);
  EXPECT_EQ(bad.claims.livePeak, 11);
  EXPECT_EQ(bad.claims.recomputes, 4);
  EXPECT_LE(plan(problem, Strategy::Sqrt)->claims.livePeak, 7);
}

TEST(Strategies, SqrtCutsByBytesNotByCount) {
  // The value after f5 is one byte, all others are eight: with two segments the
  // cut belongs there, not in the middle.
  Problem problem = makeChain(8);
  for (int32_t k = 1; k <= 8; ++k)
    problem.storages[k].bytes = k == 5 ? 1 : 8;
  KeepPolicy policy = keepSegmentBoundaries(problem, 2);
  EXPECT_TRUE(policy.keep[5]);
  EXPECT_FALSE(policy.keep[4]);
}

TEST(Strategies, SqrtOfEqualLayersHasAboutSqrtSegments) {
  Problem problem = makeBlocks(100, 3);
  KeepPolicy policy = keepSegmentBoundaries(problem, 0);
  std::map<int32_t, int> segments;
  for (int32_t group : policy.group)
    ++segments[group];
  segments.erase(kNone);
  EXPECT_GE(segments.size(), 8u);
  EXPECT_LE(segments.size(), 10u);
}

// Case 8 of the field: mm -> add(residual); backward needs the sum only.
TEST(Strategies, SelectiveKeepsTheSumNotTheGemm) {
  ProblemBuilder builder("residual");
  StorageIndex x = builder.addInitial("x", 8);
  StorageIndex w = builder.addInitial("w", 8, Category::Parameter);
  StorageIndex mm = builder.addResult(
      builder.addOp("mm", {x, w}, 100, Phase::Forward, OpClass::Gemm), "mm", 8);
  StorageIndex sum = builder.addResult(
      builder.addOp("add", {x, mm}, 1, Phase::Forward, OpClass::Elementwise),
      "sum", 8);
  StorageIndex act = builder.addResult(
      builder.addOp("relu", {sum}, 1, Phase::Forward, OpClass::Elementwise),
      "act", 8);
  OpIndex back = builder.addOp("back", {sum, act}, 1, Phase::Backward);
  builder.storage(builder.addResult(back, "dx", 8)).output = true;
  Problem problem = builder.take();
  Expected<Plan> result = plan(problem, Strategy::Selective);
  ASSERT_TRUE(bool(result)) << result.error().message;
  EXPECT_EQ(recomputedOps(problem, *result),
            (std::vector<std::string>{"relu"}));
  EXPECT_EQ(savedActivationBytes(problem, *result), 8);
}

TEST(Strategies, SelectiveOnGptFollowsItsClasses) {
  GptOptions options;
  options.layers = 3;
  Problem problem = makeGptStep(options);
  int64_t all = savedActivationBytes(problem, *plan(problem, Strategy::None));
  StrategyOptions selective;
  selective.strategy = Strategy::Selective;
  Expected<Plan> gemm = planStrategy(problem, selective);
  selective.keep = SelectiveKeep::WeightGemm;
  Expected<Plan> weight = planStrategy(problem, selective);
  ASSERT_TRUE(gemm && weight);
  for (const std::string &name : recomputedOps(problem, *gemm))
    for (const Op &op : problem.ops)
      EXPECT_TRUE(op.name != name || op.opClass != OpClass::Gemm) << name;
  int gemms = 0;
  for (const std::string &name : recomputedOps(problem, *weight)) {
    bool isScores = name.find(".scores") != std::string::npos;
    gemms += isScores;
    for (const Op &op : problem.ops)
      EXPECT_TRUE(op.name != name || op.opClass != OpClass::Gemm || isScores)
          << name;
  }
  EXPECT_EQ(gemms, 3);
  EXPECT_LT(savedActivationBytes(problem, *gemm), all * 65 / 100);
  EXPECT_LT(savedActivationBytes(problem, *weight), all * 42 / 100);
}

// Case 14 of the field: blocks of one op have nothing inside to drop.
TEST(Strategies, NothingToDropInsertsNothingAndWarns) {
  Problem problem = makeBlocks(6, 0);
  Expected<Plan> result = plan(problem, Strategy::EveryBlock);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->claims.recomputes, 0);
  ASSERT_EQ(result->warnings.size(), 1u);
  EXPECT_EQ(result->warnings[0], "strategy 'every-block' frees 0 bytes here; "
                                 "no recompute is inserted");
}

TEST(Strategies, ZeroByteInternalsAreNotReplayed) {
  Problem problem = makeBlocks(2, 2);
  for (int32_t k : {1, 2})
    problem.storages[k].bytes = 0;
  Expected<Plan> result = plan(problem, Strategy::EveryBlock);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(recomputedOps(problem, *result),
            (std::vector<std::string>{"f4", "f5"}));
  bool said = false;
  for (const Decision &decision : result->decisions)
    said |= decision.storage == 1 &&
            decision.reason == "recomputing it would free 0 bytes";
  EXPECT_TRUE(said);
}

// Case 15 of the field.
TEST(Strategies, ClonesGoRightBeforeTheirFirstConsumer) {
  Problem problem = makeBlocks(3, 2);
  Expected<Plan> result = plan(problem, Strategy::EveryBlock);
  ASSERT_TRUE(bool(result));
  // Replay of each block directly before its first backward op; f3, f6 and f9
  // make boundaries that nobody asks for again.
  std::string order;
  for (const Execution &execution : result->schedule)
    order += problem.ops[execution.op].name + " ";
  EXPECT_EQ(order, "f1 f2 f3 f4 f5 f6 f7 f8 f9 loss dloss f7 f8 b9 b8 b7 f4 f5 "
                   "b6 b5 b4 f1 f2 b3 b2 b1 ");
}

// Case 16 of the field: both results of attention come from one replay.
TEST(Strategies, TwoResultsAreReplayedOnce) {
  ProblemBuilder builder("attention");
  builder.addBlock("a");
  StorageIndex q = builder.addInitial("q", 4);
  OpIndex attention =
      builder.addOp("attention", {q}, 1, Phase::Forward, OpClass::Attention, 0);
  StorageIndex o = builder.addResult(attention, "o", 4);
  StorageIndex lse = builder.addResult(attention, "lse", 4);
  OpIndex proj =
      builder.addOp("proj", {o}, 1, Phase::Forward, OpClass::Gemm, 0);
  StorageIndex y = builder.addResult(proj, "y", 4);
  OpIndex loss = builder.addOp("loss", {y});
  builder.storage(builder.addResult(loss, "l", 0)).output = true;
  OpIndex b1 = builder.addOp("b1", {o}, 1, Phase::Backward);
  StorageIndex g = builder.addResult(b1, "g", 4);
  OpIndex b2 = builder.addOp("b2", {o, lse, g}, 1, Phase::Backward);
  builder.storage(builder.addResult(b2, "dq", 4)).output = true;
  Problem problem = builder.take();
  EXPECT_EQ(plan(problem, Strategy::None)->claims.recomputes, 0);
  Expected<Plan> result = plan(problem, Strategy::EveryBlock);
  ASSERT_TRUE(bool(result)) << result.error().message;
  EXPECT_EQ(recomputedOps(problem, *result),
            (std::vector<std::string>{"attention"}));
}

// Case 10 of the field: no recursion, near-linear.
TEST(Strategies, FiveThousandBlocksAndFourThousandUpdates) {
  Problem chain = makeBlocks(5000, 1);
  for (Strategy strategy :
       {Strategy::EveryBlock, Strategy::Sqrt, Strategy::RecomputeAll})
    EXPECT_TRUE(bool(plan(chain, strategy))) << toString(strategy);
  ProblemBuilder builder("updates");
  for (int i = 0; i < 4000; ++i) {
    std::string name = std::to_string(i);
    StorageIndex w = builder.addInitial("w" + name, 4, Category::Parameter);
    StorageIndex g = builder.addInitial("g" + name, 4, Category::Gradient);
    OpIndex update =
        builder.addOp("update" + name, {w, g}, 1, Phase::Optimizer);
    builder.addInPlace(update, w, builder.addResult(update, "n" + name, 4),
                       true);
  }
  Problem updates = builder.take();
  Expected<Plan> result = plan(updates, Strategy::Selective);
  ASSERT_TRUE(bool(result));
  EXPECT_EQ(result->claims.livePeak, 4000 * 8);
}

// Case 18 of the field: the order in which outputs are listed does not matter.
TEST(Strategies, OutputOrderDoesNotChangeThePeak) {
  Problem problem = makeBlocks(4, 2);
  Problem reordered = problem;
  // Exchange the storage numbers of the two outputs.
  StorageIndex a = outputStorages(problem)[0], b = outputStorages(problem)[1];
  std::swap(reordered.storages[a], reordered.storages[b]);
  auto exchange = [&](std::vector<StorageIndex> &list) {
    for (StorageIndex &s : list)
      s = s == a ? b : s == b ? a : s;
  };
  for (Op &op : reordered.ops) {
    exchange(op.inputs);
    exchange(op.outputs);
  }
  ASSERT_TRUE(bool(reordered.check()));
  for (Strategy strategy :
       {Strategy::None, Strategy::EveryBlock, Strategy::Sqrt})
    EXPECT_EQ(plan(problem, strategy)->claims.livePeak,
              plan(reordered, strategy)->claims.livePeak);
}

// Case 44 of the field.
TEST(Strategies, MarksBindEveryStrategy) {
  for (Strategy strategy :
       {Strategy::None, Strategy::EveryBlock, Strategy::Sqrt,
        Strategy::Selective, Strategy::RecomputeAll, Strategy::Manual}) {
    Problem problem = makeBlocks(4, 3);
    problem.storages[2].mark = Mark::MustKeep;      // inside block 0
    problem.storages[4].mark = Mark::MustRecompute; // the boundary of block 0
    Expected<Plan> result = plan(problem, strategy);
    ASSERT_TRUE(bool(result)) << toString(strategy) << result.error().message;
    std::vector<std::string> names = recomputedOps(problem, *result);
    EXPECT_EQ(std::count(names.begin(), names.end(), "f2"), 0);
    EXPECT_EQ(std::count(names.begin(), names.end(), "f4"), 1);
    for (const Decision &decision : result->decisions) {
      if (decision.storage == 2) {
        EXPECT_FALSE(decision.recomputed);
        EXPECT_EQ(decision.reason, "marked must-keep");
      }
      if (decision.storage == 4) {
        EXPECT_TRUE(decision.recomputed);
        EXPECT_EQ(decision.reason, "marked must-recompute");
      }
    }
  }
}

TEST(Strategies, MarksThatDoNotFitSayHowManyBytesAreMissing) {
  Problem problem = makeChain(6);
  problem.storages[3].mark = Mark::MustKeep;
  Expected<Plan> result = plan(problem, Strategy::Manual, 5);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(result.error().message,
            "conflict: strategy 'manual' with its marks has a live peak of 8 "
            "bytes but the budget is 5, 3 bytes are missing; raise the budget "
            "or use memory-budget");
  EXPECT_EQ(result.error().exitCode(), 1);
}

TEST(Strategies, MarksThatCannotBeHonoured) {
  // x1 can only be made from x0, which f2 overwrites before backward reads x1.
  ProblemBuilder builder("conflict");
  StorageIndex x0 = builder.addInitial("x0", 4);
  StorageIndex x1 = builder.addResult(builder.addOp("f1", {x0}), "x1", 4);
  builder.storage(x1).mark = Mark::MustRecompute;
  OpIndex f2 = builder.addOp("f2", {x0});
  builder.addInPlace(f2, x0, builder.addResult(f2, "x0.new", 4), true);
  OpIndex back = builder.addOp("back", {x1}, 1, Phase::Backward);
  builder.storage(builder.addResult(back, "g", 4)).output = true;
  Expected<Plan> result = plan(builder.take(), Strategy::Manual);
  ASSERT_FALSE(bool(result));
  EXPECT_EQ(
      result.error().message,
      "conflict: execution #2 (op 'back') reads the forward copy of 'x1', "
      "which is marked must-recompute; change the marks");
}

TEST(Strategies, ManualWithoutMarksWarns) {
  EXPECT_EQ(plan(makeChain(3), Strategy::Manual)->warnings,
            (std::vector<std::string>{
                "strategy 'manual' finds no marks; everything is kept"}));
}

TEST(Strategies, BudgetsOfNamedStrategies) {
  EXPECT_EQ(plan(makeBlocks(8, 4), Strategy::EveryBlock, 13).error().message,
            "strategy 'every-block' has a live peak of 14 bytes but the budget "
            "is 13, 1 bytes are missing; raise the budget or use "
            "memory-budget");
  EXPECT_TRUE(bool(plan(makeBlocks(8, 4), Strategy::EveryBlock, 14)));
  EXPECT_EQ(plan(makeChain(3), Strategy::MemoryBudget).error().message,
            "strategy 'memory-budget' needs a budget in bytes");
}

TEST(Strategies, ReplayNeverReadsOverwrittenParameters) {
  // Each layer's weight is updated inside the backward phase.
  ProblemBuilder builder("update-early");
  builder.addBlock("b");
  StorageIndex x = builder.addInitial("x", 4);
  StorageIndex w = builder.addInitial("w", 4, Category::Parameter);
  StorageIndex h = builder.addResult(
      builder.addOp("f1", {x, w}, 1, Phase::Forward, OpClass::Other, 0), "h",
      4);
  StorageIndex y = builder.addResult(
      builder.addOp("f2", {h}, 1, Phase::Forward, OpClass::Other, 0), "y", 4);
  builder.storage(builder.addResult(builder.addOp("loss", {y}), "l", 0))
      .output = true;
  StorageIndex g =
      builder.addResult(builder.addOp("b2", {y}, 1, Phase::Backward), "g", 4);
  OpIndex update = builder.addOp("update", {w, g}, 1, Phase::Optimizer);
  builder.addInPlace(update, w, builder.addResult(update, "w.new", 4), true);
  OpIndex last = builder.addOp("b1", {h, g}, 1, Phase::Backward);
  builder.storage(builder.addResult(last, "dx", 4)).output = true;
  Problem problem = builder.take();
  Expected<Plan> result = plan(problem, Strategy::RecomputeAll);
  ASSERT_TRUE(bool(result)) << result.error().message;
  // h must come back before the update or stay; y is recomputed before it.
  EXPECT_TRUE(bool(verifyPlan(problem, *result)));
}

TEST(Strategies, RandomGraphsVerifyUnderEveryStrategy) {
  for (uint64_t seed = 0; seed < 150; ++seed) {
    RandomOptions options;
    options.ops = 30;
    options.inPlace = seed % 2 ? 0.3 : 0;
    options.notRecomputable = 0.1;
    Problem problem = makeRandomTraining(seed, options);
    problem.blocks = {"a", "b", "c"};
    for (size_t v = 0; v < problem.ops.size(); ++v) {
      problem.ops[v].block =
          problem.ops[v].phase == Phase::Forward ? int32_t(v / 5) : kNone;
      problem.ops[v].opClass = OpClass((v * 7 + seed) % 9);
    }
    for (Strategy strategy : {Strategy::EveryBlock, Strategy::Sqrt,
                              Strategy::Selective, Strategy::RecomputeAll}) {
      Expected<Plan> result = plan(problem, strategy);
      ASSERT_TRUE(bool(result)) << seed << result.error().message;
      EXPECT_TRUE(keepsGivenOrder(problem, *result));
    }
  }
}

/// Two micro-batches, a -> loss -> dloss -> da each; the second adds up the
/// losses.
Problem makeTwoMicroBatches() {
  ProblemBuilder builder("micro");
  StorageIndex total = kNone;
  for (int i = 0; i < 2; ++i) {
    StorageIndex a = builder.addResult(builder.addOp("a", {}), "a", 4);
    StorageIndex loss = builder.addResult(builder.addOp("loss", {a}), "l", 1);
    total = i == 0 ? loss
                   : builder.addResult(builder.addOp("sum", {total, loss}),
                                       "sum", 1);
    StorageIndex dloss = builder.addResult(
        builder.addOp("dloss", {a, loss}, 1, Phase::Backward), "dloss", 4);
    StorageIndex da = builder.addResult(
        builder.addOp("da", {a, dloss}, 1, Phase::Backward), "da", 4);
    builder.storage(da).output = true;
  }
  builder.storage(total).output = true;
  return builder.take();
}

// The first loss is read after its backward phase. Read from a clone, it would
// leave the first micro-batch's forward phase unread.
TEST(Strategies, EveryMicroBatchIsReplayed) {
  Problem problem = makeTwoMicroBatches();
  Expected<Plan> result = plan(problem, Strategy::RecomputeAll);
  ASSERT_TRUE(bool(result)) << result.error().message;
  // `a` of both and the second loss; the first one stays.
  EXPECT_EQ(result->claims.recomputes, 3);
}

TEST(Strategies, BudgetsAsUsersWriteThem) {
  EXPECT_EQ(*parseBudget("1234", 0, 0), 1234);
  EXPECT_EQ(*parseBudget("8GiB", 0, 0), int64_t(8) << 30);
  EXPECT_EQ(*parseBudget("500MB", 0, 0), 500'000'000);
  EXPECT_EQ(*parseBudget("1.5 KiB", 0, 0), 1536);
  EXPECT_EQ(*parseBudget("60%", 1000, 0), 600);
  EXPECT_EQ(*parseBudget("auto", 1000, 1000), 950);
  for (const char *text : {"", "x", "-5", "0", "12furlongs", "%", "nan", "inf"})
    EXPECT_EQ(
        parseBudget(text, 1000, 0).error().message,
        "budget '" + std::string(text) +
            "' is not a size; write bytes (1234), a size (8GiB, 500MB), a "
            "percentage of the keep-all peak (60%) or auto");
  EXPECT_EQ(parseBudget("auto", 1000, 0).error().message,
            "budget 'auto' needs the memory of a device; name a device or give "
            "the budget in bytes");
  EXPECT_EQ(parseBudget("99999999TiB", 1, 0).error().message,
            "budget '99999999TiB' exceeds 2^62 bytes; give a smaller one");
  EXPECT_EQ(parseBudget("0.01%", 10, 0).error().message,
            "budget '0.01%' is less than 1 byte; give a larger one");
}

TEST(Strategies, NamesRoundTrip) {
  for (int i = 0; i <= int(Strategy::MemoryBudget); ++i)
    EXPECT_EQ(*parseStrategy(toString(Strategy(i))), Strategy(i));
  EXPECT_EQ(parseStrategy("greedy").error().message,
            "unknown strategy 'greedy'; expected one of none, every-block, "
            "sqrt, selective, recompute-all, manual, memory-budget");
}

} // namespace
