//===- ResidualCut.h - What a loop stacks for its reversal ------*- C++ -*-===//
//
// Part of Ringi. One iteration of a forward loop computes values that the
// backward loop needs. Each is either stored for every iteration, which costs
// bytes, or computed again in the backward loop from values that are there,
// which costs FLOPs.
//
// At a price per byte the best choice is a minimum cut (Picard 1976: closure
// with costs). The front is found by trying the slope between two known points,
// Eisner and Severance 1976. It holds the corners of the lower convex hull of
// bytes against FLOPs; a point between two corners is not found.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_RESIDUALCUT_H
#define RINGI_PLANNER_RESIDUALCUT_H

#include "ringi/Support/Expected.h"

#include <cstdint>
#include <vector>

namespace ringi::planner {

/// One iteration. Values that cost nothing to have in the backward loop are not
/// part of the problem.
struct ResidualProblem {
  struct Value {
    /// Bytes of storing it.
    int64_t bytes = 0;
    bool storable = false;
    /// The op that computes it, or -1.
    int32_t op = -1;
  };
  struct Op {
    double flops = 0;
    bool repeatable = false;
    /// Values that it reads.
    std::vector<int32_t> reads;
  };
  std::vector<Value> values;
  std::vector<Op> ops;
  /// Values that the backward loop needs.
  std::vector<int32_t> needed;
};

/// One consistent choice: every needed value is stored or computed by a
/// replayed op, and so is whatever a replayed op reads.
struct ResidualPoint {
  /// Ascending.
  std::vector<int32_t> stored, replayed;
  int64_t bytes = 0;
  double flops = 0;
};

/// Choices from the fewest FLOPs to the fewest bytes, each with fewer bytes and
/// more FLOPs than the one before. Sums are compared in units of 2^-28 of their
/// totals, so they are exact up to 2^28.
/// \returns a BadInput error for a needed value that can neither be stored nor
/// computed, and for indices out of range and negative sizes. Two minimum cuts
/// per point.
Expected<std::vector<ResidualPoint>>
residualFront(const ResidualProblem &problem);

} // namespace ringi::planner

#endif // RINGI_PLANNER_RESIDUALCUT_H
