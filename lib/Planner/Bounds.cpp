//===- Bounds.cpp - How near the optimum a plan must be ---------*- C++ -*-===//
//
// Part of Ringi. Takes the larger certificate; the floor is the snapshot
// argument with recomputing for free.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Bounds.h"

#include "SnapshotCut.h"
#include "ringi/Planner/GapBound.h"

#include <algorithm>

namespace ringi::planner {

CostBound computeBound(const Problem &problem, int64_t budget, Order order) {
  CostBound snapshot = computeSnapshotBound(problem, budget, order);
  if (order == Order::Free || snapshot.infeasible)
    return snapshot;
  CostBound gap = computeGapBound(problem, budget);
  return gap.infeasible || gap.cost > snapshot.cost ? gap : snapshot;
}

BudgetFloor computeBudgetFloor(const Problem &problem, Order order) {
  FlatProblem flat(problem);
  BudgetFloor floor;
  floor.bytes = flat.persistentBytes;
  std::vector<std::pair<int64_t, OpIndex>> byRun;
  bool forced = false;
  for (OpIndex op = 0; op < flat.numOps; ++op) {
    byRun.push_back({-flat.runBytes(op), op});
    forced |= !flat.rerunnable[op];
  }
  for (StorageIndex s = 0; s < flat.numStorages; ++s)
    forced |= flat.producer[s] == kNone && !flat.persistent[s];
  std::sort(byRun.begin(), byRun.end());
  // Where something cannot come back, what a moment must hold may outweigh the
  // op's own bytes; a sample of moments keeps large graphs fast.
  size_t stages = !forced ? 1 : flat.numOps <= 2500 ? byRun.size() : 20;
  for (size_t i = 0; i < stages && i < byRun.size(); ++i) {
    OpIndex op = byRun[i].second;
    int64_t bytes = flat.persistentBytes - byRun[i].first;
    if (forced) {
      SnapshotCut cut(flat, op, order);
      bytes += cut.leastHeldBytes();
    }
    if (bytes > floor.bytes || floor.stage == kNone) {
      floor.bytes = std::max(bytes, floor.bytes);
      floor.stage = op;
    }
  }
  return floor;
}

} // namespace ringi::planner
