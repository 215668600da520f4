//===- MemoryProfile.h - Bytes over slots under range adds ------*- C++ -*-===//
//
// Part of Ringi. The memory of an incremental simulation: an array of slots
// with range add, and either the sum of bytes above a limit (few slots: a flat
// array, one vectorised pass per range) or the maximum (many slots: a
// range-add/range-max segment tree, O(log n)).
//
// Doubles hold byte counts exactly up to 2^53; searches verify their result
// with the integer simulator.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_MEMORYPROFILE_H
#define RINGI_LIB_PLANNER_MEMORYPROFILE_H

#include <cstdint>
#include <vector>

namespace ringi::planner {

class MemoryProfile {
public:
  /// Up to this many slots the flat array is faster than the tree, and it
  /// knows how much lies above the limit, not only the worst place.
  static constexpr int32_t kFlatLimit = 8192;

  /// All slots empty, with 0 bytes.
  void reset(int32_t slots, double newLimit);
  int32_t size() const { return slots; }

  void setLimit(double newLimit);
  double limit() const { return bound; }

  /// Adds `delta` to the slots of [first, last].
  void add(int32_t first, int32_t last, double delta);
  /// By how much add() would change overflow(). Flat array only.
  double changeOf(int32_t first, int32_t last, double delta) const;
  /// Bytes above the limit of an occupied slot. Flat array only.
  double above(double value) const { return value > bound ? value - bound : 0; }
  bool isFlat() const { return flat; }
  double get(int32_t slot) const;
  void set(int32_t slot, double value);
  /// Empty slots count neither for the peak nor for the overflow of the flat
  /// array. The tree counts them: an empty slot never holds more than the next
  /// occupied one.
  void setOccupied(int32_t slot, bool occupied);
  /// Moves the contents of [first, last] by one slot to the right (step = 1)
  /// or left (step = -1) over an empty slot; the slot left behind is empty and
  /// keeps its bytes.
  void shift(int32_t first, int32_t last, int32_t step);

  double peak() const;
  double overflow() const {
    return flat ? totalAbove : (peak() > bound ? peak() - bound : 0);
  }

private:
  void addFlat(int32_t first, int32_t last, double delta);
  double excess(int32_t slot) const {
    double over = bytes[slot] - bound;
    return over > 0 ? weight[slot] * over : 0;
  }

  int32_t slots = 0;
  bool flat = true;
  double bound = 0;
  double totalAbove = 0;
  std::vector<double> bytes, weight;
  // Segment tree: max of a node's subtree relative to its ancestors, and what
  // was added to the whole node.
  int32_t leaves = 0;
  std::vector<double> most, added;
};

/// Two slots at a time, which every 64-bit machine has registers for.
using Lanes = double __attribute__((vector_size(16), aligned(8)));
using LaneMask = int64_t __attribute__((vector_size(16)));

inline Lanes positivePart(Lanes value) {
  // Where the comparison holds, its mask has all bits set.
  return Lanes(LaneMask(value) & (value > 0.0));
}

inline double MemoryProfile::changeOf(int32_t first, int32_t last,
                                      double delta) const {
  const double *b = bytes.data(), *w = weight.data();
  Lanes sums[2] = {{0, 0}, {0, 0}};
  int32_t i = first;
  for (; i + 3 <= last; i += 4)
    for (int32_t k = 0; k < 2; ++k) {
      Lanes before = *reinterpret_cast<const Lanes *>(b + i + 2 * k) - bound;
      sums[k] += *reinterpret_cast<const Lanes *>(w + i + 2 * k) *
                 (positivePart(before + delta) - positivePart(before));
    }
  double change = sums[0][0] + sums[0][1] + sums[1][0] + sums[1][1];
  for (; i <= last; ++i)
    change += w[i] * (above(b[i] + delta) - above(b[i]));
  return change;
}

/// changeOf() and the addition in one pass.
inline void MemoryProfile::addFlat(int32_t first, int32_t last, double delta) {
  double *b = bytes.data();
  const double *w = weight.data();
  Lanes sums[2] = {{0, 0}, {0, 0}};
  int32_t i = first;
  for (; i + 3 <= last; i += 4)
    for (int32_t k = 0; k < 2; ++k) {
      Lanes *here = reinterpret_cast<Lanes *>(b + i + 2 * k);
      Lanes before = *here, after = before + delta;
      sums[k] += *reinterpret_cast<const Lanes *>(w + i + 2 * k) *
                 (positivePart(after - bound) - positivePart(before - bound));
      *here = after;
    }
  totalAbove += sums[0][0] + sums[0][1] + sums[1][0] + sums[1][1];
  for (; i <= last; ++i) {
    totalAbove += w[i] * (above(b[i] + delta) - above(b[i]));
    b[i] += delta;
  }
}

inline void MemoryProfile::add(int32_t first, int32_t last, double delta) {
  if (first > last || delta == 0)
    return;
  if (flat) {
    addFlat(first, last, delta);
    return;
  }
  int32_t l = first + leaves, r = last + leaves;
  int32_t l0 = l, r0 = r;
  for (++r; l < r; l >>= 1, r >>= 1) {
    if (l & 1) {
      most[l] += delta;
      added[l++] += delta;
    }
    if (r & 1) {
      most[--r] += delta;
      added[r] += delta;
    }
  }
  auto pull = [&](int32_t node) {
    for (node >>= 1; node >= 1; node >>= 1) {
      double a = most[2 * node], c = most[2 * node + 1];
      most[node] = (a > c ? a : c) + added[node];
    }
  };
  pull(l0);
  pull(r0);
}

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_MEMORYPROFILE_H
