//===- PackingVerifyTest.cpp - Planted faults in packings -------*- C++ -*-===//
//
// Part of Ringi. The verifier names the first thing wrong with a packing, and
// finds every planted overlap.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Packing.h"

#include <gtest/gtest.h>

#include <random>

using namespace ringi;
using namespace ringi::planner;

static std::string verdict(const std::vector<PackItem> &items,
                           const std::vector<int64_t> &offsets,
                           int64_t height) {
  Status status = verifyPacking(items, offsets, height);
  return status ? "valid" : status.error().message;
}

TEST(PackingVerify, NamesWhatIsWrong) {
  std::vector<PackItem> items = {{0, 4, 8, -1}, {2, 6, 4, -1}, {4, 9, 8, -1}};
  EXPECT_EQ(verdict(items, {0, 8, 0}, 12), "valid");
  EXPECT_EQ(verdict(items, {0, 7, 0}, 12),
            "item 0 (bytes 0 to 8, alive 0 to 4) overlaps item 1 (bytes 7 to "
            "11, alive 2 to 6)");
  EXPECT_EQ(verdict(items, {0, 8, 5}, 13),
            "item 1 (bytes 8 to 12, alive 2 to 6) overlaps item 2 (bytes 5 to "
            "13, alive 4 to 9)");
  EXPECT_EQ(verdict(items, {0, 8, -1}, 12),
            "item 2 has the negative offset -1");
  EXPECT_EQ(verdict(items, {0, 8, 0}, 11),
            "item 1 of 4 bytes at offset 8 ends above the height 11");
  EXPECT_EQ(verdict(items, {0, 8}, 12),
            "packing has 2 offsets for 3 items; give one offset per item");
  items[1].fixedOffset = 16;
  EXPECT_EQ(verdict(items, {0, 8, 0}, 12),
            "item 1 is at offset 8 but its slot is fixed at 16");
}

TEST(PackingVerify, LifetimesAreHalfOpenAndEmptyItemsIgnored) {
  std::vector<PackItem> items = {
      {0, 4, 8, -1}, {4, 6, 8, -1}, {3, 3, 8, -1}, {0, 9, 0, -1}};
  EXPECT_EQ(verdict(items, {0, 0, 0, 0}, 8), "valid");
}

TEST(PackingVerify, AgreesWithEveryPairOnRandomOffsets) {
  std::mt19937 random(7);
  int valid = 0;
  for (int round = 0; round < 2000; ++round) {
    std::vector<PackItem> items(2 + random() % 6);
    std::vector<int64_t> offsets;
    for (PackItem &item : items) {
      item.lower = random() % 6;
      item.upper = item.lower + random() % 4;
      item.bytes = random() % 5;
      offsets.push_back(random() % 20);
    }
    bool overlap = false;
    for (size_t i = 0; i < items.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        overlap |= std::max(items[i].lower, items[j].lower) <
                       std::min(items[i].upper, items[j].upper) &&
                   std::max(offsets[i], offsets[j]) <
                       std::min(offsets[i] + items[i].bytes,
                                offsets[j] + items[j].bytes);
    EXPECT_EQ(verdict(items, offsets, 100) != "valid", overlap);
    valid += !overlap;
  }
  // Both kinds must have occurred.
  EXPECT_GT(valid, 200);
  EXPECT_LT(valid, 1800);
}
