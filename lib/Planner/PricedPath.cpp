//===- PricedPath.cpp - Plans along one price -------------------*- C++ -*-===//
//
// Part of Ringi. Prices are powers of two of the step's cost per byte, then
// halvings between two of them.
//
//===----------------------------------------------------------------------===//

#include "PricedPath.h"
#include "ringi/Planner/BlockDetection.h"

#include <algorithm>
#include <cmath>

namespace ringi::planner {

namespace {
constexpr int kLowestPower = -34, kHighestPower = 34;

/// van der Corput's sequence: any stretch of it is spread over [0, 1).
double spread(uint32_t i) {
  double value = 0, bit = 0.5;
  for (; i; i >>= 1, bit /= 2)
    if (i & 1)
      value += bit;
  return value;
}
} // namespace

std::vector<uint8_t> findPinned(const FlatProblem &flat, OpIndex stage) {
  std::vector<uint8_t> pinned;
  std::vector<OpIndex> overwrittenAt;
  for (OpIndex op = 0; op < flat.numOps; ++op)
    for (int32_t i = flat.pairBegin[op]; i < flat.pairBegin[op + 1]; ++i)
      if (flat.pairs[i].required) {
        if (overwrittenAt.empty())
          overwrittenAt.assign(flat.numStorages, flat.numOps);
        overwrittenAt[flat.pairs[i].input] = op;
      }
  if (overwrittenAt.empty())
    return pinned;
  // The latest op before which a replay of each op's results may be asked for.
  pinned.assign(flat.numOps, 0);
  std::vector<OpIndex> latest(flat.numStorages, kNone);
  for (OpIndex op = flat.numOps - 1; op >= 0; --op) {
    OpIndex mine = kNone;
    for (StorageIndex s : flat.outputs(op)) {
      // A value comes back no later than its own first use, and without one
      // no later than the last replay that reads it.
      int32_t past = flat.readersUpTo(s, stage);
      IndexRange readers = flat.readers(s);
      if (past < readers.size())
        latest[s] = readers[past];
      else if (flat.output[s])
        latest[s] = flat.numOps;
      else
        for (OpIndex reader : readers)
          for (StorageIndex further : flat.outputs(reader))
            latest[s] = std::max(latest[s], latest[further]);
      mine = std::max(mine, latest[s]);
    }
    for (StorageIndex s : flat.inputs(op))
      if (overwrittenAt[s] < mine)
        pinned[op] = 1;
  }
  return pinned;
}

PricedPath::PricedPath(const FlatProblem &flat, GapExpander &expander,
                       OpIndex stage)
    : flat(flat), expander(expander), pinned(findPinned(flat, stage)),
      network(flat, stage, Order::Fixed, pinned) {
  double bytes = 0;
  for (StorageIndex s = 0; s < flat.numStorages; ++s)
    bytes += double(flat.bytes[s]);
  unitPrice = (flat.totalCost > 0 ? flat.totalCost : 1) / std::max(1.0, bytes);

  // First later need, direct or for the replay of a value needed then.
  std::vector<OpIndex> first(flat.numStorages, flat.numOps);
  holdBegin.assign(flat.numStorages, 0);
  holdEnd.assign(flat.numStorages, kNone);
  std::vector<int32_t> past(flat.numStorages);
  for (StorageIndex s = 0; s < flat.numStorages; ++s) {
    IndexRange readers = flat.readers(s);
    past[s] = flat.readersUpTo(s, stage);
    holdBegin[s] = past[s] ? readers[past[s] - 1] : flat.producer[s];
    if (past[s] < readers.size())
      first[s] = readers[past[s]];
  }
  for (OpIndex op = stage; op >= 0; --op) {
    OpIndex least = flat.numOps;
    for (StorageIndex s : flat.outputs(op))
      least = std::min(least, first[s]);
    for (StorageIndex s : flat.inputs(op))
      first[s] = std::min(first[s], least);
  }
  for (StorageIndex s = 0; s < flat.numStorages; ++s) {
    IndexRange readers = flat.readers(s);
    if (past[s] < readers.size()) {
      holdEnd[s] = readers[past[s]];
    } else if (flat.output[s]) {
      holdEnd[s] = flat.numOps;
    } else {
      for (int32_t i = 0; i < past[s]; ++i)
        for (StorageIndex further : flat.outputs(readers[i]))
          if (first[further] < flat.numOps)
            holdEnd[s] = std::max(holdEnd[s], first[further]);
    }
  }
}

std::vector<double> PricedPath::slopeWeights(PriceSlope slope) const {
  std::vector<double> weights(flat.numStorages, 1.0);
  double length = network.stage() + 1;
  for (StorageIndex s : network.storages()) {
    OpIndex op = std::max(flat.producer[s], 0);
    double u = std::min(1.0, op / length);
    if (slope == PriceSlope::EarlyFirst)
      u = 1 - u;
    if (slope == PriceSlope::Spread) {
      int32_t block = flat.problem->ops[op].block;
      u = spread(uint32_t(block >= 0 ? block : int32_t(u * 24)));
    }
    weights[s] = 1 + 0.02 * u;
  }
  return weights;
}

std::vector<StorageIndex> findBoundaries(const Problem &problem,
                                         int32_t maxBlocks) {
  std::vector<StorageIndex> boundaries;
  for (const ChainBlock &block : detectChain(problem, maxBlocks).blocks)
    boundaries.insert(boundaries.end(), block.boundary.begin(),
                      block.boundary.end());
  std::sort(boundaries.begin(), boundaries.end());
  boundaries.erase(std::unique(boundaries.begin(), boundaries.end()),
                   boundaries.end());
  return boundaries;
}

void keepBoundaries(std::vector<double> &weights,
                    const std::vector<StorageIndex> &boundaries) {
  for (StorageIndex s : boundaries)
    weights[s] *= 1e-6;
}

std::vector<double>
PricedPath::placeWeights(const std::vector<double> &places) const {
  std::vector<double> sum(flat.numOps + 1, 0);
  for (OpIndex op = 0; op < flat.numOps; ++op)
    sum[op + 1] = sum[op] + places[op];
  std::vector<double> weights(flat.numStorages, 0);
  for (StorageIndex s : network.storages()) {
    OpIndex from = holdBegin[s] + 1, to = std::min(holdEnd[s], flat.numOps);
    // Never quite free, so that nothing is held for no reason.
    weights[s] =
        (from < to ? sum[to] - sum[from] : 0) + 1e-6 * sum[flat.numOps];
  }
  return weights;
}

SnapshotCut::Solution PricedPath::solve(double price,
                                        const std::vector<double> &weights) {
  return network.solveWeighted(price, weights);
}

GapStates PricedPath::states() const {
  GapStates states = holdEverything(flat);
  OpIndex stage = network.stage();
  // From the moment on a value stays to its last use, replays included.
  for (StorageIndex s = 0; s < flat.numStorages; ++s)
    if (flat.producer[s] <= stage)
      states[flat.gap(s, flat.readers(s).size())] = Hold;
  for (StorageIndex s : network.storages())
    states[flat.gap(s, flat.readersUpTo(s, stage))] =
        network.isHeld(s) ? Hold : Drop;
  return states;
}

std::optional<PricedPoint>
PricedPath::evaluate(double price, const std::vector<double> &weights,
                     FlatSchedule &schedule) {
  solve(price, weights);
  if (!expander.expand(states(), schedule))
    return std::nullopt;
  return PricedPoint{price, schedule.cost, schedule.peak};
}

std::optional<PricedPoint>
PricedPath::findCrossing(int64_t budget, const std::vector<double> &weights,
                         int depth, FlatSchedule &schedule, GapStates &found,
                         FlatSchedule *leastPeak, GapStates *tooLarge) {
  int64_t room = budget - network.fixedBytes();
  // What is held falls as the price rises: the powers below the one at which
  // it fits need no expansion.
  int low = kLowestPower, high = kHighestPower;
  while (high - low > 1) {
    int middle = low + (high - low) / 2;
    if (solve(unitPrice * std::ldexp(1.0, middle), weights).heldBytes <= room)
      high = middle;
    else
      low = middle;
  }
  if (tooLarge)
    tooLarge->clear();
  std::optional<PricedPoint> best;
  FlatSchedule trial;
  int64_t lastHeld = 0;
  auto test = [&](double price) {
    lastHeld = solve(price, weights).heldBytes;
    if (lastHeld > room) {
      if (tooLarge)
        *tooLarge = states();
      return false;
    }
    GapStates trialStates = states();
    if (!expander.expand(trialStates, trial))
      return false;
    if (trial.peak > budget) {
      if (leastPeak && (leastPeak->ops.empty() || trial.peak < leastPeak->peak))
        *leastPeak = trial;
      if (tooLarge)
        *tooLarge = std::move(trialStates);
      return false;
    }
    best = PricedPoint{price, trial.cost, trial.peak};
    std::swap(schedule, trial);
    found = std::move(trialStates);
    return true;
  };
  int64_t leastHeld =
      solve(unitPrice * std::ldexp(1.0, kHighestPower), weights).heldBytes;
  for (int power = high; power <= kHighestPower; ++power) {
    double price = unitPrice * std::ldexp(1.0, power);
    if (test(price)) {
      double from = power - 1, to = power;
      for (int step = 0; step < depth; ++step) {
        double middle = (from + to) / 2;
        if (test(unitPrice * std::exp2(middle)))
          to = middle;
        else
          from = middle;
      }
      return best;
    }
    // Beyond the price at which nothing more gives way nothing changes.
    if (lastHeld <= leastHeld)
      break;
  }
  return std::nullopt;
}

bool PricedPath::findLeast(const std::vector<double> &weights,
                           FlatSchedule &least) {
  const int64_t leastHeld =
      solve(unitPrice * std::ldexp(1.0, kHighestPower), weights).heldBytes;
  bool found = false;
  int64_t lastHeld = -1;
  FlatSchedule trial;
  for (int power = kLowestPower; power <= kHighestPower; ++power) {
    const int64_t held =
        solve(unitPrice * std::ldexp(1.0, power), weights).heldBytes;
    // Equal cuts give equal plans.
    if (held == lastHeld)
      continue;
    lastHeld = held;
    if (expander.expand(states(), trial) &&
        (!found || trial.peak < least.peak)) {
      std::swap(least, trial);
      found = true;
    }
    if (held <= leastHeld)
      break;
  }
  return found;
}

} // namespace ringi::planner
