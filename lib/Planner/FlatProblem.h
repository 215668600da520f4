//===- FlatProblem.h - A problem in flat arrays -----------------*- C++ -*-===//
//
// Part of Ringi. The cut-based planners visit a step of a million ops many
// times; this lays the graph out once in contiguous arrays and settles what is
// the same for every plan: which ops may run again, and which storages live in
// bytes that are resident anyway.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_FLATPROBLEM_H
#define RINGI_LIB_PLANNER_FLATPROBLEM_H

#include "ringi/Planner/Problem.h"

namespace ringi::planner {

/// A run of indices inside one of FlatProblem's arrays.
struct IndexRange {
  const int32_t *first = nullptr, *last = nullptr;
  const int32_t *begin() const { return first; }
  const int32_t *end() const { return last; }
  int32_t size() const { return int32_t(last - first); }
  int32_t operator[](int32_t i) const { return first[i]; }
};

struct FlatProblem {
  explicit FlatProblem(const Problem &problem);

  const Problem *problem;
  int32_t numOps, numStorages;
  int64_t persistentBytes = 0;
  double totalCost = 0;

  std::vector<int32_t> inputBegin, inputIndex;
  std::vector<int32_t> outputBegin, outputIndex;
  std::vector<int32_t> readerBegin, readerIndex;
  std::vector<InPlacePair> pairs;
  std::vector<int32_t> pairBegin;

  std::vector<double> cost;
  std::vector<int64_t> workspace;
  /// The op may run a second time: recomputable, no result marked MustKeep,
  /// and it overwrites nothing that existed before the step.
  std::vector<uint8_t> rerunnable;

  std::vector<int32_t> producer;
  /// Bytes that a live copy adds: 0 for persistent storages and for results
  /// that are written over them.
  std::vector<int64_t> bytes;
  std::vector<uint8_t> persistent;
  std::vector<uint8_t> output;

  /// The first op outside the forward phase; numOps when there is none.
  OpIndex firstBackward = 0;

  IndexRange inputs(OpIndex op) const {
    return {&inputIndex[0] + inputBegin[op],
            &inputIndex[0] + inputBegin[op + 1]};
  }
  IndexRange outputs(OpIndex op) const {
    return {&outputIndex[0] + outputBegin[op],
            &outputIndex[0] + outputBegin[op + 1]};
  }
  IndexRange readers(StorageIndex s) const {
    return {&readerIndex[0] + readerBegin[s],
            &readerIndex[0] + readerBegin[s + 1]};
  }

  /// Between two consecutive needs of a storage lies a gap: gap 0 follows its
  /// computation, gap j its j-th reader, and the last one reaches to the end of
  /// the step. Gaps of all storages are numbered without holes.
  int32_t numGaps() const { return readerBegin[numStorages] + numStorages; }
  int32_t gap(StorageIndex s, int32_t reader) const {
    return readerBegin[s] + s + reader;
  }
  /// The gap of `s` in which the moment during `op` lies, the reader at `op`
  /// itself counting as past: a number in [0, number of readers].
  int32_t readersUpTo(StorageIndex s, OpIndex op) const;

  /// Bytes beside the persistent ones that no schedule avoids while `op` runs
  /// for the first time: inputs, results and workspace, an input that may be
  /// overwritten not counted.
  int64_t runBytes(OpIndex op) const;
  /// `op` may write one of its results over `input`.
  bool mayOverwrite(OpIndex op, StorageIndex input) const;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_FLATPROBLEM_H
