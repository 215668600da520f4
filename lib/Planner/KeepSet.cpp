//===- KeepSet.cpp - From a set of kept activations to a schedule ---------===//
//
// Part of Ringi. A demand-driven expansion: which forward results the backward
// phase still needs, then the given order with clones put right before the
// first execution that reads them. No recursion: chains of any length expand.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/KeepSet.h"

#include <algorithm>

namespace ringi::planner {

namespace {

class Expansion {
public:
  Expansion(const Problem &problem, const std::vector<bool> &keep,
            const std::vector<int32_t> &group)
      : problem(problem), group(group), origin(problem.ops.size(), kNone),
        clone(problem.ops.size(), kNone), needed(problem.ops.size(), false) {
    dropped.resize(problem.storages.size());
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s)
      dropped[s] = mayDrop(s) && (!keep[s] || problem.storages[s].mark ==
                                                  Mark::MustRecompute);
    lastForwardReader.assign(problem.storages.size(), kNone);
    firstBackwardReader.assign(problem.storages.size(), INT32_MAX);
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
      for (StorageIndex s : problem.ops[v].inputs)
        if (problem.ops[v].phase == Phase::Forward)
          lastForwardReader[s] = v;
        else
          firstBackwardReader[s] = std::min(firstBackwardReader[s], v);
    keepWholeOps();
    keepWhatCannotReturn();
  }

  Plan run() {
    findNeeded();
    collectGroups();
    std::vector<OpIndex> wanted;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
      if (problem.ops[v].phase != Phase::Forward) {
        for (StorageIndex s : problem.ops[v].inputs)
          want(s, v, wanted);
        emitClones(v, wanted);
      }
      origin[v] = emit(v, v, problem.ops[v].phase != Phase::Forward);
    }
    for (StorageIndex s : outputStorages(problem))
      plan.outputs.push_back(origin[problem.storages[s].producer]);
    return std::move(plan);
  }

private:
  bool mayDrop(StorageIndex s) const {
    const Storage &storage = problem.storages[s];
    if (storage.producer == kNone || storage.mark == Mark::MustKeep)
      return false;
    const Op &op = problem.ops[storage.producer];
    return op.phase == Phase::Forward && op.recomputable;
  }

  /// A must-keep result pins every result of its op: the op may run only once.
  /// So does what is read when clones have run, an output of the step or the
  /// loss of a micro-batch: it would be read from the clone, and its origin
  /// would have run for nothing.
  void keepWholeOps() {
    for (const Op &op : problem.ops) {
      bool pinned = false;
      OpIndex replayed = INT32_MAX;
      for (StorageIndex s : op.outputs)
        replayed = std::min(replayed, firstBackwardReader[s]);
      for (StorageIndex s : op.outputs)
        pinned |= problem.storages[s].mark == Mark::MustKeep ||
                  problem.storages[s].output || lastForwardReader[s] > replayed;
      if (pinned)
        for (StorageIndex s : op.outputs)
          dropped[s] = false;
    }
  }

  /// Keeps what could only be replayed by reading bytes that a required
  /// in-place op has overwritten before the first backward use.
  void keepWhatCannotReturn() {
    std::vector<OpIndex> overwritten(problem.storages.size(), INT32_MAX);
    bool any = false;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
      for (const InPlacePair &pair : problem.ops[v].inPlace)
        if (pair.required) {
          overwritten[pair.input] = v;
          any = true;
        }
    if (!any)
      return;
    // First use by the backward phase, direct or through a replay.
    std::vector<OpIndex> firstUse(problem.storages.size(), INT32_MAX);
    for (OpIndex v = OpIndex(problem.ops.size()) - 1; v >= 0; --v)
      if (problem.ops[v].phase != Phase::Forward)
        for (StorageIndex s : problem.ops[v].inputs)
          firstUse[s] = std::min(firstUse[s], v);
    // In reverse order every later replay is settled before its inputs are
    // asked for. A group may replay a member earlier than its own first use,
    // never later, so this errs on the side of keeping.
    for (OpIndex v = OpIndex(problem.ops.size()) - 1; v >= 0; --v) {
      OpIndex at = INT32_MAX;
      for (StorageIndex s : problem.ops[v].outputs)
        if (dropped[s])
          at = std::min(at, firstUse[s]);
      if (at == INT32_MAX)
        continue;
      bool gone = false;
      for (StorageIndex s : problem.ops[v].inputs)
        gone |= overwritten[s] < at;
      if (gone)
        for (StorageIndex s : problem.ops[v].outputs)
          dropped[s] = false;
      else
        for (StorageIndex s : problem.ops[v].inputs)
          firstUse[s] = std::min(firstUse[s], at);
    }
  }

  /// Marks the ops that must run again: backward uses, then the inputs of what
  /// runs again.
  void findNeeded() {
    std::vector<OpIndex> stack;
    auto push = [&](StorageIndex s) {
      if (!dropped[s] || needed[problem.storages[s].producer])
        return;
      needed[problem.storages[s].producer] = true;
      stack.push_back(problem.storages[s].producer);
    };
    for (const Op &op : problem.ops)
      if (op.phase != Phase::Forward)
        for (StorageIndex s : op.inputs)
          push(s);
    while (!stack.empty()) {
      OpIndex v = stack.back();
      stack.pop_back();
      for (StorageIndex s : problem.ops[v].inputs)
        push(s);
    }
  }

  void collectGroups() {
    if (group.empty())
      return;
    int32_t groups = 0;
    for (int32_t g : group)
      groups = std::max(groups, g + 1);
    members.resize(groups);
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s)
      if (dropped[s] && group[s] != kNone &&
          needed[problem.storages[s].producer])
        members[group[s]].push_back(s);
  }

  /// Whether the backward phase reads a clone of `s` at op `v`. Up to its last
  /// forward reader the forward copy is in memory anyway.
  bool readsClone(StorageIndex s, OpIndex v) const {
    return dropped[s] && (lastForwardReader[s] < v ||
                          problem.storages[s].mark == Mark::MustRecompute);
  }

  /// Adds the clones that make `s` available at op `at` to `wanted`, inputs
  /// included.
  void want(StorageIndex s, OpIndex at, std::vector<OpIndex> &wanted) {
    std::vector<StorageIndex> stack = {s};
    while (!stack.empty()) {
      StorageIndex top = stack.back();
      stack.pop_back();
      if (!readsClone(top, at))
        continue;
      OpIndex v = problem.storages[top].producer;
      if (clone[v] != kNone)
        continue;
      clone[v] = kPending;
      wanted.push_back(v);
      for (StorageIndex input : problem.ops[v].inputs)
        stack.push_back(input);
      if (!group.empty() && group[top] != kNone) {
        // Members that have not run yet are asked for when they have.
        std::vector<StorageIndex> &list = members[group[top]];
        auto waiting = std::stable_partition(
            list.begin(), list.end(), [&](StorageIndex member) {
              return origin[problem.storages[member].producer] == kNone;
            });
        stack.insert(stack.end(), waiting, list.end());
        list.erase(waiting, list.end());
      }
    }
  }

  void emitClones(OpIndex at, std::vector<OpIndex> &wanted) {
    std::sort(wanted.begin(), wanted.end());
    for (OpIndex v : wanted)
      clone[v] = emit(v, at, true);
    wanted.clear();
  }

  /// Runs `v` now, where op `at` is the next origin.
  ExecutionIndex emit(OpIndex v, OpIndex at, bool forBackward) {
    Execution execution;
    execution.op = v;
    execution.reads.reserve(problem.ops[v].inputs.size());
    for (StorageIndex s : problem.ops[v].inputs) {
      OpIndex producer = problem.storages[s].producer;
      if (producer == kNone)
        execution.reads.push_back(kNone);
      else
        execution.reads.push_back(forBackward && readsClone(s, at)
                                      ? clone[producer]
                                      : origin[producer]);
    }
    plan.schedule.push_back(std::move(execution));
    return ExecutionIndex(plan.schedule.size()) - 1;
  }

  static constexpr ExecutionIndex kPending = -2;
  const Problem &problem;
  const std::vector<int32_t> &group;
  Plan plan;
  /// Per storage: the backward phase does not read the forward copy.
  std::vector<bool> dropped;
  std::vector<OpIndex> lastForwardReader, firstBackwardReader;
  std::vector<ExecutionIndex> origin, clone;
  std::vector<bool> needed;
  std::vector<std::vector<StorageIndex>> members;
};

} // namespace

Plan expandKeepSet(const Problem &problem, const std::vector<bool> &keep,
                   const std::vector<int32_t> &group) {
  Plan plan = Expansion(problem, keep, group).run();
  // The schedule is legal by construction; a failure would show up as a zero
  // peak that the verifier rejects.
  (void)fillClaims(problem, plan);
  return plan;
}

} // namespace ringi::planner
