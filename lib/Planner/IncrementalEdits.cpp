//===- IncrementalEdits.cpp - Insert, remove, move, roll back -----------===//
//
// Part of Ringi. The edits of IncrementalSimulator: which are legal, how they
// change the lists of copies and readers, and how they are taken back.
//
//===----------------------------------------------------------------------===//

#include "IncrementalLookups.h"
#include "MemoryProfile.h"

#include <algorithm>

namespace ringi::planner {

/// Follows the cost and the list of repeated ops after the op's list of copies
/// grew or shrank by one.
void IncrementalSimulator::countCopies(OpIndex op, bool grew) {
  size_t count = copies[op].size();
  if (grew && count > 1)
    extraCost += cost[op];
  if (!grew && count > 0)
    extraCost -= cost[op];
  bool listed = repeatedIndex[op] != kNone;
  if (count > 1 && !listed) {
    repeatedIndex[op] = int32_t(repeated.size());
    repeated.push_back(op);
  } else if (count <= 1 && listed) {
    int32_t index = repeatedIndex[op];
    repeated[index] = repeated.back();
    repeatedIndex[repeated[index]] = index;
    repeated.pop_back();
    repeatedIndex[op] = kNone;
  }
}

/// Gives the execution its place in all lists and its bytes at its own slot.
void IncrementalSimulator::link(Handle handle, int32_t slot, Handle where) {
  Node &node = nodes[handle];
  slots[handle] = slot;
  at[slot] = handle;
  Handle previous = where == kNone ? nodes[kHead].prev : nodes[where].prev;
  node.prev = previous;
  node.next = where;
  nodes[previous].next = handle;
  nodes[where == kNone ? kHead : where].prev = handle;
  ++executionCount;

  auto place = [&](std::vector<Handle> &list) {
    size_t i = list.size();
    list.push_back(handle);
    for (; i > 0 && slots[list[i - 1]] > slot; --i)
      list[i] = list[i - 1];
    list[i] = handle;
    return i;
  };
  size_t index = place(copies[node.op]);
  countCopies(node.op, true);
  for (StorageIndex s : trackedInputs[node.op])
    place(readers[s]);
  memory->setOccupied(slot, true);
  addBytes(slot, slot, workspace[node.op]);
  for (int32_t i = 0; i < int32_t(results[node.op].size()); ++i) {
    addBytes(slot, slot, bufferBytes(node.op, i, node.firstBuffer + i));
    refresh(handle, i);
    if (index > 0)
      refresh(copies[node.op][index - 1], i);
  }
  refreshInputs(node.op, slot);
  mark(handle);
}

void IncrementalSimulator::unlink(Handle handle) {
  Node &node = nodes[handle];
  addBytes(slots[handle], slots[handle],
           node.inPlaceDiscount - workspace[node.op]);
  node.inPlaceDiscount = 0;
  for (int32_t i = 0; i < int32_t(results[node.op].size()); ++i) {
    int32_t buffer = node.firstBuffer + i;
    addBytes(slots[handle], endSlot(handle, buffer),
             -bufferBytes(node.op, i, buffer));
    mark(lastUse[buffer]);
    lastUse[buffer] = kNone;
    livesInPersistent[buffer] = false;
  }
  auto take = [&](std::vector<Handle> &list) {
    auto it = std::find(list.begin(), list.end(), handle);
    size_t index = size_t(it - list.begin());
    list.erase(it);
    return index;
  };
  size_t index = take(copies[node.op]);
  countCopies(node.op, false);
  for (StorageIndex s : trackedInputs[node.op])
    take(readers[s]);
  if (index > 0)
    for (int32_t i = 0; i < int32_t(results[node.op].size()); ++i)
      refresh(copies[node.op][index - 1], i);
  refreshInputs(node.op, slots[handle]);
  memory->setOccupied(slots[handle], false);
  at[slots[handle]] = kNone;
  nodes[node.prev].next = node.next;
  nodes[node.next == kNone ? kHead : node.next].prev = node.prev;
  --executionCount;
}

/// Every input has a copy before the slot that is not overwritten there, not
/// counting the execution that is about to leave its place.
bool IncrementalSimulator::mayRunAt(OpIndex op, int32_t slot,
                                    Handle moving) const {
  for (StorageIndex s : problem.ops[op].inputs) {
    const std::vector<Handle> &sources = copies[producers[s]];
    if (producers[s] != entry &&
        (sources.empty() || slots[sources.front()] >= slot))
      return false;
    if (overwriter[s] == kNone)
      continue;
    if (overwriter[s] != op) {
      for (Handle writer : copies[overwriter[s]])
        if (slots[writer] < slot)
          return false;
    } else {
      // The overwrite itself comes after every other reader.
      const std::vector<Handle> &list = readers[s];
      for (size_t i = list.size(); i-- > 0 && slots[list[i]] >= slot;)
        if (list[i] != moving)
          return false;
    }
  }
  return true;
}

/// The op may be executed a second time.
bool IncrementalSimulator::mayRepeat(OpIndex op) const {
  if (copies[op].empty())
    return true;
  for (const InPlacePair &pair : problem.ops[op].inPlace)
    if (pair.required)
      return false;
  return problem.ops[op].recomputable;
}

/// No reader loses its only copy.
bool IncrementalSimulator::mayRemove(Handle handle) const {
  const Node &node = nodes[handle];
  const std::vector<Handle> &list = copies[node.op];
  if (list.size() == 1)
    return false;
  if (list.front() != handle)
    return true;
  for (StorageIndex s : results[node.op])
    if (lastReaderBefore(s, slots[list[1]]) != kNone)
      return false;
  return true;
}

bool IncrementalSimulator::mayMove(Handle handle, Handle where) const {
  const Node &node = nodes[handle];
  int32_t slot = where == kNone ? int32_t(at.size()) : slots[where];
  if (!mayRunAt(node.op, slot, handle))
    return false;
  const std::vector<Handle> &list = copies[node.op];
  if (list.front() != handle || slot < slots[handle])
    return true;
  // Readers before the new place need another copy.
  int32_t until = list.size() > 1 ? std::min(slot, slots[list[1]]) : slot;
  for (StorageIndex s : results[node.op])
    if (lastReaderBefore(s, until) != kNone)
      return false;
  return true;
}

IncrementalSimulator::Handle IncrementalSimulator::insert(OpIndex op,
                                                          Handle where) {
  if (!mayRepeat(op) ||
      !mayRunAt(op, where == kNone ? int32_t(at.size()) : slots[where], kNone))
    return kNone;
  Handle handle = makeNode(op);
  insertAt(handle, where);
  if (recording)
    journal.push_back({Edit::Inserted, handle, kNone});
  return handle;
}

void IncrementalSimulator::insertAt(Handle handle, Handle where) {
  int32_t slot = makeRoom(where);
  link(handle, slot, where);
  refreshInPlace();
  flush();
}

bool IncrementalSimulator::remove(Handle handle) {
  if (!mayRemove(handle))
    return false;
  Handle next = nodes[handle].next;
  unlink(handle);
  refreshInPlace();
  flush();
  if (recording)
    journal.push_back({Edit::Removed, handle, next});
  return true;
}

bool IncrementalSimulator::move(Handle handle, Handle where) {
  Handle next = nodes[handle].next;
  if (where == handle || next == where)
    return true;
  if (!mayMove(handle, where))
    return false;
  int32_t room = makeRoom(where);
  unlink(handle);
  link(handle, room, where);
  refreshInPlace();
  flush();
  if (recording)
    journal.push_back({Edit::Moved, handle, next});
  return true;
}

void IncrementalSimulator::rollback() {
  recording = false;
  for (size_t i = journal.size(); i-- > 0;) {
    const Edit &edit = journal[i];
    switch (edit.kind) {
    case Edit::Inserted:
      unlink(edit.handle);
      freeNodes[nodes[edit.handle].op].push_back(edit.handle);
      refreshInPlace();
      flush();
      break;
    case Edit::Removed:
      insertAt(edit.handle, edit.next);
      break;
    case Edit::Moved: {
      int32_t room = makeRoom(edit.next);
      unlink(edit.handle);
      link(edit.handle, room, edit.next);
      refreshInPlace();
      flush();
      break;
    }
    }
  }
  journal.clear();
  recording = true;
}

void IncrementalSimulator::commit() {
  for (const Edit &edit : journal)
    if (edit.kind == Edit::Removed)
      freeNodes[nodes[edit.handle].op].push_back(edit.handle);
  journal.clear();
}

} // namespace ringi::planner
