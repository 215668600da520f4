//===- ExactSearch.cpp - The optimum of small graphs ----------------------===//
//
// Part of Ringi. Dijkstra's algorithm over memory states. Dropping costs
// nothing, so a state keeps everything until an execution does not fit, and
// then branches over the maximal sets that do. Exponential in the width of the
// graph; meant for tens of ops.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/ExactSearch.h"

#include <algorithm>
#include <bit>
#include <queue>
#include <unordered_map>

namespace ringi::planner {

namespace {

using Mask = uint64_t;

Mask bit(int32_t i) { return Mask(1) << i; }

/// Where a schedule stands relative to the end of the forward phase
/// (findBackwardExecutions in Plan.h). Only must-recompute marks depend on it;
/// without them every state is Backward.
enum Stage : uint8_t {
  /// Forward phase, the last execution was an origin.
  Forward,
  /// Forward phase, clones since the last origin: another forward origin must
  /// follow, or they would belong to the backward phase.
  ForwardClones,
  /// The clones that directly precede the first non-forward origin.
  LeadingClones,
  /// From the first non-forward origin on.
  Backward
};

struct State {
  /// Storages in memory, and ops that have run.
  Mask live = 0, done = 0;
  /// Live storages that sit in the bytes of a persistent storage.
  Mask slot = 0;
  /// Live must-recompute storages whose copy is of the forward phase.
  Mask forwardCopies = 0;
  Stage stage = Backward;

  bool operator==(const State &) const = default;
};

struct StateHash {
  size_t operator()(const State &state) const {
    uint64_t h = 0;
    for (uint64_t part : {state.live, state.done, state.slot,
                          state.forwardCopies, uint64_t(state.stage)}) {
      h = (h ^ part) * 0x9e3779b97f4a7c15ull;
      h ^= h >> 29;
    }
    return size_t(h);
  }
};

/// A state as the search reached it.
struct Node {
  State state;
  double cost = 0;
  int32_t recomputes = 0;
  int32_t parent = -1;
  OpIndex op = kNone;
};

class ExactSearch {
public:
  /// With `feasibilityOnly` recomputes are free, so the search asks whether a
  /// plan exists and finds it sooner.
  ExactSearch(const Problem &problem, int64_t budget,
              const ExactOptions &options, bool feasibilityOnly = false)
      : problem(problem), budget(budget), options(options),
        feasibilityOnly(feasibilityOnly) {}

  Status prepare() {
    if (problem.ops.size() > 64 || problem.storages.size() > 64)
      return Error::badInput(
          "exact search handles 64 ops and 64 storages; the graph has " +
          std::to_string(problem.ops.size()) + " and " +
          std::to_string(problem.storages.size()));
    canRerun = 0;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
      bool pinned = !problem.ops[v].recomputable;
      for (StorageIndex s : problem.ops[v].outputs)
        pinned |= problem.storages[s].mark == Mark::MustKeep;
      if (!pinned)
        canRerun |= bit(v);
    }
    for (const Op &op : problem.ops) {
      inputs.push_back(maskOf(op.inputs));
      outputs.push_back(maskOf(op.outputs));
      for (const InPlacePair &pair : op.inPlace) {
        OpIndex producer = problem.storages[pair.input].producer;
        if (pair.required && producer != kNone && (canRerun & bit(producer)))
          return Error::badInput(
              "exact search does not handle op '" + op.name +
              "', which always overwrites the recomputable '" +
              problem.storages[pair.input].name + "'");
      }
    }
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
      const Storage &storage = problem.storages[s];
      if (storage.mark == Mark::MustRecompute)
        mustRecompute |= bit(s);
      if (storage.output && storage.producer != kNone)
        results |= bit(s);
      if (storage.producer != kNone)
        continue;
      if (storage.persistent || storage.output) {
        resident |= bit(s);
        base += storage.bytes;
      }
      if (storage.persistent)
        persistent |= bit(s);
      initial |= bit(s);
    }
    return checkSlots();
  }

  ExactResult run() {
    Node start;
    start.state.live = initial;
    start.state.stage = mustRecompute ? Forward : Backward;
    start.state.live &= neededLater(start.state) | resident;
    push(start);
    ExactResult result;
    while (!queue.empty()) {
      int32_t index = queue.top().node;
      queue.pop();
      const Node node = nodes[index];
      if (isDominated(node.state))
        continue;
      if (++result.states > options.stateLimit) {
        result.outcome = ExactResult::Outcome::LimitReached;
        return result;
      }
      if (isFinal(node.state)) {
        result.outcome = ExactResult::Outcome::Optimal;
        result.plan = makePlan(index);
        result.cost = result.plan.claims.recomputeCost;
        return result;
      }
      expand(index);
    }
    return result;
  }

private:
  /// Bytes of persistent storages pass on from pair to pair. Two operands that
  /// compete for one result would make it matter which of them dies first.
  Status checkSlots() const {
    Mask mayBeSlot = persistent;
    for (const Op &op : problem.ops) {
      Mask taken = 0;
      for (const InPlacePair &pair : op.inPlace) {
        if (!(mayBeSlot & bit(pair.input)) ||
            ((persistent & bit(pair.input)) && !pair.required))
          continue;
        mayBeSlot |= bit(pair.output);
        taken |= bit(pair.output);
      }
      Mask seen = 0;
      for (const InPlacePair &pair : op.inPlace) {
        if (seen & taken & bit(pair.output))
          return Error::badInput("exact search does not handle op '" + op.name +
                                 "', which may write '" +
                                 problem.storages[pair.output].name +
                                 "' over several operands");
        seen |= bit(pair.output);
      }
    }
    return Status::success();
  }

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

  static Mask maskOf(const std::vector<StorageIndex> &list) {
    Mask mask = 0;
    for (StorageIndex s : list)
      mask |= bit(s);
    return mask;
  }

  int64_t bytesOf(Mask mask) const {
    int64_t sum = 0;
    for (; mask; mask &= mask - 1)
      sum += problem.storages[std::countr_zero(mask)].bytes;
    return sum;
  }

  bool isFinal(const State &state) const {
    return std::popcount(state.done) == int(problem.ops.size()) &&
           (state.live & results) == results && state.stage != ForwardClones;
  }

  /// Storages that some continuation may still read or must return.
  Mask neededLater(const State &state) const {
    Mask needed = results;
    for (OpIndex v = OpIndex(problem.ops.size()) - 1; v >= 0; --v)
      if (!(state.done & bit(v)) ||
          ((canRerun & bit(v)) && (outputs[v] & needed)))
        needed |= inputs[v];
    return needed;
  }

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

  void expand(int32_t index) {
    const State state = nodes[index].state;
    const Mask needed = neededLater(state);
    bool nextOrigin = true, nextOrdered = true;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
      if (state.done & bit(v)) {
        // A rerun must bring back something that is missing, or a forward copy
        // that the backward phase may not read.
        Mask gain = outputs[v] & needed & (~state.live | state.forwardCopies);
        if ((canRerun & bit(v)) && gain)
          execute(index, v, true);
        continue;
      }
      bool allowed = (options.order == Order::Free || nextOrigin) &&
                     (!problem.ops[v].ordered || nextOrdered);
      nextOrigin = false;
      nextOrdered &= !problem.ops[v].ordered;
      if (allowed)
        execute(index, v, false);
    }
  }

  /// All ways to run `v` next.
  void execute(int32_t index, OpIndex v, bool isClone) {
    const State state = nodes[index].state;
    if ((state.live & inputs[v]) != inputs[v])
      return;
    bool forward = problem.ops[v].phase == Phase::Forward;
    for (Stage stage : nextStages(state.stage, forward, isClone)) {
      bool servesBackward =
          !forward ||
          (isClone && (stage == LeadingClones || stage == Backward));
      if (servesBackward && (inputs[v] & state.forwardCopies))
        continue;
      forEachDeath(index, v, isClone, stage, servesBackward);
    }
  }

  std::vector<Stage> nextStages(Stage stage, bool forward, bool isClone) const {
    if (!mustRecompute)
      return {Backward};
    switch (stage) {
    case Forward:
      if (isClone)
        return {ForwardClones, LeadingClones};
      return {forward ? Forward : Backward};
    case ForwardClones:
      if (isClone)
        return {ForwardClones};
      if (forward)
        return {Forward};
      return {};
    case LeadingClones:
      if (isClone)
        return {LeadingClones};
      if (!forward)
        return {Backward};
      return {};
    case Backward:
      return {Backward};
    }
    return {};
  }

  /// Branches over which operands of in-place pairs die here.
  void forEachDeath(int32_t index, OpIndex v, bool isClone, Stage stage,
                    bool servesBackward) {
    const Op &op = problem.ops[v];
    Mask may = 0, must = 0;
    for (const InPlacePair &pair : op.inPlace) {
      if (pair.required)
        must |= bit(pair.input);
      else if (!(resident & bit(pair.input)))
        may |= bit(pair.input);
    }
    may &= ~must;
    for (Mask dying = may;; dying = (dying - 1) & may) {
      forEachRetained(index, v, isClone, stage, servesBackward, dying | must);
      if (!dying)
        break;
    }
  }

  /// Branches over the maximal sets of other storages that stay in memory.
  void forEachRetained(int32_t index, OpIndex v, bool isClone, Stage stage,
                       bool servesBackward, Mask dying) {
    const Op &op = problem.ops[v];
    const State state = nodes[index].state;
    Node next;
    next.parent = index;
    next.op = v;
    if (!feasibilityOnly) {
      next.cost = nodes[index].cost + (isClone ? op.cost : 0);
      next.recomputes = nodes[index].recomputes + isClone;
    }
    next.state = state;
    next.state.done |= bit(v);
    next.state.stage = stage;
    next.state.live &= ~outputs[v];
    next.state.slot &= ~outputs[v];

    // Pairs in order; each buffer is taken once.
    Mask overwritten = 0, placed = 0, inSlot = 0;
    for (const InPlacePair &pair : op.inPlace) {
      if (!(dying & bit(pair.input)) || (overwritten & bit(pair.input)) ||
          (placed & bit(pair.output)))
        continue;
      overwritten |= bit(pair.input);
      placed |= bit(pair.output);
      if ((persistent | state.slot) & bit(pair.input))
        inSlot |= bit(pair.output);
    }
    // An operand that dies without being overwritten is the case of another
    // branch: it is simply not kept.
    if (overwritten != dying)
      return;

    int64_t running = base + bytesOf(inputs[v] & ~resident & ~state.slot) +
                      bytesOf(outputs[v] & ~placed) + op.workspace;
    int64_t capacity = budget - running;
    if (capacity < 0)
      return;
    std::vector<StorageIndex> optional;
    int64_t optionalBytes = 0;
    Mask rest = next.state.live & ~inputs[v] & ~resident & ~state.slot;
    for (Mask left = rest; left; left &= left - 1) {
      StorageIndex s = std::countr_zero(left);
      if (problem.storages[s].bytes == 0)
        continue;
      optional.push_back(s);
      optionalBytes += problem.storages[s].bytes;
    }
    next.state.live = (next.state.live & ~overwritten) | outputs[v];
    next.state.slot = (next.state.slot & ~overwritten) | inSlot;
    next.state.forwardCopies &= ~outputs[v] & ~overwritten;
    if (!servesBackward)
      next.state.forwardCopies |= outputs[v] & mustRecompute;
    if (optionalBytes <= capacity) {
      finish(next);
      return;
    }
    std::sort(optional.begin(), optional.end(),
              [&](StorageIndex a, StorageIndex b) {
                int64_t left = problem.storages[a].bytes;
                int64_t right = problem.storages[b].bytes;
                return left != right ? left > right : a < b;
              });
    retain(next, optional, 0, capacity, INT64_MAX);
  }

  void retain(Node &next, const std::vector<StorageIndex> &optional, size_t i,
              int64_t capacity, int64_t smallestDropped) {
    if (i == optional.size()) {
      if (smallestDropped > capacity)
        finish(next);
      return;
    }
    int64_t bytes = problem.storages[optional[i]].bytes;
    if (bytes <= capacity)
      retain(next, optional, i + 1, capacity - bytes, smallestDropped);
    Node without = next;
    without.state.live &= ~bit(optional[i]);
    without.state.forwardCopies &= ~bit(optional[i]);
    retain(without, optional, i + 1, capacity,
           std::min(smallestDropped, bytes));
  }

  void finish(Node next) {
    // What nothing can read any more is gone, so that equal states compare
    // equal.
    Mask useful = neededLater(next.state) | resident;
    next.state.live &= useful;
    next.state.slot &= useful;
    next.state.forwardCopies &= useful;
    push(next);
  }

  Plan makePlan(int32_t index) const {
    std::vector<OpIndex> order;
    for (; nodes[index].op != kNone; index = nodes[index].parent)
      order.push_back(nodes[index].op);
    std::reverse(order.begin(), order.end());
    Plan plan;
    plan.strategy = "memory-budget";
    plan.budget = budget;
    std::vector<ExecutionIndex> latest(problem.ops.size(), kNone);
    for (OpIndex v : order) {
      Execution execution;
      execution.op = v;
      for (StorageIndex s : problem.ops[v].inputs) {
        OpIndex producer = problem.storages[s].producer;
        execution.reads.push_back(producer == kNone ? kNone : latest[producer]);
      }
      latest[v] = ExecutionIndex(plan.schedule.size());
      plan.schedule.push_back(std::move(execution));
    }
    for (StorageIndex s : outputStorages(problem))
      plan.outputs.push_back(latest[problem.storages[s].producer]);
    if (fillClaims(problem, plan)) {
      plan.claims.lowerBound = plan.claims.recomputeCost;
      plan.claims.boundClass = BoundClass::Exact;
    }
    return plan;
  }

  const Problem &problem;
  const int64_t budget;
  const ExactOptions options;
  const bool feasibilityOnly;
  std::vector<Mask> inputs, outputs;
  Mask canRerun = 0, mustRecompute = 0, results = 0;
  /// Initial storages; those that never leave memory; those of them whose bytes
  /// a required pair may take over.
  Mask initial = 0, resident = 0, persistent = 0;
  int64_t base = 0;
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
