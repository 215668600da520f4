//===- ResidualCutTest.cpp - The front against enumeration ----------------===//
//
// Part of Ringi. Every set of stored values is tried on small bodies; the front
// must be the lower convex hull of what is possible.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/ResidualCut.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

using namespace ringi;
using namespace ringi::planner;

namespace {

/// FLOPs of having all that is needed when exactly `stored` is stored; negative
/// when that is not possible.
double flopsWith(const ResidualProblem &problem, uint32_t stored,
                 std::set<int32_t> *replayed = nullptr) {
  std::vector<int32_t> stack = problem.needed;
  std::set<int32_t> seen, ops;
  double flops = 0;
  while (!stack.empty()) {
    int32_t v = stack.back();
    stack.pop_back();
    if (!seen.insert(v).second || (stored >> v & 1))
      continue;
    int32_t o = problem.values[v].op;
    if (o < 0 || !problem.ops[o].repeatable)
      return -1;
    if (!ops.insert(o).second)
      continue;
    flops += problem.ops[o].flops;
    for (int32_t read : problem.ops[o].reads)
      stack.push_back(read);
  }
  if (replayed)
    *replayed = ops;
  return flops;
}

/// Fewest FLOPs for each sum of bytes.
std::map<int64_t, double> enumerate(const ResidualProblem &problem) {
  std::map<int64_t, double> best;
  for (uint32_t stored = 0; stored < 1u << problem.values.size(); ++stored) {
    int64_t bytes = 0;
    bool allowed = true;
    for (size_t v = 0; v < problem.values.size(); ++v)
      if (stored >> v & 1) {
        bytes += problem.values[v].bytes;
        allowed &= problem.values[v].storable;
      }
    double flops = allowed ? flopsWith(problem, stored) : -1;
    if (flops < 0)
      continue;
    auto [it, isNew] = best.try_emplace(bytes, flops);
    it->second = std::min(it->second, flops);
  }
  return best;
}

/// Corners of the lower convex hull, fewest bytes last.
std::vector<std::pair<int64_t, double>>
hullOf(const std::map<int64_t, double> &points) {
  std::vector<std::pair<int64_t, double>> pareto, hull;
  for (auto point : points)
    if (pareto.empty() || point.second < pareto.back().second)
      pareto.push_back(point);
  for (auto c : pareto) {
    while (hull.size() >= 2) {
      auto a = hull[hull.size() - 2], b = hull.back();
      double left = (b.second - a.second) * double(c.first - a.first);
      double right = (c.second - a.second) * double(b.first - a.first);
      if (left < right)
        break;
      hull.pop_back();
    }
    hull.push_back(c);
  }
  std::reverse(hull.begin(), hull.end());
  return hull;
}

ResidualProblem randomBody(std::mt19937 &random) {
  ResidualProblem problem;
  int32_t values = 2 + int32_t(random() % 8);
  for (int32_t v = 0; v < values; ++v) {
    ResidualProblem::Value value;
    value.bytes = int64_t(random() % 12);
    value.storable = random() % 4 != 0;
    // Some ops have two results, some values come in from outside.
    if (v > 0 && random() % 5 == 0) {
      value.op = problem.values.back().op;
    } else if (random() % 4 != 0) {
      ResidualProblem::Op op;
      op.flops = double(random() % 9);
      op.repeatable = random() % 6 != 0;
      for (int32_t read = 0; read < v; ++read)
        if (random() % 3 == 0 && problem.values[read].op != value.op)
          op.reads.push_back(read);
      value.op = int32_t(problem.ops.size());
      problem.ops.push_back(op);
    }
    problem.values.push_back(value);
    if (random() % 2)
      problem.needed.push_back(v);
  }
  return problem;
}

TEST(ResidualCut, FrontIsTheHullOfEnumeration) {
  std::mt19937 random(3);
  int possible = 0, withCorners = 0;
  for (int round = 0; round < 1500; ++round) {
    ResidualProblem problem = randomBody(random);
    auto points = enumerate(problem);
    auto front = residualFront(problem);
    ASSERT_EQ(bool(front), !points.empty());
    if (!front)
      continue;
    ++possible;
    auto hull = hullOf(points);
    withCorners += hull.size() > 2;
    ASSERT_EQ(front->size(), hull.size()) << "round " << round;
    for (size_t i = 0; i < hull.size(); ++i) {
      const ResidualPoint &point = (*front)[i];
      EXPECT_EQ(point.bytes, hull[i].first);
      EXPECT_DOUBLE_EQ(point.flops, hull[i].second);
      // What is claimed is what was chosen.
      uint32_t stored = 0;
      for (int32_t v : point.stored)
        stored |= 1u << v;
      std::set<int32_t> replayed;
      EXPECT_DOUBLE_EQ(flopsWith(problem, stored, &replayed), point.flops);
      EXPECT_EQ(std::vector<int32_t>(replayed.begin(), replayed.end()),
                point.replayed);
    }
  }
  EXPECT_GT(possible, 500);
  EXPECT_GT(withCorners, 100);
}

TEST(ResidualCut, LargeSumsDoNotOverflow) {
  ResidualProblem problem;
  problem.values = {{int64_t(1) << 50, true, -1}, {int64_t(1) << 52, true, 0}};
  problem.ops = {{1e18, true, {0}}};
  problem.needed = {1};
  auto front = residualFront(problem);
  ASSERT_TRUE(front);
  ASSERT_EQ(front->size(), 2u);
  EXPECT_EQ((*front)[0].stored, std::vector<int32_t>{1});
  EXPECT_EQ((*front)[1].stored, std::vector<int32_t>{0});
}

TEST(ResidualCut, RefusesWhatIsNoProblem) {
  ResidualProblem problem;
  problem.values = {{8, false, -1}};
  problem.needed = {0};
  auto front = residualFront(problem);
  ASSERT_FALSE(front);
  EXPECT_EQ(front.error().message,
            "a needed residual can neither be stored nor computed again");
  problem.needed = {1};
  EXPECT_EQ(residualFront(problem).error().message,
            "a needed residual does not exist");
  problem.needed = {0};
  problem.values = {{-1, true, -1}};
  EXPECT_EQ(residualFront(problem).error().message,
            "a residual of -1 bytes by op -1 of 0");
  problem.values = {{8, true, 0}};
  problem.ops = {{-2.0, true, {}}};
  EXPECT_EQ(residualFront(problem).error().message,
            "an op of a residual problem has negative FLOPs or reads a value "
            "that does not exist");
}

} // namespace
