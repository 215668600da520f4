//===- PackingExactTest.cpp - The parts of the packing search ---*- C++ -*-===//
//
// Part of Ringi. The model, the load bound and the branch and bound, each
// alone: the search finds what was cut from a full arena, and says no only
// where the oracle of PackingTest would.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/PackingModel.h"

#include <gtest/gtest.h>

#include <random>

using namespace ringi::planner;
using namespace ringi::planner::packing;

/// Cuts an arena of `height` over `times` moments into rectangles without
/// waste, so that the load equals the height everywhere and no gap may remain.
static void cutArena(std::mt19937 &random, PackItem whole,
                     std::vector<PackItem> &items, int depth) {
  int64_t length = whole.upper - whole.lower;
  bool canCutTime = length > 1, canCutSpace = whole.bytes > 1;
  if (depth == 0 || (!canCutTime && !canCutSpace)) {
    items.push_back(whole);
    return;
  }
  PackItem first = whole, second = whole;
  if (canCutTime && (!canCutSpace || random() % 2)) {
    first.upper = second.lower = whole.lower + 1 + random() % (length - 1);
  } else {
    first.bytes = 1 + random() % (whole.bytes - 1);
    second.bytes = whole.bytes - first.bytes;
  }
  cutArena(random, first, items, depth - 1);
  cutArena(random, second, items, depth - 1);
}

TEST(PackingModel, KeepsOnlyMomentsOfMaximalLife) {
  // Two that meet, one apart, one empty.
  std::vector<Model> models = buildModels(
      {{0, 4, 6, -1}, {2, 7, 9, -1}, {7, 9, 4, -1}, {1, 8, 0, -1}}, 1);
  ASSERT_EQ(models.size(), 2u);
  EXPECT_EQ(models[0].sections, 1);
  EXPECT_EQ(models[0].blocks.size(), 2u);
  EXPECT_EQ(models[0].alignment, 3);
  EXPECT_EQ(models[0].blocks[1].size, 3);
  EXPECT_EQ(models[1].blocks[0].item, 2);
  EXPECT_EQ(lowerBoundOf(models[0]), 15);
  EXPECT_EQ(lowerBoundOf(models[1]), 4);
}

TEST(PackingModel, OnlyTheTopmostBlockEndsUnaligned) {
  // 5 and 10 bytes in units of 8: 8 + 10 or 16 + 5.
  std::vector<Model> models = buildModels({{0, 1, 5, -1}, {0, 1, 10, -1}}, 8);
  ASSERT_EQ(models.size(), 1u);
  EXPECT_EQ(lowerBoundOf(models[0]), 18);
  EXPECT_EQ(heightOf(models[0], {0, 1}), 18);
  EXPECT_EQ(heightOf(models[0], {2, 0}), 21);
  EXPECT_EQ(searchSkyline(models[0], 18, 100).outcome, SearchOutcome::Found);
  EXPECT_EQ(searchSkyline(models[0], 17, 100).outcome,
            SearchOutcome::Infeasible);
}

TEST(PackingExact, ReassemblesArenasWithoutAByteToSpare) {
  std::mt19937 random(11);
  for (int round = 0; round < 30; ++round) {
    std::vector<PackItem> items;
    cutArena(random, {0, 40, 1000, -1}, items, 6);
    int64_t height = 0;
    for (const Model &model : buildModels(items, 1)) {
      SearchResult found = searchSkyline(model, 1000, 200000);
      ASSERT_EQ(found.outcome, SearchOutcome::Found) << "round " << round;
      height = std::max(height, heightOf(model, found.offsets));
    }
    EXPECT_EQ(height, 1000);
  }
}

TEST(PackingExact, StopsAtItsEffort) {
  std::mt19937 random(12);
  std::vector<PackItem> items;
  cutArena(random, {0, 1000, 100000, -1}, items, 10);
  for (const Model &model : buildModels(items, 1)) {
    SearchResult found = searchSkyline(model, 100000, 10);
    EXPECT_LE(found.effort, 10 + 1 + int64_t(items.size()) / 512);
    EXPECT_EQ(found.outcome, SearchOutcome::Exhausted);
  }
}

TEST(PackingHeuristics, FirstFitTakesTheLowestGapAndBestFitTheTightest) {
  // Fixed slots leave the gaps [0, 4), [6, 9); 3 bytes fit both.
  std::vector<Model> models =
      buildModels({{0, 1, 2, 4}, {0, 1, 5, 9}, {0, 1, 3, -1}}, 1);
  ASSERT_EQ(models.size(), 1u);
  const Model &model = models[0];
  int32_t block = -1;
  for (size_t i = 0; i < model.blocks.size(); ++i)
    if (model.blocks[i].item == 2)
      block = static_cast<int32_t>(i);
  std::vector<int32_t> order = greedyOrder(model, GreedyOrder::Size);
  EXPECT_EQ(placeInOrder(model, order, false).offsets[block], 0);
  EXPECT_EQ(placeInOrder(model, order, true).offsets[block], 6);
}
