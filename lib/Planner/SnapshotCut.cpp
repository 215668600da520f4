//===- SnapshotCut.cpp - What memory holds while one op runs ----*- C++ -*-===//
//
// Part of Ringi. Node y_s for a storage that later ops may need, node r_o for
// an op that may run again. y_s -> r_producer carries the price of holding s,
// r_o -> sink the cost of running o, r_o -> y_u (unlimited) the need of o's
// input u. Only what the needs reach is built.
//
//===----------------------------------------------------------------------===//

#include "SnapshotCut.h"

#include <algorithm>
#include <cmath>

using namespace ringi::planner;

namespace {
constexpr double kCostUnits = double(int64_t(1) << 46);
} // namespace

SnapshotCut::SnapshotCut(const FlatProblem &flat, OpIndex stage, Order order,
                         const std::vector<uint8_t> &pinned)
    : flat(flat), at(stage) {
  fixed = flat.persistentBytes + flat.runBytes(stage);
  scale = flat.totalCost > 0 ? kCostUnits / flat.totalCost : 1;

  // Which ops surely ran before the stage and which surely run after it.
  std::vector<uint8_t> before(flat.numOps, 0), after(flat.numOps, 0);
  if (order == Order::Fixed) {
    std::fill(before.begin(), before.begin() + stage, uint8_t(1));
    std::fill(after.begin() + stage + 1, after.end(), uint8_t(1));
  } else {
    before[stage] = after[stage] = 1;
    for (OpIndex op = stage; op >= 0; --op)
      if (before[op])
        for (StorageIndex s : flat.inputs(op))
          if (flat.producer[s] != kNone)
            before[flat.producer[s]] = 1;
    for (OpIndex op = stage; op < flat.numOps; ++op)
      if (after[op])
        for (StorageIndex s : flat.outputs(op))
          for (OpIndex reader : flat.readers(s))
            after[reader] = 1;
    before[stage] = after[stage] = 0;
  }

  // What memory offers for nothing.
  std::vector<uint8_t> offered(flat.persistent.begin(), flat.persistent.end());
  for (StorageIndex s : flat.inputs(stage))
    if (!flat.mayOverwrite(stage, s))
      offered[s] = 1;
  for (StorageIndex s : flat.outputs(stage))
    offered[s] = 1;

  mayRerun.assign(flat.numOps, 1);
  again.assign(flat.numOps, 0);
  for (OpIndex op = 0; op < flat.numOps; ++op) {
    if (!before[op])
      continue;
    mayRerun[op] = flat.rerunnable[op] && (pinned.empty() || !pinned[op]);
    again[op] = flat.cost[op];
  }

  // The needs of later ops, then those of replays, as far as they reach.
  storageNode.assign(flat.numStorages, kNone);
  opNode.assign(flat.numOps, kNone);
  int32_t nodes = 2;
  std::vector<StorageIndex> stack;
  auto need = [&](StorageIndex s) {
    if (offered[s] || storageNode[s] != kNone)
      return;
    // Computed later for the first time: its own needs are counted anyway.
    if (flat.producer[s] != kNone &&
        (after[flat.producer[s]] || flat.producer[s] == at))
      return;
    storageNode[s] = nodes++;
    storageList.push_back(s);
    stack.push_back(s);
  };
  for (StorageIndex s = 0; s < flat.numStorages; ++s) {
    bool later = flat.output[s];
    for (OpIndex reader : flat.readers(s))
      if (after[reader]) {
        later = true;
        break;
      }
    if (later)
      need(s);
  }
  directList = storageList;
  for (StorageIndex s : directList)
    directBytes += flat.bytes[s];
  while (!stack.empty()) {
    StorageIndex s = stack.back();
    stack.pop_back();
    OpIndex op = flat.producer[s];
    if (op == kNone || !mayRerun[op] || opNode[op] != kNone)
      continue;
    opNode[op] = nodes++;
    opList.push_back(op);
    for (StorageIndex input : flat.inputs(op))
      need(input);
  }

  cut = MinCut(nodes);
  for (StorageIndex s : directList)
    cut.addArc(0, storageNode[s], MinCut::kUnlimited);
  int64_t withoutOp = 1;
  for (StorageIndex s : storageList) {
    OpIndex op = flat.producer[s];
    bool comesBack = op != kNone && mayRerun[op];
    withoutOp += !comesBack;
    holdArc.push_back(
        cut.addArc(storageNode[s], comesBack ? opNode[op] : 1, 0));
  }
  for (OpIndex op : opList) {
    cut.addArc(opNode[op], 1, int64_t(std::floor(again[op] * scale)));
    for (StorageIndex input : flat.inputs(op))
      if (storageNode[input] != kNone)
        cut.addArc(opNode[op], storageNode[input], MinCut::kUnlimited);
  }
  // Above the cost of everything a higher price changes nothing, and the sum
  // of all arcs into the sink stays finite.
  capacityLimit =
      std::min(int64_t(kCostUnits) + 1, (MinCut::kUnlimited >> 2) / withoutOp);
}

SnapshotCut::Solution SnapshotCut::keepAll() const {
  Solution solution;
  solution.heldBytes = directBytes;
  return solution;
}

SnapshotCut::Solution SnapshotCut::run(double price, const double *weight) {
  for (size_t i = 0; i < storageList.size(); ++i) {
    StorageIndex s = storageList[i];
    double held = price * double(flat.bytes[s]) * scale;
    if (weight)
      held *= weight[s];
    cut.setCapacity(holdArc[i], held < double(capacityLimit)
                                    ? int64_t(std::floor(held))
                                    : capacityLimit);
  }
  int64_t flow = cut.solve(0, 1);
  Solution solution;
  solution.price = price;
  // Every capacity was rounded down but for the rounding of the products, at
  // most one unit each.
  double units = double(flow) - double(storageList.size() + opList.size());
  solution.value = std::max(0.0, units / scale * (1 - 1e-15));
  for (OpIndex op : opList)
    if (cut.onSourceSide(opNode[op]))
      solution.cost += again[op];
  for (StorageIndex s : storageList)
    if (isHeld(s))
      solution.heldBytes += flat.bytes[s];
  return solution;
}

SnapshotCut::Solution SnapshotCut::solve(double price) {
  return run(price, nullptr);
}

SnapshotCut::Solution
SnapshotCut::solveWeighted(double price, const std::vector<double> &weight) {
  return run(price, weight.data());
}

int64_t SnapshotCut::leastHeldBytes() {
  // A network of its own: bytes where the price stood, no costs.
  MinCut least(int32_t(2 + storageList.size() + opList.size()));
  int64_t sum = 0;
  for (StorageIndex s : storageList)
    sum += flat.bytes[s];
  bool forced = false;
  for (StorageIndex s : directList)
    least.addArc(0, storageNode[s], MinCut::kUnlimited);
  for (StorageIndex s : storageList) {
    OpIndex op = flat.producer[s];
    bool comesBack = op != kNone && mayRerun[op];
    forced |= !comesBack && flat.bytes[s] > 0;
    least.addArc(storageNode[s], comesBack ? opNode[op] : 1, flat.bytes[s]);
  }
  if (!forced || sum >= MinCut::kUnlimited)
    return 0;
  for (OpIndex op : opList)
    for (StorageIndex input : flat.inputs(op))
      if (storageNode[input] != kNone)
        least.addArc(opNode[op], storageNode[input], MinCut::kUnlimited);
  return least.solve(0, 1);
}

bool SnapshotCut::isHeld(StorageIndex s) const {
  if (storageNode[s] == kNone || !cut.onSourceSide(storageNode[s]))
    return false;
  OpIndex op = flat.producer[s];
  return op == kNone || !mayRerun[op] || !cut.onSourceSide(opNode[op]);
}

bool SnapshotCut::isRecomputed(OpIndex op) const {
  return opNode[op] != kNone && cut.onSourceSide(opNode[op]);
}
