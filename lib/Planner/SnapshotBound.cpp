//===- SnapshotBound.cpp - A lower bound from one moment --------*- C++ -*-===//
//
// Part of Ringi. The bound at one moment is a concave function of the price;
// two of its lines meet above the maximum, and the cut at that price gives the
// next line (Newton's method on a piecewise linear function). A moment whose
// first two lines already meet below the best bound found is left.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/SnapshotBound.h"

#include "GapExpansion.h"
#include "SnapshotCut.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ringi::planner {

namespace {

/// The moments at which keeping everything does not fit, the most promising
/// first: alternately by resident bytes and by the op's own bytes.
std::vector<OpIndex> chooseStages(const FlatProblem &flat, int64_t budget,
                                  int32_t maxStages) {
  GapExpander expander(flat);
  FlatSchedule schedule;
  expander.expand(holdEverything(flat), schedule);
  std::vector<int64_t> resident(flat.numOps, 0);
  for (size_t e = 0; e < schedule.ops.size(); ++e)
    resident[schedule.ops[e]] =
        std::max(resident[schedule.ops[e]], schedule.resident[e]);
  std::vector<OpIndex> byResident;
  for (OpIndex op = 0; op < flat.numOps; ++op)
    if (resident[op] > budget)
      byResident.push_back(op);
  std::vector<OpIndex> byRun = byResident;
  std::vector<int64_t> run(flat.numOps);
  for (OpIndex op : byRun)
    run[op] = flat.runBytes(op);
  std::stable_sort(
      byResident.begin(), byResident.end(),
      [&](OpIndex a, OpIndex b) { return resident[a] > resident[b]; });
  std::stable_sort(byRun.begin(), byRun.end(),
                   [&](OpIndex a, OpIndex b) { return run[a] > run[b]; });
  if (maxStages <= 0)
    maxStages = flat.numOps <= 2500 ? std::min(1000, 250'000 / flat.numOps + 1)
                                    : std::max(3, 100'000 / flat.numOps);
  std::vector<OpIndex> chosen;
  std::vector<uint8_t> taken(flat.numOps, 0);
  for (size_t i = 0; i < byRun.size() && chosen.size() < size_t(maxStages); ++i)
    for (OpIndex op : {byResident[i], byRun[i]})
      if (!taken[op] && chosen.size() < size_t(maxStages)) {
        taken[op] = 1;
        chosen.push_back(op);
      }
  return chosen;
}

} // namespace

CostBound computeSnapshotBound(const Problem &problem, int64_t budget,
                               Order order, int32_t maxStages) {
  CostBound best;
  best.boundClass = order == Order::Fixed ? BoundClass::SnapshotFixed
                                          : BoundClass::SnapshotFree;
  FlatProblem flat(problem);
  if (flat.numOps == 0)
    return best;
  double startPrice = flat.totalCost / std::max(1.0, double(budget));
  for (OpIndex stage : chooseStages(flat, budget, maxStages)) {
    SnapshotCut cut(flat, stage, order);
    if (cut.fixedBytes() > budget ||
        cut.leastHeldBytes() > budget - cut.fixedBytes()) {
      best.infeasible = true;
      best.stage = stage;
      return best;
    }
    double room = double(budget - cut.fixedBytes());
    SnapshotCut::Solution few = cut.keepAll();
    if (double(few.heldBytes) <= room)
      continue;
    auto lineAt = [&](const SnapshotCut::Solution &line, double price) {
      return line.cost + price * (double(line.heldBytes) - room);
    };
    // A price at which the cut holds no more than fits.
    double price = best.price > 0 ? best.price : startPrice;
    SnapshotCut::Solution many;
    bool found = false;
    for (int step = 0; step < 60; ++step, price *= 4) {
      many = cut.solve(price);
      double value = many.value - price * room * (1 + 1e-15);
      if (value > best.cost) {
        best.cost = value;
        best.stage = stage;
        best.price = price;
      }
      if (double(many.heldBytes) <= room) {
        found = true;
        break;
      }
      if (many.cost > few.cost || many.heldBytes < few.heldBytes)
        few = many;
    }
    if (!found)
      continue;
    for (int step = 0; step < 60; ++step) {
      double slope = double(few.heldBytes) - double(many.heldBytes);
      if (slope <= 0)
        break;
      price = (many.cost - few.cost) / slope;
      double meet = lineAt(few, price);
      if (!(price > 0) || meet <= best.cost * (1 + 1e-9))
        break;
      SnapshotCut::Solution middle = cut.solve(price);
      double value = middle.value - price * room * (1 + 1e-15);
      if (value > best.cost) {
        best.cost = value;
        best.stage = stage;
        best.price = price;
      }
      if (lineAt(middle, price) >= meet - 1e-9 * std::fabs(meet))
        break;
      (double(middle.heldBytes) > room ? few : many) = middle;
    }
  }
  return best;
}

} // namespace ringi::planner
