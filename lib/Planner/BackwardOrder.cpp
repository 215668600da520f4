//===- BackwardOrder.cpp - A backward part that frees early ---------------===//
//
// Part of Ringi. Runs an op ahead of its place as soon as that frees no fewer
// bytes than it makes.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/BackwardOrder.h"

#include "ringi/Planner/Simulator.h"

#include <algorithm>
#include <numeric>
#include <queue>

namespace ringi::planner {

namespace {

class EagerOrder {
public:
  /// \param forwardToo ops of the forward part may run early, too.
  EagerOrder(const Problem &problem, bool forwardToo)
      : problem(problem), forwardToo(forwardToo),
        readers(computeReaders(problem)),
        readersLeft(problem.storages.size(), 0),
        inputsLeft(problem.ops.size(), 0), done(problem.ops.size(), false) {
    for (StorageIndex s = 0; s < StorageIndex(readers.size()); ++s) {
      readersLeft[s] = int32_t(readers[s].size());
      if (problem.storages[s].producer != kNone)
        for (OpIndex reader : readers[s])
          ++inputsLeft[reader];
    }
  }

  /// \param forwardEnd ops below stay where they are.
  std::vector<OpIndex> run(OpIndex forwardEnd) {
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
      if (v >= forwardEnd)
        runReady();
      if (!done[v])
        execute(v);
    }
    return std::move(order);
  }

private:
  /// Bytes that running `v` now adds: what it makes less what nobody reads
  /// afterwards.
  int64_t growthOf(OpIndex v) const {
    int64_t growth = 0;
    for (StorageIndex s : problem.ops[v].outputs)
      growth += problem.storages[s].bytes;
    for (StorageIndex s : problem.ops[v].inputs) {
      const Storage &storage = problem.storages[s];
      if (readersLeft[s] == 1 && !storage.persistent && !storage.output)
        growth -= storage.bytes;
    }
    return growth;
  }

  void runReady() {
    while (!candidates.empty()) {
      OpIndex v = candidates.top();
      candidates.pop();
      // What grows now may shrink when another reader is done: it comes back.
      if (!done[v] && growthOf(v) <= 0)
        execute(v);
    }
  }

  void consider(OpIndex v) {
    const Op &op = problem.ops[v];
    if (!done[v] && inputsLeft[v] == 0 && !op.ordered &&
        (forwardToo || op.phase != Phase::Forward))
      candidates.push(v);
  }

  void execute(OpIndex v) {
    done[v] = true;
    order.push_back(v);
    for (StorageIndex s : problem.ops[v].inputs)
      if (--readersLeft[s] == 1)
        for (OpIndex reader : readers[s])
          consider(reader);
    for (StorageIndex s : problem.ops[v].outputs)
      for (OpIndex reader : readers[s]) {
        --inputsLeft[reader];
        consider(reader);
      }
  }

  const Problem &problem;
  const bool forwardToo;
  std::vector<std::vector<OpIndex>> readers;
  std::vector<int32_t> readersLeft, inputsLeft;
  std::vector<bool> done;
  /// Ready ops, lowest first.
  std::priority_queue<OpIndex, std::vector<OpIndex>, std::greater<OpIndex>>
      candidates;
  std::vector<OpIndex> order;
};

/// A parameter that is overwritten must not be read afterwards; such steps
/// order their updates themselves.
bool overwrites(const Problem &problem) {
  for (const Op &op : problem.ops)
    for (const InPlacePair &pair : op.inPlace)
      if (pair.required)
        return true;
  return false;
}

} // namespace

std::vector<OpIndex> orderBackward(const Problem &problem) {
  std::vector<OpIndex> given(problem.ops.size());
  std::iota(given.begin(), given.end(), 0);
  OpIndex forwardEnd = 0;
  for (OpIndex v : given)
    if (problem.ops[v].phase == Phase::Forward)
      forwardEnd = v + 1;
  if (overwrites(problem))
    return given;
  std::vector<OpIndex> order = EagerOrder(problem, false).run(forwardEnd);
  if (order == given)
    return given;
  auto peakOf = [](const Problem &ordered) -> std::optional<int64_t> {
    Expected<Timeline> timeline = simulate(ordered, makeKeepAllPlan(ordered));
    if (!timeline)
      return std::nullopt;
    return timeline->livePeak;
  };
  std::optional<int64_t> before = peakOf(problem);
  std::optional<int64_t> after = peakOf(reorder(problem, order));
  return before && after && *after <= *before ? order : given;
}

std::vector<OpIndex> orderEagerly(const Problem &problem) {
  if (!overwrites(problem))
    return EagerOrder(problem, true).run(0);
  std::vector<OpIndex> given(problem.ops.size());
  std::iota(given.begin(), given.end(), 0);
  return given;
}

Problem reorder(const Problem &problem, const std::vector<OpIndex> &order) {
  Problem result = problem;
  std::vector<OpIndex> place(order.size());
  for (OpIndex v = 0; v < OpIndex(order.size()); ++v) {
    result.ops[v] = problem.ops[order[v]];
    place[order[v]] = v;
  }
  for (Storage &storage : result.storages)
    if (storage.producer != kNone)
      storage.producer = place[storage.producer];
  return result;
}

WorkingOrder::WorkingOrder(const Problem &problem, Order kind)
    : given(problem) {
  if (kind == Order::Fixed)
    return;
  order = orderBackward(problem);
  if (!std::is_sorted(order.begin(), order.end()))
    moved = reorder(problem, order);
}

OpIndex WorkingOrder::original(OpIndex op) const {
  return moved && op != kNone ? order[op] : op;
}

void WorkingOrder::restore(Plan &plan) const {
  for (Execution &execution : plan.schedule)
    execution.op = original(execution.op);
}

} // namespace ringi::planner
