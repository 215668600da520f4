//===- ResidualCut.cpp - What a loop stacks for its reversal --------------===//
//
// Part of Ringi. The network: a node per value, on the source's side when it is
// there in the backward loop, and a node per op, on the source's side when it
// is replayed. A value that is there without its op being replayed is stored.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/ResidualCut.h"

#include "ringi/Planner/MinCut.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

namespace ringi::planner {

namespace {

/// Units in which all bytes, or all FLOPs, are counted; weights stay below it.
constexpr int64_t kUnits = int64_t(1) << 28;

Status check(const ResidualProblem &problem) {
  auto isValue = [&](int32_t v) {
    return v >= 0 && v < int32_t(problem.values.size());
  };
  for (const ResidualProblem::Value &value : problem.values)
    if (value.bytes < 0 || value.op < -1 ||
        value.op >= int32_t(problem.ops.size()))
      return Error::badInput("a residual of " + std::to_string(value.bytes) +
                             " bytes by op " + std::to_string(value.op) +
                             " of " + std::to_string(problem.ops.size()));
  for (const ResidualProblem::Op &op : problem.ops)
    if (!(op.flops >= 0) || !std::isfinite(op.flops) ||
        !std::all_of(op.reads.begin(), op.reads.end(), isValue))
      return Error::badInput(
          "an op of a residual problem has negative FLOPs or reads a value "
          "that does not exist");
  if (!std::all_of(problem.needed.begin(), problem.needed.end(), isValue))
    return Error::badInput("a needed residual does not exist");
  return {};
}

class FrontFinder {
public:
  explicit FrontFinder(const ResidualProblem &problem) : problem(problem) {
    double bytes = 0, flops = 0;
    for (const ResidualProblem::Value &value : problem.values)
      bytes += double(value.bytes);
    for (const ResidualProblem::Op &op : problem.ops)
      flops += op.flops;
    byteUnit = std::max(1.0, bytes / double(kUnits));
    flopUnit = std::max(1.0, flops / double(kUnits));
  }

  Expected<std::vector<ResidualPoint>> run() {
    // Bytes decide between choices of equal FLOPs, and the other way round.
    std::optional<Corner> cheap = solve(1, 2 * kUnits);
    std::optional<Corner> small = solve(2 * kUnits, 1);
    if (!cheap || !small)
      return Error::badInput(
          "a needed residual can neither be stored nor computed again");
    std::vector<ResidualPoint> front = {cheap->point};
    refine(*cheap, *small, front);
    if (small->bytes < cheap->bytes)
      front.push_back(small->point);
    return front;
  }

private:
  struct Corner {
    ResidualPoint point;
    /// In units.
    int64_t bytes = 0, flops = 0;
  };

  static int64_t inUnits(double amount, double unit) {
    return int64_t(std::ceil(amount / unit));
  }

  /// The corners strictly between two, in order. Depth is the number of
  /// corners at worst, which the values bound; kept explicit for long bodies.
  void refine(const Corner &first, const Corner &last,
              std::vector<ResidualPoint> &front) {
    std::vector<std::pair<Corner, Corner>> stack = {{first, last}};
    while (!stack.empty()) {
      auto [cheap, small] = std::move(stack.back());
      stack.pop_back();
      if (front.back().bytes > cheap.point.bytes)
        front.push_back(cheap.point);
      int64_t byteWeight = small.flops - cheap.flops;
      int64_t flopWeight = cheap.bytes - small.bytes;
      if (byteWeight <= 0 || flopWeight <= 0)
        continue;
      std::optional<Corner> middle = solve(byteWeight, flopWeight);
      auto total = [&](const Corner &corner) {
        return byteWeight * corner.bytes + flopWeight * corner.flops;
      };
      if (!middle || total(*middle) >= total(cheap))
        continue;
      stack.push_back({*middle, small});
      stack.push_back({cheap, *middle});
    }
  }

  /// The least `byteWeight` x bytes + `flopWeight` x FLOPs.
  std::optional<Corner> solve(int64_t byteWeight, int64_t flopWeight) {
    const MinCut::Node source = 0, sink = 1;
    auto valueNode = [](int32_t v) { return MinCut::Node(2 + v); };
    auto opNode = [&](int32_t o) {
      return MinCut::Node(2 + problem.values.size() + o);
    };
    MinCut cut(int32_t(2 + problem.values.size() + problem.ops.size()));
    for (int32_t v : problem.needed)
      cut.addArc(source, valueNode(v), MinCut::kUnlimited);
    for (size_t v = 0; v < problem.values.size(); ++v) {
      const ResidualProblem::Value &value = problem.values[v];
      cut.addArc(valueNode(int32_t(v)), value.op < 0 ? sink : opNode(value.op),
                 value.storable
                     ? byteWeight * inUnits(double(value.bytes), byteUnit)
                     : MinCut::kUnlimited);
    }
    for (size_t o = 0; o < problem.ops.size(); ++o) {
      const ResidualProblem::Op &op = problem.ops[o];
      cut.addArc(opNode(int32_t(o)), sink,
                 op.repeatable ? flopWeight * inUnits(op.flops, flopUnit)
                               : MinCut::kUnlimited);
      for (int32_t v : op.reads)
        cut.addArc(opNode(int32_t(o)), valueNode(v), MinCut::kUnlimited);
    }
    if (cut.solve(source, sink) >= MinCut::kUnlimited)
      return std::nullopt;
    Corner corner;
    for (size_t v = 0; v < problem.values.size(); ++v) {
      const ResidualProblem::Value &value = problem.values[v];
      if (!cut.onSourceSide(valueNode(int32_t(v))) ||
          (value.op >= 0 && cut.onSourceSide(opNode(value.op))))
        continue;
      corner.point.stored.push_back(int32_t(v));
      corner.point.bytes += value.bytes;
      corner.bytes += inUnits(double(value.bytes), byteUnit);
    }
    for (size_t o = 0; o < problem.ops.size(); ++o)
      if (cut.onSourceSide(opNode(int32_t(o)))) {
        corner.point.replayed.push_back(int32_t(o));
        corner.point.flops += problem.ops[o].flops;
        corner.flops += inUnits(problem.ops[o].flops, flopUnit);
      }
    return corner;
  }

  const ResidualProblem &problem;
  double byteUnit = 1, flopUnit = 1;
};

} // namespace

Expected<std::vector<ResidualPoint>>
residualFront(const ResidualProblem &problem) {
  if (Status status = check(problem); !status)
    return status.error();
  return FrontFinder(problem).run();
}

} // namespace ringi::planner
