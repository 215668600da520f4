//===- IncrementalSimulator.cpp - A schedule under edit -------------------===//
//
// Part of Ringi. Executions hold slots of a sparse array; an edit collects the
// byte changes it causes as differences over slots, which are applied in one
// sweep, so that what cancels costs nothing.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/IncrementalSimulator.h"

#include "MemoryProfile.h"

#include <algorithm>

namespace ringi::planner {

IncrementalSimulator::~IncrementalSimulator() = default;

void IncrementalSimulator::sortChanges(std::vector<Change> &changes) {
  // Few entries: insertion sort beats std::sort.
  for (size_t i = 1; i < changes.size(); ++i) {
    Change change = changes[i];
    size_t j = i;
    for (; j > 0 && changes[j - 1].slot > change.slot; --j)
      changes[j] = changes[j - 1];
    changes[j] = change;
  }
}

IncrementalSimulator::IncrementalSimulator(const Problem &problem,
                                           const Plan &plan, int64_t budget)
    : problem(problem), entry(OpIndex(problem.ops.size())),
      memory(std::make_unique<MemoryProfile>()) {
  const size_t n = problem.ops.size(), m = problem.storages.size();
  results.resize(n + 1);
  trackedInputs.resize(n + 1);
  copies.resize(n + 1);
  freeNodes.resize(n + 1);
  readers.resize(m);
  tracked.assign(m, false);
  producers.assign(m, kNone);
  resultIndex.assign(m, 0);
  overwriter.assign(m, kNone);
  repeatedIndex.assign(n + 1, kNone);

  std::vector<char> isRead(m, false);
  for (OpIndex op = 0; op < entry; ++op) {
    for (StorageIndex s : problem.ops[op].inputs)
      isRead[s] = true;
    for (const InPlacePair &pair : problem.ops[op].inPlace) {
      anyInPlace = true;
      if (pair.required)
        overwriter[pair.input] = op;
    }
  }
  double base = 0;
  for (StorageIndex s = 0; s < StorageIndex(m); ++s) {
    const Storage &storage = problem.storages[s];
    producers[s] = storage.producer != kNone ? storage.producer : entry;
    if (storage.persistent || (storage.producer == kNone && storage.output))
      base += double(storage.bytes);
    else
      tracked[s] = storage.producer != kNone || isRead[s];
    if (storage.producer == kNone && tracked[s]) {
      resultIndex[s] = int32_t(results[entry].size());
      results[entry].push_back(s);
    }
  }
  for (OpIndex op = 0; op < entry; ++op) {
    results[op] = problem.ops[op].outputs;
    for (size_t i = 0; i < results[op].size(); ++i)
      resultIndex[results[op][i]] = int32_t(i);
    for (StorageIndex s : problem.ops[op].inputs)
      // Overwritten storages are followed although their bytes are constant:
      // nothing may read them after the overwrite.
      if (tracked[s] || overwriter[s] != kNone)
        trackedInputs[op].push_back(s);
  }

  Node head;
  head.op = entry;
  nodes.push_back(head);
  lastUse.assign(results[entry].size(), kNone);
  livesInPersistent.assign(results[entry].size(), false);
  copies[entry].push_back(kHead);

  std::vector<Handle> order;
  for (const Execution &execution : plan.schedule) {
    Handle handle = makeNode(execution.op);
    order.push_back(handle);
    copies[execution.op].push_back(handle);
    countCopies(execution.op, true);
    for (StorageIndex s : trackedInputs[execution.op])
      readers[s].push_back(handle);
  }
  executionCount = int32_t(order.size());
  Handle last = kHead;
  for (Handle handle : order) {
    nodes[handle].prev = last;
    nodes[last].next = handle;
    last = handle;
  }
  nodes[last].next = kNone;
  nodes[kHead].prev = last;

  memory->reset(0, double(budget));
  respace(2 * executionCount + 64);
  memory->add(0, int32_t(at.size()) - 1, base);
  for (Handle handle = kHead; handle != kNone; handle = nodes[handle].next) {
    const Node &node = nodes[handle];
    for (size_t i = 0; i < results[node.op].size(); ++i) {
      addBytes(node.slot, node.slot,
               double(problem.storages[results[node.op][i]].bytes));
      refresh(handle, int32_t(i));
    }
    if (handle == kHead)
      continue;
    addBytes(node.slot, node.slot, double(problem.ops[node.op].workspace));
    mark(handle);
    flush();
  }
  refreshInPlace();
  flush();
}

IncrementalSimulator::Handle IncrementalSimulator::makeNode(OpIndex op) {
  if (!freeNodes[op].empty()) {
    Handle handle = freeNodes[op].back();
    freeNodes[op].pop_back();
    return handle;
  }
  Node node;
  node.op = op;
  node.firstBuffer = int32_t(lastUse.size());
  lastUse.resize(lastUse.size() + results[op].size(), kNone);
  livesInPersistent.resize(lastUse.size(), false);
  nodes.push_back(node);
  return Handle(nodes.size() - 1);
}

int64_t IncrementalSimulator::peak() const { return int64_t(memory->peak()); }
int64_t IncrementalSimulator::resident(Handle handle) const {
  return int64_t(memory->get(nodes[handle].slot));
}
double IncrementalSimulator::overflow() const { return memory->overflow(); }
void IncrementalSimulator::setBudget(int64_t budget) {
  memory->setLimit(double(budget));
}

IncrementalSimulator::Handle
IncrementalSimulator::atOrAfter(int32_t slot) const {
  for (; slot < int32_t(at.size()); ++slot)
    if (at[slot] > kHead)
      return at[slot];
  return kNone;
}

/// The latest execution of `op` before the slot; kNone if none.
IncrementalSimulator::Handle
IncrementalSimulator::lookUpCopy(OpIndex op, int32_t slot) const {
  const std::vector<Handle> &list = copies[op];
  for (size_t i = list.size(); i-- > 0;)
    if (nodes[list[i]].slot < slot)
      return list[i];
  return kNone;
}

IncrementalSimulator::Handle
IncrementalSimulator::lastReaderBefore(StorageIndex storage,
                                       int32_t slot) const {
  const std::vector<Handle> &list = readers[storage];
  size_t low = 0, high = list.size();
  while (low < high) {
    size_t middle = (low + high) / 2;
    if (nodes[list[middle]].slot < slot)
      low = middle + 1;
    else
      high = middle;
  }
  return low == 0 ? kNone : list[low - 1];
}

IncrementalSimulator::Handle IncrementalSimulator::source(StorageIndex storage,
                                                          Handle reader) const {
  Handle copy = lookUpCopy(producers[storage], nodes[reader].slot);
  return copy == kHead ? kNone : copy;
}

IncrementalSimulator::Handle
IncrementalSimulator::lastUseBefore(StorageIndex storage, Handle where) const {
  int32_t slot = where == kNone ? int32_t(at.size()) : nodes[where].slot;
  Handle copy = lookUpCopy(producers[storage], slot);
  if (copy == kNone)
    return kNone;
  Handle reader = lastReaderBefore(storage, slot);
  return reader != kNone && nodes[reader].slot > nodes[copy].slot ? reader
                                                                  : copy;
}

IncrementalSimulator::Handle
IncrementalSimulator::firstReader(StorageIndex storage, Handle copy) const {
  const std::vector<Handle> &list = readers[storage];
  auto it = std::upper_bound(
      list.begin(), list.end(), nodes[copy].slot,
      [&](int32_t slot, Handle reader) { return slot < nodes[reader].slot; });
  return it == list.end() || source(storage, *it) != copy ? kNone : *it;
}

bool IncrementalSimulator::isUseless(Handle handle) const {
  const Node &node = nodes[handle];
  for (size_t i = 0; i < results[node.op].size(); ++i)
    if (lastUse[node.firstBuffer + i] != kNone)
      return false;
  return true;
}

/// Last slot at which the buffer occupies memory.
int32_t IncrementalSimulator::endSlot(Handle handle, int32_t buffer) const {
  Handle last = lastUse[buffer];
  if (last == kNone)
    return nodes[handle].slot;
  return last == kEnd ? int32_t(at.size()) - 1 : nodes[last].slot;
}

double IncrementalSimulator::bufferBytes(OpIndex op, int32_t index,
                                         int32_t buffer) const {
  return livesInPersistent[buffer]
             ? 0
             : double(problem.storages[results[op][index]].bytes);
}

void IncrementalSimulator::addBytes(int32_t first, int32_t last, double delta) {
  if (first > last || delta == 0)
    return;
  pending.push_back({first, delta});
  pending.push_back({last + 1, -delta});
}

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
    last =
        lastReaderBefore(storage, i + 1 < list.size() ? nodes[list[i + 1]].slot
                                                      : int32_t(at.size()));
    if (last != kNone && nodes[last].slot <= node.slot)
      last = kNone;
  }
  Handle old = lastUse[buffer];
  if (old == last)
    return;
  int32_t oldEnd = endSlot(handle, buffer);
  lastUse[buffer] = last;
  int32_t newEnd = endSlot(handle, buffer);
  double bytes = bufferBytes(node.op, index, buffer);
  if (newEnd > oldEnd)
    addBytes(oldEnd + 1, newEnd, bytes);
  else
    addBytes(newEnd + 1, oldEnd, -bytes);
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

/// Follows the cost and the list of repeated ops after the op's list of copies
/// grew or shrank by one.
void IncrementalSimulator::countCopies(OpIndex op, bool grew) {
  size_t count = copies[op].size();
  if (grew && count > 1)
    extraCost += problem.ops[op].cost;
  if (!grew && count > 0)
    extraCost -= problem.ops[op].cost;
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

/// Decides the in-place pairs of the marked executions as simulate() does.
void IncrementalSimulator::refreshInPlace() {
  while (!markedNodes.empty()) {
    Handle handle = markedNodes.back();
    markedNodes.pop_back();
    Node &node = nodes[handle];
    node.marked = false;
    if (at[node.slot] != handle)
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
        Handle copy = lookUpCopy(producers[pair.input], node.slot);
        int32_t buffer = nodes[copy].firstBuffer + resultIndex[pair.input];
        if (lastUse[buffer] != handle)
          continue;
        if (livesInPersistent[buffer])
          inPersistent[target] = true;
        else
          discount += double(problem.storages[pair.output].bytes);
      }
      taken.push_back(pair.input);
      taken.push_back(pair.output);
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      int32_t buffer = node.firstBuffer + int32_t(i);
      if (bool(livesInPersistent[buffer]) == bool(inPersistent[i]))
        continue;
      double bytes = double(problem.storages[op.outputs[i]].bytes);
      livesInPersistent[buffer] = inPersistent[i];
      addBytes(node.slot, endSlot(handle, buffer),
               inPersistent[i] ? -bytes : bytes);
      if (lastUse[buffer] != handle)
        mark(lastUse[buffer]);
    }
    addBytes(node.slot, node.slot, node.inPlaceDiscount - discount);
    node.inPlaceDiscount = discount;
  }
}

/// Gives every execution a new slot in an array of `slots`, evenly spaced.
void IncrementalSimulator::respace(int32_t slots) {
  std::vector<int32_t> oldSlots;
  std::vector<double> bytes;
  bool fresh = memory->size() == 0;
  if (!fresh)
    for (Handle h = kHead; h != kNone; h = nodes[h].next)
      bytes.push_back(memory->get(nodes[h].slot));
  // Between two executions an empty slot holds what passes both by; the bytes
  // are rebuilt from the executions' own results.
  std::vector<double> carried;
  if (!fresh)
    for (Handle h = kHead; h != kNone; h = nodes[h].next) {
      double own = h == kHead ? 0
                              : double(problem.ops[nodes[h].op].workspace) -
                                    nodes[h].inPlaceDiscount;
      if (h != kHead)
        for (size_t i = 0; i < results[nodes[h].op].size(); ++i)
          own += bufferBytes(nodes[h].op, int32_t(i),
                             nodes[h].firstBuffer + int32_t(i));
      carried.push_back(bytes[carried.size()] - own);
    }
  double tail = fresh ? 0 : memory->get(memory->size() - 1);
  memory->reset(slots, memory->limit());
  at.assign(slots, kNone);
  int64_t index = 0, total = executionCount + 1;
  int32_t end = slots - 1;
  std::vector<double> values(slots, 0);
  for (Handle h = kHead; h != kNone; h = nodes[h].next, ++index) {
    int32_t slot = int32_t(index * (end - 1) / total);
    nodes[h].slot = slot;
    at[slot] = h;
    if (fresh)
      continue;
    values[slot] = bytes[index];
    for (int32_t empty = slot - 1; empty >= 0 && at[empty] == kNone; --empty)
      values[empty] = carried[index];
  }
  if (!fresh)
    for (int32_t empty = end; empty >= 0 && at[empty] == kNone; --empty)
      values[empty] = tail;
  for (int32_t slot = 0; slot < slots; ++slot)
    if (values[slot] != 0)
      memory->set(slot, values[slot]);
  for (Handle h = nodes[kHead].next; h != kNone; h = nodes[h].next)
    memory->setOccupied(nodes[h].slot, true);
}

/// \returns an empty slot right before `where`.
int32_t IncrementalSimulator::makeRoom(Handle where) {
  if (executionCount + executionCount / 4 + 8 > int32_t(at.size()))
    respace(2 * executionCount + 64);
  Handle previous = where == kNone ? nodes[kHead].prev : nodes[where].prev;
  // The last slot stays empty: it holds what leaves the step.
  int32_t low = nodes[previous].slot,
          high = where == kNone ? int32_t(at.size()) - 1 : nodes[where].slot;
  if (high - low > 1)
    return low + (high - low) / 2;
  if (where == kNone) {
    respace(2 * executionCount + 64);
    return makeRoom(where);
  }
  int32_t right = high, left = low;
  int32_t size = int32_t(at.size()) - 1;
  while (true) {
    bool canRight = right < size, canLeft = left > 0;
    if (!canRight && !canLeft) {
      respace(2 * int32_t(at.size()));
      return makeRoom(where);
    }
    if (canRight && at[right] == kNone)
      break;
    if (canLeft && at[left] == kNone) {
      right = kNone;
      break;
    }
    right += canRight;
    left -= canLeft;
  }
  double carried = carriedInto(where);
  if (right != kNone) {
    memory->shift(high, right - 1, +1);
    for (int32_t slot = right; slot > high; --slot) {
      at[slot] = at[slot - 1];
      nodes[at[slot]].slot = slot;
    }
    at[high] = kNone;
    memory->set(high, carried);
    return high;
  }
  memory->shift(left + 1, low, -1);
  for (int32_t slot = left; slot < low; ++slot) {
    at[slot] = at[slot + 1];
    nodes[at[slot]].slot = slot;
  }
  at[low] = kNone;
  memory->set(low, carried);
  return low;
}

/// Bytes alive right before an execution: what passes it by or is read by it.
double IncrementalSimulator::carriedInto(Handle where) const {
  const Node &node = nodes[where];
  double carried = memory->get(node.slot) + node.inPlaceDiscount -
                   double(problem.ops[node.op].workspace);
  for (size_t i = 0; i < results[node.op].size(); ++i)
    carried -= bufferBytes(node.op, int32_t(i), node.firstBuffer + int32_t(i));
  return carried;
}

/// Gives the execution its place in all lists and its bytes at its own slot.
void IncrementalSimulator::link(Handle handle, int32_t slot, Handle where) {
  Node &node = nodes[handle];
  node.slot = slot;
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
    for (; i > 0 && nodes[list[i - 1]].slot > slot; --i)
      list[i] = list[i - 1];
    list[i] = handle;
    return i;
  };
  size_t index = place(copies[node.op]);
  countCopies(node.op, true);
  for (StorageIndex s : trackedInputs[node.op])
    place(readers[s]);
  memory->setOccupied(slot, true);
  addBytes(slot, slot, double(problem.ops[node.op].workspace));
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
  addBytes(node.slot, node.slot,
           node.inPlaceDiscount - double(problem.ops[node.op].workspace));
  node.inPlaceDiscount = 0;
  for (int32_t i = 0; i < int32_t(results[node.op].size()); ++i) {
    int32_t buffer = node.firstBuffer + i;
    addBytes(node.slot, endSlot(handle, buffer),
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
  refreshInputs(node.op, node.slot);
  memory->setOccupied(node.slot, false);
  at[node.slot] = kNone;
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
        (sources.empty() || nodes[sources.front()].slot >= slot))
      return false;
    if (overwriter[s] == kNone)
      continue;
    if (overwriter[s] != op) {
      for (Handle writer : copies[overwriter[s]])
        if (nodes[writer].slot < slot)
          return false;
    } else {
      // The overwrite itself comes after every other reader.
      const std::vector<Handle> &list = readers[s];
      for (size_t i = list.size(); i-- > 0 && nodes[list[i]].slot >= slot;)
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
    if (lastReaderBefore(s, nodes[list[1]].slot) != kNone)
      return false;
  return true;
}

bool IncrementalSimulator::mayMove(Handle handle, Handle where) const {
  const Node &node = nodes[handle];
  int32_t slot = where == kNone ? int32_t(at.size()) : nodes[where].slot;
  if (!mayRunAt(node.op, slot, handle))
    return false;
  const std::vector<Handle> &list = copies[node.op];
  if (list.front() != handle || slot < node.slot)
    return true;
  // Readers before the new place need another copy.
  int32_t until = list.size() > 1 ? std::min(slot, nodes[list[1]].slot) : slot;
  for (StorageIndex s : results[node.op])
    if (lastReaderBefore(s, until) != kNone)
      return false;
  return true;
}

IncrementalSimulator::Handle IncrementalSimulator::insert(OpIndex op,
                                                          Handle where) {
  if (!mayRepeat(op) ||
      !mayRunAt(op, where == kNone ? int32_t(at.size()) : nodes[where].slot,
                kNone))
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
      double bytes = memory->get(freedSlot);
      overflow -= memory->above(bytes + now) - memory->above(bytes);
    }
  }
  pending.clear();
  return {Forecast::Known, overflow};
}

IncrementalSimulator::Forecast
IncrementalSimulator::forecastInsert(OpIndex op, Handle where) {
  if (where == kNone || !forecasts())
    return {Forecast::Unknown, 0};
  int32_t slot = nodes[where].slot;
  if (!mayRepeat(op) || !mayRunAt(op, slot, kNone))
    return {Forecast::Illegal, 0};
  double here = carriedInto(where) + double(problem.ops[op].workspace);
  for (StorageIndex s : trackedInputs[op]) {
    Handle copy = lookUpCopy(producers[s], slot);
    int32_t end = endSlot(copy, nodes[copy].firstBuffer + resultIndex[s]);
    if (end >= slot)
      continue;
    double bytes = double(problem.storages[s].bytes);
    addBytes(end + 1, slot - 1, bytes);
    here += bytes;
  }
  Handle previous = lookUpCopy(op, slot);
  for (size_t i = 0; i < results[op].size(); ++i) {
    StorageIndex s = results[op][i];
    double bytes = double(problem.storages[s].bytes);
    int32_t end =
        previous == kNone
            ? kNone
            : endSlot(previous, nodes[previous].firstBuffer + int32_t(i));
    if (end < slot) {
      // Before the first copy, or nobody reads it from here on.
      if (previous == kNone)
        return pending.clear(), Forecast{Forecast::Unknown, 0};
      here += bytes;
      continue;
    }
    // The previous copy dies early and the new one serves the rest.
    Handle reader = lastReaderBefore(s, slot);
    int32_t dies = nodes[previous].slot;
    if (reader != kNone)
      dies = std::max(dies, nodes[reader].slot);
    addBytes(dies + 1, slot - 1, -bytes);
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
    Handle copy = lookUpCopy(producers[s], node.slot);
    if (lastUse[nodes[copy].firstBuffer + resultIndex[s]] != handle)
      continue;
    Handle reader = lastReaderBefore(s, node.slot);
    int32_t dies = nodes[copy].slot;
    if (reader != kNone)
      dies = std::max(dies, nodes[reader].slot);
    addBytes(dies + 1, node.slot - 1, -double(problem.storages[s].bytes));
  }
  Handle previous = lookUpCopy(node.op, node.slot);
  for (size_t i = 0; i < results[node.op].size(); ++i) {
    if (lastUse[node.firstBuffer + i] == kNone)
      continue;
    int32_t end = endSlot(previous, nodes[previous].firstBuffer + int32_t(i));
    addBytes(end + 1, node.slot - 1,
             double(problem.storages[results[node.op][i]].bytes));
  }
  return forecast(0, node.slot);
}

IncrementalSimulator::Forecast
IncrementalSimulator::forecastMove(Handle handle, Handle where) {
  if (where == kNone || !forecasts())
    return {Forecast::Unknown, 0};
  if (!mayMove(handle, where))
    return {Forecast::Illegal, 0};
  const Node &node = nodes[handle];
  const OpIndex op = node.op;
  const int32_t from = node.slot, to = nodes[where].slot;
  if (where == handle || node.next == where)
    return {Forecast::Known, memory->overflow()};
  if (copies[op].size() > 1)
    return {Forecast::Unknown, 0};
  const bool later = to > from;
  double here = carriedInto(where) + double(problem.ops[op].workspace);
  double alive = 0, unread = 0;
  for (size_t i = 0; i < results[op].size(); ++i)
    (lastUse[node.firstBuffer + i] == kNone ? unread : alive) +=
        double(problem.storages[results[op][i]].bytes);
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
    double bytes = double(problem.storages[s].bytes);
    int32_t buffer = nodes[copy].firstBuffer + resultIndex[s];
    if (later) {
      int32_t end = endSlot(copy, buffer);
      if (end >= to)
        continue;
      addBytes(end + 1, to - 1, bytes);
      here += bytes;
    } else if (lastUse[buffer] == handle) {
      Handle reader = lastReaderBefore(s, from);
      int32_t dies = to - 1;
      if (reader != kNone)
        dies = std::max(dies, nodes[reader].slot);
      addBytes(dies + 1, from - 1, -bytes);
    }
  }
  return forecast(here, from);
}

Plan IncrementalSimulator::toPlan() const {
  Plan plan;
  std::vector<ExecutionIndex> index(nodes.size(), kNone);
  std::vector<ExecutionIndex> latest(problem.ops.size(), kNone);
  for (Handle h = front(); h != kNone; h = nodes[h].next) {
    const Op &op = problem.ops[nodes[h].op];
    Execution execution;
    execution.op = nodes[h].op;
    for (StorageIndex s : op.inputs)
      execution.reads.push_back(producers[s] == entry ? kNone
                                                      : latest[producers[s]]);
    if (latest[execution.op] != kNone) {
      plan.claims.recomputeCost += op.cost;
      plan.claims.recomputeFlops += op.flops;
      ++plan.claims.recomputes;
    }
    latest[execution.op] = ExecutionIndex(plan.schedule.size());
    plan.schedule.push_back(std::move(execution));
  }
  for (StorageIndex s : outputStorages(problem))
    plan.outputs.push_back(latest[problem.storages[s].producer]);
  plan.claims.livePeak = peak();
  return plan;
}

} // namespace ringi::planner
