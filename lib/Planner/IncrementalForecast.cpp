//===- IncrementalForecast.cpp - What an edit would lead to -------------===//
//
// Part of Ringi. The overflow after an edit, from the byte changes that it
// would cause, without making it: most edits of a cold search are rejected.
//
//===----------------------------------------------------------------------===//

#include "IncrementalLookups.h"
#include "MemoryProfile.h"

#include <algorithm>

namespace ringi::planner {

bool IncrementalSimulator::forecasts() const {
  return memory->isFlat() && !anyInPlace;
}

/// The overflow when the pending changes are made, an execution appears with
/// `atNewSlot` resident bytes and that of `freedSlot` (kNone: none) goes.
IncrementalSimulator::Forecast
IncrementalSimulator::forecast(double atNewSlot, int32_t freedSlot) {
  double overflow = memory->overflow() + memory->above(atNewSlot);
  if (freedSlot != kNone)
    overflow -= memory->above(memory->get(freedSlot));
  sortChanges(pending);
  double now = 0;
  for (size_t i = 0; i + 1 < pending.size(); ++i) {
    now += pending[i].delta;
    int32_t first = pending[i].slot, last = pending[i + 1].slot - 1;
    if (now == 0 || first > last)
      continue;
    overflow += memory->changeOf(first, last, now);
    if (freedSlot >= first && freedSlot <= last) {
      double freed = memory->get(freedSlot);
      overflow -= memory->above(freed + now) - memory->above(freed);
    }
  }
  pending.clear();
  return {Forecast::Known, overflow};
}

IncrementalSimulator::Forecast
IncrementalSimulator::forecastInsert(OpIndex op, Handle where) {
  if (where == kNone || !forecasts())
    return {Forecast::Unknown, 0};
  int32_t slot = slots[where];
  if (!mayRepeat(op) || !mayRunAt(op, slot, kNone))
    return {Forecast::Illegal, 0};
  double here = carriedInto(where) + workspace[op];
  for (StorageIndex s : trackedInputs[op]) {
    Handle copy = lookUpCopy(producers[s], slot);
    int32_t end = endSlot(copy, nodes[copy].firstBuffer + resultIndex[s]);
    if (end >= slot)
      continue;
    double size = bytes[s];
    addBytes(end + 1, slot - 1, size);
    here += size;
  }
  Handle previous = lookUpCopy(op, slot);
  for (size_t i = 0; i < results[op].size(); ++i) {
    StorageIndex s = results[op][i];
    double size = bytes[s];
    int32_t end =
        previous == kNone
            ? kNone
            : endSlot(previous, nodes[previous].firstBuffer + int32_t(i));
    if (end < slot) {
      // Before the first copy, or nobody reads it from here on.
      if (previous == kNone)
        return pending.clear(), Forecast{Forecast::Unknown, 0};
      here += size;
      continue;
    }
    // The previous copy dies early and the new one serves the rest.
    Handle reader = lastReaderBefore(s, slot);
    int32_t dies = slots[previous];
    if (reader != kNone)
      dies = std::max(dies, slots[reader]);
    addBytes(dies + 1, slot - 1, -size);
  }
  return forecast(here, kNone);
}

IncrementalSimulator::Forecast
IncrementalSimulator::forecastRemove(Handle handle) {
  if (!mayRemove(handle))
    return {Forecast::Illegal, 0};
  const Node &node = nodes[handle];
  const std::vector<Handle> &list = copies[node.op];
  if (!forecasts() || list.front() == handle)
    return {Forecast::Unknown, 0};
  for (StorageIndex s : trackedInputs[node.op]) {
    Handle copy = lookUpCopy(producers[s], slots[handle]);
    if (lastUse[nodes[copy].firstBuffer + resultIndex[s]] != handle)
      continue;
    Handle reader = lastReaderBefore(s, slots[handle]);
    int32_t dies = slots[copy];
    if (reader != kNone)
      dies = std::max(dies, slots[reader]);
    addBytes(dies + 1, slots[handle] - 1, -bytes[s]);
  }
  Handle previous = lookUpCopy(node.op, slots[handle]);
  for (size_t i = 0; i < results[node.op].size(); ++i) {
    if (lastUse[node.firstBuffer + i] == kNone)
      continue;
    int32_t end = endSlot(previous, nodes[previous].firstBuffer + int32_t(i));
    addBytes(end + 1, slots[handle] - 1, bytes[results[node.op][i]]);
  }
  return forecast(0, slots[handle]);
}

IncrementalSimulator::Forecast
IncrementalSimulator::forecastMove(Handle handle, Handle where) {
  if (where == kNone || !forecasts())
    return {Forecast::Unknown, 0};
  if (!mayMove(handle, where))
    return {Forecast::Illegal, 0};
  const Node &node = nodes[handle];
  const OpIndex op = node.op;
  const int32_t from = slots[handle], to = slots[where];
  if (where == handle || node.next == where)
    return {Forecast::Known, memory->overflow()};
  if (copies[op].size() > 1)
    return {Forecast::Unknown, 0};
  const bool later = to > from;
  double here = carriedInto(where) + workspace[op];
  double alive = 0, unread = 0;
  for (size_t i = 0; i < results[op].size(); ++i)
    (lastUse[node.firstBuffer + i] == kNone ? unread : alive) +=
        bytes[results[op][i]];
  // Moved later, its results are already among what is carried there.
  here += later ? unread : alive + unread;
  if (later)
    addBytes(from + 1, to - 1, -alive);
  else
    addBytes(to, from - 1, alive);
  for (StorageIndex s : trackedInputs[op]) {
    const std::vector<Handle> &sources = copies[producers[s]];
    Handle copy = sources.front();
    if (sources.size() > 1) {
      copy = lookUpCopy(producers[s], from);
      if (copy != lookUpCopy(producers[s], to))
        return pending.clear(), Forecast{Forecast::Unknown, 0};
    }
    double size = bytes[s];
    int32_t buffer = nodes[copy].firstBuffer + resultIndex[s];
    if (later) {
      int32_t end = endSlot(copy, buffer);
      if (end >= to)
        continue;
      addBytes(end + 1, to - 1, size);
      here += size;
    } else if (lastUse[buffer] == handle) {
      Handle reader = lastReaderBefore(s, from);
      int32_t dies = to - 1;
      if (reader != kNone)
        dies = std::max(dies, slots[reader]);
      addBytes(dies + 1, from - 1, -size);
    }
  }
  return forecast(here, from);
}

} // namespace ringi::planner
