//===- NetworkSimplex.h - Minimum-cost flow on small networks ---*- C++ -*-===//
//
// Part of Ringi. The primal network simplex method with integral flows and real
// costs, for the linear program behind the gap bound. Strongly feasible bases
// keep it from cycling (Cunningham 1976). Its potentials need not be exact:
// the bound is computed anew from them.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_NETWORKSIMPLEX_H
#define RINGI_LIB_PLANNER_NETWORKSIMPLEX_H

#include <cstdint>
#include <vector>

namespace ringi::planner {

class NetworkSimplex {
public:
  static constexpr int64_t kUnlimited = int64_t(1) << 60;

  /// supply[v] > 0 flows out of v, < 0 into it; the sum is 0.
  explicit NetworkSimplex(std::vector<int64_t> supply);

  void addArc(int32_t from, int32_t to, int64_t capacity, double cost);

  /// \returns false when no flow meets the supplies. Runs at most `maxPivots`
  /// pivots; stopping early leaves valid, not optimal, potentials.
  bool solve(int64_t maxPivots);

  /// The dual price of node v; arcs from u to v with spare capacity have
  /// cost + potential(u) - potential(v) >= 0 at the optimum.
  double potential(int32_t node) const { return price[node]; }
  int64_t flow(int32_t arc) const { return flows[arc]; }

private:
  double reducedCost(int32_t arc) const {
    return cost[arc] + price[from[arc]] - price[to[arc]];
  }
  int32_t findEntering();
  void pivot(int32_t entering);
  void attach(int32_t child, int32_t newParent);
  void detach(int32_t child);

  int32_t numNodes;
  std::vector<int64_t> supply;
  std::vector<int32_t> from, to;
  std::vector<int64_t> capacity, flows;
  std::vector<double> cost;
  std::vector<uint8_t> inTree;
  std::vector<double> price;
  std::vector<int32_t> parent, parentArc, depth;
  std::vector<int32_t> firstChild, nextSibling, previousSibling;
  int32_t searchFrom = 0;
  double tolerance = 0;
  std::vector<int32_t> stack;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_NETWORKSIMPLEX_H
