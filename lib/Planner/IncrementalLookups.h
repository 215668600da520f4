//===- IncrementalLookups.h - Small steps of the simulator ------*- C++ -*-===//
//
// Part of Ringi. What every edit and every forecast of IncrementalSimulator
// asks many times: which copy a read takes, who reads last, how far a buffer
// reaches. Inline, since a search spends its time here.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_INCREMENTALLOOKUPS_H
#define RINGI_LIB_PLANNER_INCREMENTALLOOKUPS_H

#include "ringi/Planner/IncrementalSimulator.h"

namespace ringi::planner {

inline void IncrementalSimulator::sortChanges(std::vector<Change> &changes) {
  // Few entries: insertion sort beats std::sort.
  for (size_t i = 1; i < changes.size(); ++i) {
    Change change = changes[i];
    size_t j = i;
    for (; j > 0 && changes[j - 1].slot > change.slot; --j)
      changes[j] = changes[j - 1];
    changes[j] = change;
  }
}

/// The latest execution of `op` before the slot; kNone if none.
inline IncrementalSimulator::Handle
IncrementalSimulator::lookUpCopy(OpIndex op, int32_t slot) const {
  const std::vector<Handle> &list = copies[op];
  for (size_t i = list.size(); i-- > 0;)
    if (slots[list[i]] < slot)
      return list[i];
  return kNone;
}

inline IncrementalSimulator::Handle
IncrementalSimulator::lastReaderBefore(StorageIndex storage,
                                       int32_t slot) const {
  const std::vector<Handle> &list = readers[storage];
  size_t low = 0, high = list.size();
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (slots[list[middle]] < slot)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? kNone : list[low - 1];
}

/// Last slot at which the buffer occupies memory.
inline int32_t IncrementalSimulator::endSlot(Handle handle,
                                             int32_t buffer) const {
  Handle last = lastUse[buffer];
  if (last == kNone)
    return slots[handle];
  return last == kEnd ? int32_t(at.size()) - 1 : slots[last];
}

inline double IncrementalSimulator::bufferBytes(OpIndex op, int32_t index,
                                                int32_t buffer) const {
  return livesInPersistent[buffer] ? 0 : bytes[results[op][index]];
}

inline void IncrementalSimulator::addBytes(int32_t first, int32_t last,
                                           double delta) {
  if (first > last || delta == 0)
    return;
  pending.push_back({first, delta});
  pending.push_back({last + 1, -delta});
}

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_INCREMENTALLOOKUPS_H
