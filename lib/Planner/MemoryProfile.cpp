//===- MemoryProfile.cpp - Bytes over slots under range adds --------------===//
//
// Part of Ringi. Everything of the profile but its inner loop.
//
//===----------------------------------------------------------------------===//

#include "MemoryProfile.h"

#include <algorithm>

namespace ringi::planner {

void MemoryProfile::reset(int32_t newSlots, double newLimit) {
  slots = newSlots;
  bound = newLimit;
  flat = slots <= kFlatLimit;
  totalAbove = 0;
  if (flat) {
    bytes.assign(slots, 0);
    weight.assign(slots, 0);
    most.clear();
    added.clear();
    return;
  }
  leaves = 1;
  while (leaves < slots)
    leaves *= 2;
  most.assign(2 * size_t(leaves), 0);
  added.assign(2 * size_t(leaves), 0);
}

void MemoryProfile::setLimit(double newLimit) {
  bound = newLimit;
  if (!flat)
    return;
  totalAbove = 0;
  for (int32_t slot = 0; slot < slots; ++slot)
    totalAbove += excess(slot);
}

double MemoryProfile::get(int32_t slot) const {
  if (flat)
    return bytes[slot];
  double sum = 0;
  for (int32_t node = slot + leaves; node >= 1; node >>= 1)
    sum += added[node];
  return sum;
}

void MemoryProfile::set(int32_t slot, double value) {
  if (!flat)
    return add(slot, slot, value - get(slot));
  totalAbove -= excess(slot);
  bytes[slot] = value;
  totalAbove += excess(slot);
}

void MemoryProfile::setOccupied(int32_t slot, bool occupied) {
  if (!flat)
    return;
  totalAbove -= excess(slot);
  weight[slot] = occupied ? 1 : 0;
  totalAbove += excess(slot);
}

void MemoryProfile::shift(int32_t first, int32_t last, int32_t step) {
  if (flat) {
    int32_t hole = step > 0 ? first : last;
    if (step > 0)
      std::move_backward(bytes.begin() + first, bytes.begin() + last + 1,
                         bytes.begin() + last + 2);
    else
      std::move(bytes.begin() + first, bytes.begin() + last + 1,
                bytes.begin() + first - 1);
    if (step > 0)
      std::move_backward(weight.begin() + first, weight.begin() + last + 1,
                         weight.begin() + last + 2);
    else
      std::move(weight.begin() + first, weight.begin() + last + 1,
                weight.begin() + first - 1);
    weight[hole] = 0;
    return;
  }
  if (step > 0)
    for (int32_t slot = last; slot >= first; --slot)
      set(slot + 1, get(slot));
  else
    for (int32_t slot = first; slot <= last; ++slot)
      set(slot - 1, get(slot));
}

double MemoryProfile::peak() const {
  if (!flat)
    return most[1];
  double peak = 0;
  for (int32_t slot = 0; slot < slots; ++slot)
    peak = std::max(peak, weight[slot] * bytes[slot]);
  return peak;
}

} // namespace ringi::planner
