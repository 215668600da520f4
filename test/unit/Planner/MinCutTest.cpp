//===- MinCutTest.cpp - Minimum cuts against enumeration ------------------===//
//
// Part of Ringi. Random small networks: the value equals that of the best of
// all cuts, the reported side is a minimum cut, and a raised capacity gives the
// same from a warm start as from nothing.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/MinCut.h"

#include <array>

#include <gtest/gtest.h>
#include <random>

using namespace ringi::planner;

namespace {

struct Network {
  int32_t nodes;
  std::vector<std::array<int64_t, 3>> arcs;

  int64_t cutOf(uint32_t side) const {
    int64_t sum = 0;
    for (auto [from, to, capacity] : arcs)
      if ((side >> from & 1) && !(side >> to & 1))
        sum += capacity;
    return sum;
  }
  int64_t best() const {
    int64_t least = INT64_MAX;
    for (uint32_t side = 1; side < (1u << nodes); side += 2)
      if (!(side >> (nodes - 1) & 1))
        least = std::min(least, cutOf(side));
    return least;
  }
};

Network randomNetwork(std::mt19937 &random) {
  Network network;
  network.nodes = 3 + int32_t(random() % 6);
  int arcs = 3 + int(random() % 20);
  for (int i = 0; i < arcs; ++i) {
    int64_t from = random() % network.nodes, to = random() % network.nodes;
    if (from != to)
      network.arcs.push_back({from, to, int64_t(random() % 10)});
  }
  return network;
}

TEST(MinCut, EqualsEnumeration) {
  std::mt19937 random(7);
  for (int round = 0; round < 2000; ++round) {
    Network network = randomNetwork(random);
    MinCut cut(network.nodes);
    for (auto [from, to, capacity] : network.arcs)
      cut.addArc(int32_t(from), int32_t(to), capacity);
    int32_t sink = network.nodes - 1;
    ASSERT_EQ(cut.solve(0, sink), network.best());
    uint32_t side = 0;
    for (int32_t node = 0; node < network.nodes; ++node)
      side |= uint32_t(cut.onSourceSide(node)) << node;
    EXPECT_EQ(network.cutOf(side), network.best());
    MinCut::Flow saved = cut.saveFlow();

    // Up: warm. Down below the flow: from nothing. Back: the saved flow.
    for (size_t i = 0; i < network.arcs.size(); ++i)
      cut.setCapacity(int32_t(i), network.arcs[i][2] += int64_t(random() % 5));
    ASSERT_EQ(cut.solve(0, sink), network.best());
    for (size_t i = 0; i < network.arcs.size(); ++i)
      cut.setCapacity(int32_t(i), network.arcs[i][2] /= 3);
    ASSERT_EQ(cut.solve(0, sink), network.best());
    cut.restoreFlow(saved);
    for (size_t i = 0; i < network.arcs.size(); ++i)
      cut.setCapacity(int32_t(i), network.arcs[i][2]);
    ASSERT_EQ(cut.solve(0, sink), network.best());
  }
}

TEST(MinCut, UnlimitedArcsAreNeverCut) {
  MinCut cut(4);
  cut.addArc(0, 1, MinCut::kUnlimited);
  cut.addArc(1, 2, 5);
  cut.addArc(2, 3, MinCut::kUnlimited);
  EXPECT_EQ(cut.solve(0, 3), 5);
  MinCut open(2);
  open.addArc(0, 1, MinCut::kUnlimited);
  EXPECT_GE(open.solve(0, 1), MinCut::kUnlimited);
}

TEST(MinCut, LongChainsDoNotRecurse) {
  constexpr int32_t kLength = 200'000;
  MinCut cut(kLength);
  for (int32_t i = 0; i + 1 < kLength; ++i)
    cut.addArc(i, i + 1, 3 + i % 7);
  EXPECT_EQ(cut.solve(0, kLength - 1), 3);
}

} // namespace
