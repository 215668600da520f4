//===- ExactSteps.h - Memory states and the steps between them --*- C++ -*-===//
//
// Part of Ringi. The state space of the exhaustive search: which storages are
// in memory, which ops have run, and every execution that may come next.
// Dropping costs nothing, so a state keeps everything until an execution does
// not fit, and then branches over the maximal sets that do.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_EXACTSTEPS_H
#define RINGI_LIB_PLANNER_EXACTSTEPS_H

#include "ringi/Planner/ExactSearch.h"

#include <functional>

namespace ringi::planner::exact {

/// A set of storages or ops, one bit each.
using Mask = uint64_t;

inline Mask bit(int32_t i) { return Mask(1) << i; }

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

/// The executions that may follow a state within a budget.
class ExactSteps {
public:
  using Visitor = std::function<void(const Node &)>;

  /// With `feasibilityOnly` recomputes are free, so a search asks whether a
  /// plan exists and finds it sooner.
  ExactSteps(const Problem &problem, int64_t budget, Order order,
             bool feasibilityOnly)
      : problem(problem), budget(budget), order(order),
        feasibilityOnly(feasibilityOnly) {}

  /// Reads the problem; the error says what exhaustive search does not handle.
  Status prepare();
  /// Before the first execution.
  State start() const;
  /// Everything ran and every output is in memory.
  bool isFinal(const State &state) const;
  /// Visits the node after each execution that may follow `node`; `index`
  /// becomes their parent.
  void forEachNext(const Node &node, int32_t index, const Visitor &visit) const;

private:
  /// One execution about to be made.
  struct Step {
    const Node &from;
    int32_t index;
    const Visitor &visit;
    OpIndex op;
    bool isClone;
    Stage stage = Backward;
    bool servesBackward = true;
  };

  Status checkSlots() const;
  Mask neededLater(const State &state) const;
  int64_t bytesOf(Mask mask) const;
  std::vector<Stage> nextStages(Stage stage, bool forward, bool isClone) const;
  void execute(Step step) const;
  void forEachDeath(const Step &step) const;
  void forEachRetained(const Step &step, Mask dying) const;
  void retain(const Step &step, Node &next,
              const std::vector<StorageIndex> &optional, size_t i,
              int64_t capacity, int64_t smallestDropped) const;
  void finish(const Step &step, Node next) const;

  const Problem &problem;
  const int64_t budget;
  const Order order;
  const bool feasibilityOnly;
  std::vector<Mask> inputs, outputs;
  Mask canRerun = 0, mustRecompute = 0, results = 0;
  /// Initial storages; those that never leave memory; those of them whose bytes
  /// a required pair may take over.
  Mask initial = 0, resident = 0, persistent = 0;
  int64_t base = 0;
};

} // namespace ringi::planner::exact

#endif // RINGI_LIB_PLANNER_EXACTSTEPS_H
