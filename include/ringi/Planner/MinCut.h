//===- MinCut.h - Minimum cut with capacities that grow ---------*- C++ -*-===//
//
// Part of Ringi. Maximum flow for the planner's cuts: integral capacities, so
// that the value is exact and a bound built on it is proven; the flow of one
// price is the start of the next, because a higher price only adds capacity.
//
// Dinic 1970, with levels counted from the sink and an explicit stack.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_MINCUT_H
#define RINGI_PLANNER_MINCUT_H

#include <cstdint>
#include <vector>

namespace ringi::planner {

class MinCut {
public:
  using Node = int32_t;
  using Arc = int32_t;
  /// The capacity of an arc that no finite cut contains. Sums of finite
  /// capacities must stay below it.
  static constexpr int64_t kUnlimited = int64_t(1) << 60;

  explicit MinCut(int32_t numNodes) : numNodes(numNodes) {}

  /// Adds an arc; only before the first solve(). \returns its handle.
  Arc addArc(Node from, Node to, int64_t capacity);

  int64_t capacity(Arc arc) const { return capacities[arc]; }
  /// Changes a capacity. The flow found so far is kept when no arc is set
  /// below its flow; otherwise the next solve() starts from nothing.
  void setCapacity(Arc arc, int64_t capacity);

  /// \returns the value of a minimum cut, kUnlimited or more when every cut
  /// contains an unlimited arc. O(n^2 m) in the worst case, a few sweeps over
  /// the graph on the networks of this library.
  int64_t solve(Node source, Node sink);

  /// After solve(): the node lies on the source's side of the minimum cut
  /// whose source side is least.
  bool onSourceSide(Node node) const { return reached[node] != 0; }

  /// The flow found so far with the capacities it obeys, to come back to.
  struct Flow {
    std::vector<int64_t> residual, capacities;
    int64_t value = 0;
  };
  Flow saveFlow() const { return {residual, capacities, value}; }
  /// Goes on from a saved flow. Capacities must be set again afterwards; those
  /// of the saved flow hold until then.
  void restoreFlow(const Flow &flow);

private:
  void build();
  bool computeLevels(Node source, Node sink);
  int64_t blockingFlow(Node source, Node sink);
  void markReached(Node source);

  int32_t numNodes;
  std::vector<Node> tails, heads;
  std::vector<int64_t> capacities;

  // Arcs and their reverses, grouped by the node they leave.
  bool built = false;
  std::vector<int32_t> begin, target, twin, position;
  std::vector<int64_t> residual;
  std::vector<int32_t> level, current, queue;
  std::vector<uint8_t> reached;
  int64_t value = 0;
};

} // namespace ringi::planner

#endif // RINGI_PLANNER_MINCUT_H
