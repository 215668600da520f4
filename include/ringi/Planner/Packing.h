//===- Packing.h - Arena offsets for buffers with lifetimes --- -*- C++ -*-===//
//
// Part of Ringi. Dynamic storage allocation: gives each buffer an offset so
// that buffers alive at the same time do not overlap, with the least height
// found, and says whether it is proven least.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_PACKING_H
#define RINGI_PLANNER_PACKING_H

#include "ringi/Support/Expected.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ringi::planner {

/// A buffer to place: bytes over the half-open time interval [lower, upper).
struct PackItem {
  int64_t lower = 0, upper = 0;
  int64_t bytes = 0;
  /// A fixed offset (a persistent slot that other plans share), or -1.
  int64_t fixedOffset = -1;
};

struct PackOptions {
  /// Search nodes of the exact phase; 0 runs the heuristics only. Never
  /// seconds: the result does not depend on the clock.
  int64_t effort = 200000;
  /// Stop as soon as a packing of at most this height is found; 0 aims at the
  /// lower bound.
  int64_t capacity = 0;
  /// Offsets are multiples of this (bytes need not be).
  int64_t alignment = 1;
};

struct PackResult {
  /// Parallel to the items.
  std::vector<int64_t> offsets;
  /// max(offset + bytes): the planned peak P.
  int64_t height = 0;
  /// Live peak LB: max over time of the sum of bytes alive.
  int64_t lowerBound = 0;
  /// height is proven least (it equals a lower bound, or the search was
  /// exhausted).
  bool optimal = false;
  /// Which heuristic or search found it, for reports.
  std::string method;
};

/// Packs `items`: heuristics by size, start, length and area with best fit,
/// then exact branch and bound (canonical solutions, section bounds) under
/// `options.effort`. Deterministic.
///
/// \returns an error for negative sizes, lower > upper, overflow, or fixed
/// offsets that collide. Items with bytes 0 or an empty lifetime get offset 0.
Expected<PackResult> pack(const std::vector<PackItem> &items,
                          const PackOptions &options = {});

/// Independent check of offsets: the first overlapping pair or offset out of
/// place is named in the error.
Status verifyPacking(const std::vector<PackItem> &items,
                     const std::vector<int64_t> &offsets, int64_t height);

} // namespace ringi::planner

#endif // RINGI_PLANNER_PACKING_H
