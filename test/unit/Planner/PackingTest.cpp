//===- PackingTest.cpp - Arena packing against an oracle --------*- C++ -*-===//
//
// Part of Ringi. The least height by trying every order in which buffers can be
// dropped, random cases with alignment and fixed slots, the golden small arena,
// whole training steps, bad input, and determinism.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Packing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

using namespace ringi;
using namespace ringi::planner;

namespace {

constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

int64_t roundUp(int64_t value, int64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

/// Least height over all orders, each buffer in the lowest place that is free
/// for it: some order gives an optimal packing.
int64_t leastHeight(const std::vector<PackItem> &items, int64_t alignment) {
  std::vector<size_t> order;
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].fixedOffset < 0)
      order.push_back(i);
  int64_t least = kMax;
  do {
    std::vector<std::pair<int64_t, size_t>> placed;
    int64_t height = 0;
    for (size_t i = 0; i < items.size(); ++i)
      if (items[i].fixedOffset >= 0) {
        placed.emplace_back(items[i].fixedOffset, i);
        height = std::max(height, items[i].fixedOffset + items[i].bytes);
      }
    for (size_t i : order) {
      std::sort(placed.begin(), placed.end());
      int64_t offset = 0;
      for (auto [other, j] : placed) {
        if (items[j].lower >= items[i].upper ||
            items[i].lower >= items[j].upper)
          continue;
        if (other >= offset + items[i].bytes)
          break;
        offset = std::max(offset, roundUp(other + items[j].bytes, alignment));
      }
      placed.emplace_back(offset, i);
      height = std::max(height, offset + items[i].bytes);
    }
    least = std::min(least, height);
  } while (std::next_permutation(order.begin(), order.end()));
  return least;
}

std::vector<PackItem> randomItems(std::mt19937 &random, int count, int times,
                                  int most) {
  std::vector<PackItem> items(count);
  for (PackItem &item : items) {
    item.lower = random() % times;
    item.upper = item.lower + 1 + random() % times;
    item.bytes = 1 + random() % most;
  }
  return items;
}

void expectError(std::vector<PackItem> items, PackOptions options,
                 const std::string &message) {
  Expected<PackResult> result = pack(items, options);
  ASSERT_FALSE(result) << message;
  EXPECT_EQ(result.error().message, message);
  EXPECT_EQ(result.error().exitCode(), 2);
}

/// A training step: forward activations live until their backward, newest freed
/// first, with short-lived temporaries and gradients on both sides and weights
/// throughout.
std::vector<PackItem> trainingStep(std::mt19937 &random, int layers,
                                   int perLayer) {
  std::vector<PackItem> items;
  int ops = layers * perLayer, end = 2 * ops;
  auto add = [&](int lower, int upper, int64_t bytes) {
    items.push_back({lower, std::min(upper, end), bytes, -1});
  };
  for (int op = 0; op < ops; ++op) {
    // Layers are alike.
    std::mt19937 shape(op % perLayer);
    int64_t bytes = 256 * (1 + shape() % 64);
    bool saved = shape() % 2;
    int backward = end - 1 - op;
    if (saved)
      add(op, backward + 1, bytes);
    else
      add(op, op + 2 + random() % 2, bytes);
    add(backward, backward + 2, bytes);
    add(backward, backward + 1, 256 * (1 + random() % 16));
    if (op % perLayer == 0) {
      add(0, end, 4096);
      add(backward, end, 4096);
    }
  }
  return items;
}

} // namespace

TEST(Packing, SmallArenaPutsTheMiddleBufferAtAnEnd) {
  // a(4), b(2), c(4); then a and c die and d(6) is needed.
  std::vector<PackItem> items = {
      {0, 2, 4, -1}, {0, 4, 2, -1}, {0, 2, 4, -1}, {2, 4, 6, -1}};
  Expected<PackResult> result = pack(items);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->height, 10);
  EXPECT_EQ(result->lowerBound, 10);
  EXPECT_TRUE(result->optimal);
  EXPECT_TRUE(verifyPacking(items, result->offsets, 10));
}

TEST(Packing, ProvesAHeightAboveTheLoad) {
  // Eight buffers are the fewest with which random search found such a case.
  std::vector<PackItem> items = {{0, 2, 5, -1}, {4, 7, 5, -1}, {0, 1, 4, -1},
                                 {2, 4, 4, -1}, {1, 4, 3, -1}, {2, 3, 1, -1},
                                 {3, 5, 3, -1}, {1, 3, 2, -1}};
  Expected<PackResult> result = pack(items);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->lowerBound, 10);
  EXPECT_EQ(result->height, 11);
  EXPECT_TRUE(result->optimal);
  EXPECT_EQ(leastHeight(items, 1), 11);
}

TEST(Packing, MatchesTheOracleWhereFixedSlotsForceWaste) {
  // Slots fixed at random heights cut the arena up, so that the least height is
  // often above the load and has to be proven.
  std::mt19937 random(8);
  int above = 0;
  for (int round = 0; round < 300; ++round) {
    std::vector<PackItem> items = randomItems(random, 8, 6, 9);
    items[0].fixedOffset = 3 + random() % 6;
    items[1].fixedOffset = 12 + random() % 6;
    Expected<PackResult> result = pack(items);
    if (!result)
      continue;
    EXPECT_TRUE(result->optimal);
    EXPECT_EQ(result->height, leastHeight(items, 1)) << "round " << round;
    above += result->height > result->lowerBound;
    if (above == 60)
      break;
  }
  EXPECT_EQ(above, 60);
}

TEST(Packing, MatchesTheOracleOnRandomInstances) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    int count = 1 + random() % (round % 10 == 0 ? 8 : 7);
    std::vector<PackItem> items =
        randomItems(random, count, 2 + random() % 6, round % 2 ? 5 : 100);
    Expected<PackResult> result = pack(items);
    ASSERT_TRUE(result);
    EXPECT_TRUE(result->optimal);
    EXPECT_EQ(result->height, leastHeight(items, 1)) << "round " << round;
    Status valid = verifyPacking(items, result->offsets, result->height);
    EXPECT_TRUE(valid) << valid.error().message;
  }
}

TEST(Packing, MatchesTheOracleWithAlignmentAndFixedSlots) {
  std::mt19937 random(2);
  for (int round = 0; round < 300; ++round) {
    std::vector<PackItem> items =
        randomItems(random, 1 + random() % 6, 2 + random() % 5, 20);
    PackOptions options;
    options.alignment = 1 + random() % 8;
    for (PackItem &item : items)
      if (random() % 4 == 0)
        item.fixedOffset = options.alignment * (random() % 6);
    Expected<PackResult> result = pack(items, options);
    if (!result) {
      EXPECT_NE(result.error().message.find("fixed offsets collide"),
                std::string::npos)
          << result.error().message;
      continue;
    }
    EXPECT_TRUE(result->optimal);
    EXPECT_EQ(result->height, leastHeight(items, options.alignment))
        << "round " << round;
    Status valid = verifyPacking(items, result->offsets, result->height);
    EXPECT_TRUE(valid) << valid.error().message;
    for (int64_t offset : result->offsets)
      EXPECT_EQ(offset % options.alignment, 0);
  }
}

TEST(Packing, ReachesTheLoadOfTrainingSteps) {
  std::mt19937 random(3);
  int reached = 0;
  for (int round = 0; round < 20; ++round) {
    std::vector<PackItem> items = trainingStep(random, 4 + round, 6);
    PackOptions options;
    options.alignment = 256;
    Expected<PackResult> result = pack(items, options);
    ASSERT_TRUE(result);
    EXPECT_TRUE(verifyPacking(items, result->offsets, result->height));
    reached += result->height == result->lowerBound;
  }
  EXPECT_EQ(reached, 20);
}

TEST(Packing, StopsAtTheCapacityGiven) {
  std::mt19937 random(4);
  std::vector<PackItem> items = randomItems(random, 60, 30, 100);
  Expected<PackResult> least = pack(items);
  ASSERT_TRUE(least);
  PackOptions loose;
  loose.capacity = least->height * 2;
  Expected<PackResult> result = pack(items, loose);
  ASSERT_TRUE(result);
  EXPECT_LE(result->height, loose.capacity);
  EXPECT_GE(result->height, least->height);
  EXPECT_EQ(result->lowerBound, least->lowerBound);
}

TEST(Packing, IsTheSameEveryTimeAndNeverWorseWithMoreEffort) {
  std::mt19937 random(6);
  for (int round = 0; round < 5; ++round) {
    std::vector<PackItem> items = randomItems(random, 40, 20, 50);
    int64_t last = kMax;
    for (int64_t effort : {0, 100, 10000}) {
      PackOptions options;
      options.effort = effort;
      Expected<PackResult> one = pack(items, options);
      Expected<PackResult> two = pack(items, options);
      ASSERT_TRUE(one && two);
      EXPECT_EQ(one->offsets, two->offsets);
      EXPECT_LE(one->height, last);
      last = one->height;
    }
  }
}

TEST(Packing, EmptyItemsTakeNoSpace) {
  std::vector<PackItem> items = {{0, 5, 0, -1}, {3, 3, 7, -1}, {0, 1, 2, -1}};
  Expected<PackResult> result = pack(items);
  ASSERT_TRUE(result);
  EXPECT_EQ(result->offsets, (std::vector<int64_t>{0, 0, 0}));
  EXPECT_EQ(result->height, 2);
  Expected<PackResult> nothing = pack({});
  ASSERT_TRUE(nothing);
  EXPECT_EQ(nothing->height, 0);
  EXPECT_TRUE(nothing->optimal);
}

TEST(Packing, ThousandsOfBuffersInAChainNeedNoDeepSearch) {
  // Each overlaps the next, so the whole is one sub-problem.
  std::vector<PackItem> items;
  for (int i = 0; i < 5900; ++i)
    items.push_back({i, i + 2, 1 + i % 7, -1});
  Expected<PackResult> result = pack(items);
  ASSERT_TRUE(result);
  EXPECT_TRUE(verifyPacking(items, result->offsets, result->height));
  EXPECT_EQ(result->height, result->lowerBound);
}

TEST(Packing, RefusesWhatMakesNoSense) {
  PackOptions none;
  expectError({{0, 1, -4, -1}}, none, "item 0 has the negative size -4");
  expectError({{0, 1, 4, -1}, {7, 2, 4, -1}}, none,
              "item 1 is alive from 7 to 2; the end must not be before the "
              "start");
  expectError({{0, 1, 4, -3}}, none,
              "item 0 has the fixed offset -3; use -1 for none");
  expectError({{0, 1, kMax / 2, -1}, {0, 1, kMax / 2, -1}, {0, 1, 9, -1}}, none,
              "the sizes up to item 1 (4611686018427387903 bytes) add up to "
              "more than 64 bits hold");
  expectError({{0, 1, 8, kMax - 3}}, none,
              "item 0 at the fixed offset 9223372036854775804 with 8 bytes "
              "ends beyond what 64 bits hold");
  expectError({{0, 1, 8, kMax - 20}, {0, 1, 30, -1}}, none,
              "fixed offsets up to 9223372036854775796 and sizes of 40 bytes "
              "add up to more than 64 bits hold");
  expectError({{0, 4, 8, 0}, {9, 12, 1, -1}, {2, 6, 8, 4}}, none,
              "fixed offsets collide: item 0 (bytes 0 to 8, alive 0 to 4) "
              "overlaps item 2 (bytes 4 to 12, alive 2 to 6)");
  PackOptions options;
  options.alignment = 0;
  expectError({}, options, "alignment 0 is not positive; use 1 for none");
  options.alignment = 256;
  expectError({{0, 1, 8, 100}}, options,
              "item 0 has the fixed offset 100, not a multiple of the "
              "alignment 256");
  options.alignment = 1;
  options.effort = -1;
  expectError({}, options, "effort -1 is negative; use 0 for heuristics only");
  options.effort = 0;
  options.capacity = -5;
  expectError({}, options, "capacity -5 is negative; use 0 for no capacity");
}
