//===- SnapshotCut.h - What memory holds while one op runs ------*- C++ -*-===//
//
// Part of Ringi. The network behind the snapshot bound and the priced cut: when
// op t first runs, memory holds some set H beside what t itself reads and
// writes; what later ops need and memory lacks must be computed again, and its
// inputs in turn. At a price per held byte the best H is a minimum cut.
// docs/snapshot-bound-proof.md derives it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_SNAPSHOTCUT_H
#define RINGI_LIB_PLANNER_SNAPSHOTCUT_H

#include "FlatProblem.h"
#include "ringi/Planner/MinCut.h"
#include "ringi/Planner/Strategies.h"

namespace ringi::planner {

class SnapshotCut {
public:
  /// \param pinned ops that may not run again beside those the problem says;
  /// empty for none.
  SnapshotCut(const FlatProblem &flat, OpIndex stage, Order order,
              const std::vector<uint8_t> &pinned = {});

  OpIndex stage() const { return at; }
  /// Bytes resident during the stage whatever is held: persistent ones and the
  /// op's own.
  int64_t fixedBytes() const { return fixed; }
  /// Bytes held when nothing is recomputed.
  int64_t allBytes() const { return directBytes; }

  /// One minimum cut.
  struct Solution {
    double price = 0;
    /// Lower bound on recompute cost + price x held bytes over all H, exact to
    /// rounding, rounded down.
    double value = 0;
    /// The cut's own split of it.
    double cost = 0;
    int64_t heldBytes = 0;
  };

  /// Prices every held byte equally.
  Solution solve(double price);
  /// As solve(), with the bytes of storage s weighed by weight[s] >= 0.
  Solution solveWeighted(double price, const std::vector<double> &weight);
  /// The cut that holds all that later ops need, for price 0.
  Solution keepAll() const;

  /// Least bytes that any set H holds when recomputing is free: what cannot be
  /// recomputed forces them. Exact.
  int64_t leastHeldBytes();

  /// Of the last solution: later ops need the storage (directly or for a
  /// replay) and it is held / its op runs again. Storages and ops outside the
  /// network answer false.
  bool isHeld(StorageIndex s) const;
  bool isRecomputed(OpIndex op) const;

  /// Storages that may be held and ops that may run again.
  const std::vector<StorageIndex> &storages() const { return storageList; }
  const std::vector<OpIndex> &ops() const { return opList; }

private:
  Solution run(double price, const double *weight);
  void visit(StorageIndex s, bool direct);

  const FlatProblem &flat;
  OpIndex at;
  int64_t fixed = 0, directBytes = 0;
  /// Cost units are scaled to integers by this.
  double scale = 1;
  int64_t capacityLimit = 0;

  std::vector<int32_t> storageNode, opNode;
  std::vector<StorageIndex> storageList, directList;
  std::vector<OpIndex> opList;
  std::vector<uint8_t> mayRerun;
  /// Per op: its cost here; 0 for ops that need not have run yet.
  std::vector<double> again;
  MinCut cut{0};
  std::vector<MinCut::Arc> holdArc;
  double lastPrice = -1;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_SNAPSHOTCUT_H
