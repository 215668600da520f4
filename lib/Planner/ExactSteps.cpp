//===- ExactSteps.cpp - Memory states and the steps between them ----------===//
//
// Part of Ringi. Reads the problem into masks and answers what a single state
// is; ExactExpansion.cpp enumerates what may follow one.
//
//===----------------------------------------------------------------------===//

#include "ExactSteps.h"

#include <bit>

namespace ringi::planner::exact {

namespace {

Mask maskOf(const std::vector<StorageIndex> &list) {
  Mask mask = 0;
  for (StorageIndex s : list)
    mask |= bit(s);
  return mask;
}

} // namespace

Status ExactSteps::prepare() {
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
        return Error::badInput("exact search does not handle op '" + op.name +
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

/// Bytes of persistent storages pass on from pair to pair. Two operands that
/// compete for one result would make it matter which of them dies first.
Status ExactSteps::checkSlots() const {
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

State ExactSteps::start() const {
  State state;
  state.live = initial;
  state.stage = mustRecompute ? Forward : Backward;
  state.live &= neededLater(state) | resident;
  return state;
}

int64_t ExactSteps::bytesOf(Mask mask) const {
  int64_t sum = 0;
  for (; mask; mask &= mask - 1)
    sum += problem.storages[std::countr_zero(mask)].bytes;
  return sum;
}

bool ExactSteps::isFinal(const State &state) const {
  return std::popcount(state.done) == int(problem.ops.size()) &&
         (state.live & results) == results && state.stage != ForwardClones;
}

/// Storages that some continuation may still read or must return.
Mask ExactSteps::neededLater(const State &state) const {
  Mask needed = results;
  for (OpIndex v = OpIndex(problem.ops.size()) - 1; v >= 0; --v)
    if (!(state.done & bit(v)) ||
        ((canRerun & bit(v)) && (outputs[v] & needed)))
      needed |= inputs[v];
  return needed;
}

} // namespace ringi::planner::exact
