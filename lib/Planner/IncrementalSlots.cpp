//===- IncrementalSlots.cpp - Places for executions in a sparse array ---===//
//
// Part of Ringi. Executions hold slots of an array with free ones between them,
// so that an insertion moves few others; when room runs out all are spread
// anew.
//
//===----------------------------------------------------------------------===//

#include "IncrementalLookups.h"
#include "MemoryProfile.h"

namespace ringi::planner {

/// Gives every execution a new slot in an array of `size`, evenly spaced.
void IncrementalSimulator::respace(int32_t size) {
  std::vector<int32_t> oldSlots;
  std::vector<double> held;
  bool fresh = memory->size() == 0;
  if (!fresh)
    for (Handle h = kHead; h != kNone; h = nodes[h].next)
      held.push_back(memory->get(slots[h]));
  // Between two executions an empty slot holds what passes both by; the bytes
  // are rebuilt from the executions' own results.
  std::vector<double> carried;
  if (!fresh)
    for (Handle h = kHead; h != kNone; h = nodes[h].next) {
      double own =
          h == kHead ? 0 : workspace[nodes[h].op] - nodes[h].inPlaceDiscount;
      if (h != kHead)
        for (size_t i = 0; i < results[nodes[h].op].size(); ++i)
          own += bufferBytes(nodes[h].op, int32_t(i),
                             nodes[h].firstBuffer + int32_t(i));
      carried.push_back(held[carried.size()] - own);
    }
  double tail = fresh ? 0 : memory->get(memory->size() - 1);
  memory->reset(size, memory->limit());
  at.assign(size, kNone);
  int64_t index = 0, total = executionCount + 1;
  int32_t end = size - 1;
  std::vector<double> values(size, 0);
  for (Handle h = kHead; h != kNone; h = nodes[h].next, ++index) {
    int32_t slot = int32_t(index * (end - 1) / total);
    slots[h] = slot;
    at[slot] = h;
    if (fresh)
      continue;
    values[slot] = held[index];
    for (int32_t empty = slot - 1; empty >= 0 && at[empty] == kNone; --empty)
      values[empty] = carried[index];
  }
  if (!fresh)
    for (int32_t empty = end; empty >= 0 && at[empty] == kNone; --empty)
      values[empty] = tail;
  for (int32_t slot = 0; slot < size; ++slot)
    if (values[slot] != 0)
      memory->set(slot, values[slot]);
  for (Handle h = nodes[kHead].next; h != kNone; h = nodes[h].next)
    memory->setOccupied(slots[h], true);
}

/// \returns an empty slot right before `where`.
int32_t IncrementalSimulator::makeRoom(Handle where) {
  if (executionCount + executionCount / 4 + 8 > int32_t(at.size()))
    respace(2 * executionCount + 64);
  Handle previous = where == kNone ? nodes[kHead].prev : nodes[where].prev;
  // The last slot stays empty: it holds what leaves the step.
  int32_t low = slots[previous],
          high = where == kNone ? int32_t(at.size()) - 1 : slots[where];
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
      slots[at[slot]] = slot;
    }
    at[high] = kNone;
    memory->set(high, carried);
    return high;
  }
  memory->shift(left + 1, low, -1);
  for (int32_t slot = left; slot < low; ++slot) {
    at[slot] = at[slot + 1];
    slots[at[slot]] = slot;
  }
  at[low] = kNone;
  memory->set(low, carried);
  return low;
}

/// Bytes alive right before an execution: what passes it by or is read by it.
double IncrementalSimulator::carriedInto(Handle where) const {
  const Node &node = nodes[where];
  double carried =
      memory->get(slots[where]) + node.inPlaceDiscount - workspace[node.op];
  for (size_t i = 0; i < results[node.op].size(); ++i)
    carried -= bufferBytes(node.op, int32_t(i), node.firstBuffer + int32_t(i));
  return carried;
}

} // namespace ringi::planner
