//===- ExactSearch.cpp - The optimum of small graphs ----------------------===//
//
// Part of Ringi. Dijkstra's algorithm over memory states. Exponential in the
// width of the graph; meant for tens of ops.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/ExactSearch.h"

#include "ringi/Planner/SequencePlan.h"

#include "ExactSteps.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>

namespace ringi::planner {

using namespace exact;

namespace {

class ExactSearch {
public:
  ExactSearch(const Problem &problem, int64_t budget,
              const ExactOptions &options, bool feasibilityOnly = false)
      : problem(problem), budget(budget), stateLimit(options.stateLimit),
        steps(problem, budget, options.order, feasibilityOnly) {}

  Status prepare() { return steps.prepare(); }

  ExactResult run() {
    Node start;
    start.state = steps.start();
    push(start);
    ExactResult result;
    while (!queue.empty()) {
      int32_t index = queue.top().node;
      queue.pop();
      const Node node = nodes[index];
      if (isDominated(node.state))
        continue;
      if (++result.states > stateLimit) {
        result.outcome = ExactResult::Outcome::LimitReached;
        return result;
      }
      if (steps.isFinal(node.state)) {
        result.outcome = ExactResult::Outcome::Optimal;
        result.plan = makePlan(index);
        result.cost = result.plan.claims.recomputeCost;
        return result;
      }
      steps.forEachNext(node, index, [this](const Node &next) { push(next); });
    }
    return result;
  }

private:
  struct Entry {
    double cost;
    int32_t recomputes;
    int32_t progress;
    int32_t node;
    bool operator<(const Entry &other) const {
      if (cost != other.cost)
        return cost > other.cost;
      if (recomputes != other.recomputes)
        return recomputes > other.recomputes;
      if (progress != other.progress)
        return progress < other.progress;
      return node > other.node;
    }
  };
  void push(const Node &node) {
    auto [entry, isNew] =
        best.try_emplace(node.state, std::pair(node.cost, node.recomputes));
    if (!isNew) {
      if (entry->second <= std::pair(node.cost, node.recomputes))
        return;
      entry->second = {node.cost, node.recomputes};
    }
    nodes.push_back(node);
    queue.push({node.cost, node.recomputes, std::popcount(node.state.done),
                int32_t(nodes.size()) - 1});
  }

  /// Whether a state settled before, hence with no more cost, can do all that
  /// this one can. Otherwise the state is settled.
  bool isDominated(const State &state) {
    State key = state;
    key.live = 0;
    std::vector<Mask> &settled = settledLive[key];
    for (Mask live : settled)
      if ((live & state.live) == state.live)
        return true;
    settled.push_back(state.live);
    return false;
  }

  Plan makePlan(int32_t index) const {
    std::vector<OpIndex> order;
    for (; nodes[index].op != kNone; index = nodes[index].parent)
      order.push_back(nodes[index].op);
    std::reverse(order.begin(), order.end());
    Plan plan = planOfSequence(problem, order);
    plan.strategy = "memory-budget";
    plan.budget = budget;
    if (fillClaims(problem, plan)) {
      plan.claims.lowerBound = plan.claims.recomputeCost;
      plan.claims.boundClass = BoundClass::Exact;
    }
    return plan;
  }

  const Problem &problem;
  const int64_t budget, stateLimit;
  ExactSteps steps;
  std::vector<Node> nodes;
  std::priority_queue<Entry> queue;
  std::unordered_map<State, std::pair<double, int32_t>, StateHash> best;
  std::unordered_map<State, std::vector<Mask>, StateHash> settledLive;
};

} // namespace

Expected<ExactResult> searchExact(const Problem &problem, int64_t budget,
                                  const ExactOptions &options) {
  if (Status status = problem.check(); !status)
    return status.error();
  ExactSearch search(problem, budget, options);
  if (Status status = search.prepare(); !status)
    return status.error();
  return search.run();
}

Expected<int64_t> findMinimumBudget(const Problem &problem,
                                    const ExactOptions &options) {
  if (Status status = problem.check(); !status)
    return status.error();
  // Keeping everything fits into the keep-all peak, except where marks demand
  // recomputes; with one copy of every storage in memory any legal plan runs.
  int64_t low = 0, high = makeKeepAllPlan(problem).claims.livePeak;
  auto isFeasible = [&](int64_t budget) -> Expected<bool> {
    ExactSearch search(problem, budget, options, /*feasibilityOnly=*/true);
    if (Status status = search.prepare(); !status)
      return status.error();
    ExactResult result = search.run();
    if (result.outcome == ExactResult::Outcome::LimitReached)
      return Error::badInput("exact search gave up after " +
                             std::to_string(options.stateLimit) +
                             " states; the graph is too large for it");
    return result.outcome == ExactResult::Outcome::Optimal;
  };
  for (int doubling = 0; doubling < 2; ++doubling) {
    Expected<bool> feasible = isFeasible(high);
    if (!feasible)
      return feasible.error();
    if (*feasible)
      break;
    if (doubling == 1)
      return Error::refused("no plan honours the marks at any budget");
    low = high + 1;
    high = 0;
    for (const Storage &storage : problem.storages)
      high += storage.bytes;
    for (const Op &op : problem.ops)
      high += op.workspace;
  }
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    Expected<bool> feasible = isFeasible(middle);
    if (!feasible)
      return feasible.error();
    if (*feasible)
      high = middle;
    else
      low = middle + 1;
  }
  return high;
}

} // namespace ringi::planner
