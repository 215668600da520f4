//===- ScalarTrace.h - Integers of a loop, step by step ------- -*- C++ -*-===//
//
// Part of Ringi. Runs the integer scalars of a loop whose trip count is
// constant and notes what each holds. Row numbers, reversed counters, the
// normalisation of negative indices: whatever arithmetic makes them, two loops'
// rows are compared by their numbers.
//
// Limit: 16384 iterations.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_SCALARTRACE_H
#define RINGI_LIB_TRANSFORMS_SCALARTRACE_H

#include "CarriedLoop.h"

#include "ringi/Support/Expected.h"

#include "llvm/ADT/MapVector.h"

namespace ringi {

class ScalarTrace {
public:
  using Sequence = std::vector<int64_t>;

  /// The error's message says why the loop cannot be followed.
  static Expected<ScalarTrace> of(const CarriedLoop &loop,
                                  const OpModel &model);

  int64_t trips() const { return numTrips; }
  /// What `value`, a scalar that the body computes or reads, holds in each
  /// iteration; null when it is not known.
  const Sequence *find(mlir::Value value) const {
    auto it = sequences.find(value);
    return it == sequences.end() ? nullptr : &it->second;
  }
  /// In the order of the body.
  const llvm::MapVector<mlir::Value, Sequence> &all() const {
    return sequences;
  }

private:
  int64_t numTrips = 0;
  llvm::MapVector<mlir::Value, Sequence> sequences;
};

/// An integer or index, or a tensor of rank 0 of one.
bool isIntegerScalar(mlir::Type type);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_SCALARTRACE_H
