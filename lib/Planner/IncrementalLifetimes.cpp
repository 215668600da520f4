//===- IncrementalLifetimes.cpp - How long a buffer occupies memory -----===//
//
// Part of Ringi. Follows the last use of every buffer under edits. The changes
// in bytes are collected as differences over slots and applied in one sweep, so
// that what cancels costs nothing.
//
//===----------------------------------------------------------------------===//

#include "IncrementalLookups.h"
#include "MemoryProfile.h"

#include <algorithm>

namespace ringi::planner {

void IncrementalSimulator::flush() {
  if (pending.empty())
    return;
  sortChanges(pending);
  double now = 0;
  for (size_t i = 0; i + 1 < pending.size(); ++i) {
    now += pending[i].delta;
    if (now != 0 && pending[i + 1].slot > pending[i].slot)
      memory->add(pending[i].slot, pending[i + 1].slot - 1, now);
  }
  pending.clear();
}

void IncrementalSimulator::mark(Handle handle) {
  if (!anyInPlace || handle <= kHead || nodes[handle].marked ||
      problem.ops[nodes[handle].op].inPlace.empty())
    return;
  nodes[handle].marked = true;
  markedNodes.push_back(handle);
}

/// Finds the last use of a result anew and accounts for the difference.
void IncrementalSimulator::refresh(Handle handle, int32_t index) {
  const Node &node = nodes[handle];
  StorageIndex storage = results[node.op][index];
  int32_t buffer = node.firstBuffer + index;
  const std::vector<Handle> &list = copies[node.op];
  size_t i = list.size();
  while (list[--i] != handle)
    ;
  Handle last;
  if (i + 1 == list.size() && problem.storages[storage].output)
    last = kEnd;
  else {
    last = lastReaderBefore(storage, i + 1 < list.size() ? slots[list[i + 1]]
                                                         : int32_t(at.size()));
    if (last != kNone && slots[last] <= slots[handle])
      last = kNone;
  }
  Handle old = lastUse[buffer];
  if (old == last)
    return;
  int32_t oldEnd = endSlot(handle, buffer);
  lastUse[buffer] = last;
  int32_t newEnd = endSlot(handle, buffer);
  double size = bufferBytes(node.op, index, buffer);
  if (newEnd > oldEnd)
    addBytes(oldEnd + 1, newEnd, size);
  else
    addBytes(newEnd + 1, oldEnd, -size);
  mark(old);
  mark(last);
}

/// Refreshes the copies that an execution of `op` at the slot reads.
void IncrementalSimulator::refreshInputs(OpIndex op, int32_t slot) {
  for (StorageIndex s : trackedInputs[op]) {
    if (!tracked[s])
      continue;
    Handle copy = lookUpCopy(producers[s], slot);
    if (copy != kNone)
      refresh(copy, resultIndex[s]);
  }
}

/// Decides the in-place pairs of the marked executions as simulate() does.
void IncrementalSimulator::refreshInPlace() {
  while (!markedNodes.empty()) {
    Handle handle = markedNodes.back();
    markedNodes.pop_back();
    Node &node = nodes[handle];
    node.marked = false;
    if (at[slots[handle]] != handle)
      continue;
    const Op &op = problem.ops[node.op];
    double discount = 0;
    std::vector<char> inPersistent(op.outputs.size(), false);
    std::vector<StorageIndex> taken;
    for (const InPlacePair &pair : op.inPlace) {
      int32_t target = resultIndex[pair.output];
      if (problem.storages[pair.input].bytes !=
              problem.storages[pair.output].bytes ||
          std::count(taken.begin(), taken.end(), pair.input) ||
          std::count(taken.begin(), taken.end(), pair.output))
        continue;
      if (problem.storages[pair.input].persistent) {
        if (!pair.required)
          continue;
        inPersistent[target] = true;
      } else {
        if (!tracked[pair.input])
          continue;
        Handle copy = lookUpCopy(producers[pair.input], slots[handle]);
        int32_t buffer = nodes[copy].firstBuffer + resultIndex[pair.input];
        if (lastUse[buffer] != handle)
          continue;
        if (livesInPersistent[buffer])
          inPersistent[target] = true;
        else
          discount += bytes[pair.output];
      }
      taken.push_back(pair.input);
      taken.push_back(pair.output);
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      int32_t buffer = node.firstBuffer + int32_t(i);
      if (bool(livesInPersistent[buffer]) == bool(inPersistent[i]))
        continue;
      double size = bytes[op.outputs[i]];
      livesInPersistent[buffer] = inPersistent[i];
      addBytes(slots[handle], endSlot(handle, buffer),
               inPersistent[i] ? -size : size);
      if (lastUse[buffer] != handle)
        mark(lastUse[buffer]);
    }
    addBytes(slots[handle], slots[handle], node.inPlaceDiscount - discount);
    node.inPlaceDiscount = discount;
  }
}

} // namespace ringi::planner
