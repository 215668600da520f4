//===- BlockDetectionTest.cpp - The forward phase as a chain --------------===//
//
// Part of Ringi. Where unit chains, transformer steps and graphs with skips are
// cut, and that every op lands in exactly one block.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/BlockDetection.h"
#include "ringi/Planner/Generators.h"
#include "ringi/Planner/ProblemBuilder.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace ringi;
using namespace ringi::planner;

namespace {

/// Forward lists in order, then sections from the last block, are the ops.
void expectComplete(const Problem &problem, const Chain &chain) {
  std::vector<OpIndex> ops;
  for (const ChainBlock &block : chain.blocks)
    ops.insert(ops.end(), block.forward.begin(), block.forward.end());
  for (auto block = chain.blocks.rbegin(); block != chain.blocks.rend();
       ++block)
    ops.insert(ops.end(), block->backward.begin(), block->backward.end());
  ASSERT_EQ(ops.size(), problem.ops.size());
  for (OpIndex op = 0; op < OpIndex(ops.size()); ++op)
    EXPECT_EQ(ops[op], op);
}

TEST(BlockDetection, CutsAUnitChainAtEveryValue) {
  Problem problem = makeChain(6);
  Chain chain = detectChain(problem);
  ASSERT_EQ(chain.blocks.size(), 7u) << "f1..f6 and the loss";
  EXPECT_TRUE(chain.singleValue);
  expectComplete(problem, chain);
  for (size_t k = 0; k < 6; ++k) {
    EXPECT_EQ(chain.blocks[k].forward.size(), 1u);
    EXPECT_EQ(chain.blocks[k].backward.size(), 1u) << "b_k reads x_{k-1}";
    EXPECT_EQ(chain.blocks[k].boundary.size(), k == 0 ? 0u : 1u);
  }
  // f2..f5 are alike; f1 reads the resident input, the loss weighs nothing.
  for (size_t k = 2; k < 5; ++k)
    EXPECT_EQ(chain.blocks[k].kind, chain.blocks[1].kind);
  EXPECT_NE(chain.blocks[6].kind, chain.blocks[1].kind);
}

TEST(BlockDetection, EqualLayersOfATransformerAreOfOneKind) {
  GptOptions options;
  options.layers = 6;
  options.optimizer = false;
  Problem problem = makeGptStep(options);
  Chain chain = detectChain(problem);
  expectComplete(problem, chain);
  EXPECT_TRUE(chain.singleValue);
  EXPECT_GE(chain.blocks.size(), 12u) << "two residual sums per layer";
  std::vector<int32_t> sizes;
  for (const ChainBlock &block : chain.blocks) {
    sizes.resize(std::max<size_t>(sizes.size(), size_t(block.kind) + 1));
    ++sizes[block.kind];
  }
  EXPECT_GE(*std::max_element(sizes.begin(), sizes.end()), 4);
}

TEST(BlockDetection, MergesToTheNumberAskedFor) {
  Problem problem = makeChain(500);
  for (int32_t most : {1, 2, 7, 64}) {
    Chain chain = detectChain(problem, most);
    EXPECT_LE(chain.blocks.size(), size_t(most));
    EXPECT_GE(chain.blocks.size(), size_t(most) / 2);
    expectComplete(problem, chain);
  }
}

TEST(BlockDetection, SkipsOverTheWholeNetStillGiveAChain) {
  // x0 feeds every op beside its predecessor, and is not resident.
  ProblemBuilder builder;
  StorageIndex input = builder.addInitial("in", 1);
  OpIndex stem = builder.addOp("stem", {input});
  StorageIndex skip = builder.addResult(stem, "skip", 1), value = skip;
  std::vector<StorageIndex> values;
  for (int i = 0; i < 6; ++i) {
    // A wide inner value, so that light places exist between the ops.
    OpIndex wide = builder.addOp("wide" + std::to_string(i), {value});
    StorageIndex inner = builder.addResult(wide, "w" + std::to_string(i), 9);
    OpIndex join = builder.addOp("join" + std::to_string(i), {inner, skip});
    value = builder.addResult(join, "x" + std::to_string(i), 1);
    values.push_back(inner);
  }
  StorageIndex gradient = value;
  for (size_t i = values.size(); i-- > 0;) {
    OpIndex back = builder.addOp("back" + std::to_string(i),
                                 {gradient, values[i]}, 1, Phase::Backward);
    gradient = builder.addResult(back, "g" + std::to_string(i), 1);
  }
  builder.storage(gradient).output = true;
  Problem problem = builder.take();
  ASSERT_TRUE(bool(problem.check())) << problem.check().error().message;
  Chain chain = detectChain(problem);
  EXPECT_FALSE(chain.singleValue);
  EXPECT_GE(chain.blocks.size(), 4u);
  expectComplete(problem, chain);
}

TEST(BlockDetection, NeverCutsThroughWhatMustBeRecomputed) {
  Problem problem = makeChain(6);
  for (Storage &storage : problem.storages)
    if (storage.name == "x3")
      storage.mark = Mark::MustRecompute;
  for (const ChainBlock &block : detectChain(problem).blocks)
    for (StorageIndex s : block.boundary)
      EXPECT_NE(problem.storages[s].name, "x3");
}

TEST(BlockDetection, EmptyAndForwardOnlyProblems) {
  EXPECT_TRUE(detectChain(Problem()).blocks.empty());
  RandomOptions options;
  for (uint64_t seed = 0; seed < 20; ++seed) {
    Problem problem = makeRandomDag(seed, options);
    expectComplete(problem, detectChain(problem));
    problem = makeRandomTraining(seed, options);
    expectComplete(problem, detectChain(problem));
    expectComplete(problem, detectChain(problem, 3));
  }
}

} // namespace
