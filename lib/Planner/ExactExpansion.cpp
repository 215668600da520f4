//===- ExactExpansion.cpp - What may follow a memory state ----------------===//
//
// Part of Ringi. Enumerates the successors of a memory state: op, stage of the
// step, operands that die in place, and the maximal sets that stay in memory.
//
//===----------------------------------------------------------------------===//

#include "ExactSteps.h"

#include <algorithm>
#include <bit>

namespace ringi::planner::exact {

void ExactSteps::forEachNext(const Node &node, int32_t index,
                             const Visitor &visit) const {
  const State &state = node.state;
  const Mask needed = neededLater(state);
  bool nextOrigin = true, nextOrdered = true;
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
    if (state.done & bit(v)) {
      // A rerun must bring back something that is missing, or a forward copy
      // that the backward phase may not read.
      Mask gain = outputs[v] & needed & (~state.live | state.forwardCopies);
      if ((canRerun & bit(v)) && gain)
        execute({node, index, visit, v, true});
      continue;
    }
    bool allowed = (order == Order::Free || nextOrigin) &&
                   (!problem.ops[v].ordered || nextOrdered);
    nextOrigin = false;
    nextOrdered &= !problem.ops[v].ordered;
    if (allowed)
      execute({node, index, visit, v, false});
  }
}

/// All ways to make the step.
void ExactSteps::execute(Step step) const {
  const State &state = step.from.state;
  const OpIndex v = step.op;
  if ((state.live & inputs[v]) != inputs[v])
    return;
  bool forward = problem.ops[v].phase == Phase::Forward;
  for (Stage stage : nextStages(state.stage, forward, step.isClone)) {
    step.stage = stage;
    step.servesBackward =
        !forward ||
        (step.isClone && (stage == LeadingClones || stage == Backward));
    if (step.servesBackward && (inputs[v] & state.forwardCopies))
      continue;
    forEachDeath(step);
  }
}

std::vector<Stage> ExactSteps::nextStages(Stage stage, bool forward,
                                          bool isClone) const {
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
void ExactSteps::forEachDeath(const Step &step) const {
  const Op &op = problem.ops[step.op];
  Mask may = 0, must = 0;
  for (const InPlacePair &pair : op.inPlace) {
    if (pair.required)
      must |= bit(pair.input);
    else if (!(resident & bit(pair.input)))
      may |= bit(pair.input);
  }
  may &= ~must;
  for (Mask dying = may;; dying = (dying - 1) & may) {
    forEachRetained(step, dying | must);
    if (!dying)
      break;
  }
}

/// Branches over the maximal sets of other storages that stay in memory.
void ExactSteps::forEachRetained(const Step &step, Mask dying) const {
  const OpIndex v = step.op;
  const Op &op = problem.ops[v];
  const State &state = step.from.state;
  Node next;
  next.parent = step.index;
  next.op = v;
  if (!feasibilityOnly) {
    next.cost = step.from.cost + (step.isClone ? op.cost : 0);
    next.recomputes = step.from.recomputes + step.isClone;
  }
  next.state = state;
  next.state.done |= bit(v);
  next.state.stage = step.stage;
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
  if (!step.servesBackward)
    next.state.forwardCopies |= outputs[v] & mustRecompute;
  if (optionalBytes <= capacity) {
    finish(step, next);
    return;
  }
  std::sort(optional.begin(), optional.end(),
            [&](StorageIndex a, StorageIndex b) {
              int64_t left = problem.storages[a].bytes;
              int64_t right = problem.storages[b].bytes;
              return left != right ? left > right : a < b;
            });
  retain(step, next, optional, 0, capacity, INT64_MAX);
}

void ExactSteps::retain(const Step &step, Node &next,
                        const std::vector<StorageIndex> &optional, size_t i,
                        int64_t capacity, int64_t smallestDropped) const {
  if (i == optional.size()) {
    if (smallestDropped > capacity)
      finish(step, next);
    return;
  }
  int64_t bytes = problem.storages[optional[i]].bytes;
  if (bytes <= capacity)
    retain(step, next, optional, i + 1, capacity - bytes, smallestDropped);
  Node without = next;
  without.state.live &= ~bit(optional[i]);
  without.state.forwardCopies &= ~bit(optional[i]);
  retain(step, without, optional, i + 1, capacity,
         std::min(smallestDropped, bytes));
}

void ExactSteps::finish(const Step &step, Node next) const {
  // What nothing can read any more is gone, so that equal states compare
  // equal.
  Mask useful = neededLater(next.state) | resident;
  next.state.live &= useful;
  next.state.slot &= useful;
  next.state.forwardCopies &= useful;
  step.visit(next);
}

} // namespace ringi::planner::exact
