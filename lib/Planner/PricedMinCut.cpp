//===- PricedMinCut.cpp - Keep or recompute at a price per byte -*- C++ -*-===//
//
// Part of Ringi. Slopes over single moments first, then the price spread over
// the places that are short of memory, then replays undone while they fit.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/PricedMinCut.h"

#include "PricedPath.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ringi::planner {

namespace {

class PricedSearch {
public:
  PricedSearch(const Problem &problem, const PricedMinCutOptions &options)
      : options(options), flat(problem), expander(flat),
        boundaryValues(findBoundaries(problem)) {}

  Plan run() {
    if (!expander.expand(holdEverything(flat), leastPeak))
      return makeKeepAllPlan(*flat.problem);
    if (leastPeak.peak <= options.budget)
      return makePlan(flat, leastPeak, kName);
    OpIndex worst = leastPeak.ops[leastPeak.peakExecution];
    bySlopes(worst);
    for (OpIndex stage : options.stages)
      if (stage != worst)
        bySlopes(stage);
    if (options.rounds > 0)
      byPlaces(worst);
    if (best.ops.empty())
      return makePlan(flat, leastPeak, kName);
    if (options.unfilled)
      *options.unfilled = makePlan(flat, best, kName);
    fill();
    return makePlan(flat, best, kName);
  }

private:
  static constexpr const char *kName = "memory-budget";
  /// Plans that exceed the budget by more than this part are not trimmed.
  static constexpr int64_t kTrimmed = 64;
  static constexpr size_t kTrials = 48;

  void offer(const FlatSchedule &schedule, const GapStates &states) {
    if (schedule.peak > options.budget)
      return;
    if (best.ops.empty() || schedule.cost < best.cost ||
        (schedule.cost == best.cost && schedule.peak < best.peak)) {
      best = schedule;
      bestStates = states;
    }
  }

  void bySlopes(OpIndex stage) {
    PricedPath path(flat, expander, stage);
    FlatSchedule schedule;
    GapStates states, tooLarge;
    for (bool boundaries : {false, true})
      for (PriceSlope slope : {PriceSlope::LateFirst, PriceSlope::EarlyFirst,
                               PriceSlope::Spread}) {
        std::vector<double> weights = path.slopeWeights(slope);
        if (boundaries)
          keepBoundaries(weights, boundaryValues);
        if (path.findCrossing(options.budget, weights, 12, schedule, states,
                              &leastPeak, &tooLarge))
          offer(schedule, states);
        trim(tooLarge);
      }
  }

  /// Many values give way at one price. The plan just below that price may miss
  /// the budget by little: drops the cheapest of what it holds at its peak, as
  /// few as will do, by cost or by cost per byte.
  void trim(const GapStates &tooLarge) {
    FlatSchedule trial;
    if (tooLarge.empty() || !expander.expand(tooLarge, trial) ||
        (!best.ops.empty() && trial.cost >= best.cost) ||
        trial.peak > options.budget + options.budget / kTrimmed)
      return;
    struct Held {
      double cost, perByte;
      int32_t gap;
    };
    std::vector<Held> held;
    const OpIndex at = lastOrigin(trial, trial.peakExecution);
    for (StorageIndex s = 0; s < flat.numStorages; ++s) {
      OpIndex op = flat.producer[s];
      if (op == kNone || op >= at || !flat.rerunnable[op] || flat.bytes[s] == 0)
        continue;
      IndexRange readers = flat.readers(s);
      int32_t past = flat.readersUpTo(s, at), gap = flat.gap(s, past);
      bool readHere = past > 0 && readers[past - 1] == at;
      bool needed = past < readers.size() || flat.output[s];
      if (!readHere && needed && tooLarge[gap] == Hold)
        held.push_back(
            {flat.cost[op], flat.cost[op] / double(flat.bytes[s]), gap});
    }
    for (double Held::*order : {&Held::cost, &Held::perByte}) {
      std::stable_sort(
          held.begin(), held.end(),
          [&](const Held &a, const Held &b) { return a.*order < b.*order; });
      GapStates states = tooLarge;
      int64_t peak = options.budget + options.budget / kTrimmed + 1;
      for (size_t i = 0; i < held.size() && i < kTrials; ++i) {
        states[held[i].gap] = Drop;
        bool helps = expander.expand(states, trial) && trial.peak < peak &&
                     (best.ops.empty() || trial.cost < best.cost);
        if (!helps) {
          states[held[i].gap] = Hold;
          continue;
        }
        peak = trial.peak;
        if (peak <= options.budget) {
          offer(trial, states);
          break;
        }
      }
    }
  }

  /// The op whose first run is the latest up to `execution`.
  OpIndex lastOrigin(const FlatSchedule &schedule,
                     ExecutionIndex execution) const {
    std::vector<uint8_t> ran(flat.numOps, 0);
    OpIndex last = kNone;
    for (ExecutionIndex e = 0; e <= execution; ++e)
      if (!std::exchange(ran[schedule.ops[e]], uint8_t(1)))
        last = schedule.ops[e];
    return last;
  }

  /// The most bytes resident from one op's first run to the next, clones
  /// included.
  std::vector<int64_t> profile(const FlatSchedule &schedule) const {
    std::vector<int64_t> resident(flat.numOps, 0);
    std::vector<uint8_t> ran(flat.numOps, 0);
    OpIndex at = 0;
    for (size_t e = 0; e < schedule.ops.size(); ++e) {
      resident[at] = std::max(resident[at], schedule.resident[e]);
      OpIndex op = schedule.ops[e];
      if (!ran[op]) {
        ran[op] = 1;
        resident[op] = std::max(resident[op], schedule.resident[e]);
        at = std::min(op + 1, flat.numOps - 1);
      }
    }
    return resident;
  }

  /// Multiplicative weights over the ops: places above the budget gain.
  void byPlaces(OpIndex stage) {
    PricedPath path(flat, expander, stage);
    FlatSchedule schedule, over, crossing;
    expander.expand(holdEverything(flat), over);
    GapStates states;
    std::vector<double> exponent(flat.numOps, 0), places(flat.numOps);
    double slack = std::max<double>(1.0, double(over.peak - options.budget));
    std::vector<int64_t> resident = profile(over);
    for (OpIndex op = 0; op < flat.numOps; ++op)
      exponent[op] = 3 * double(resident[op] - options.budget) / slack;
    for (int32_t round = 0; round < options.rounds; ++round) {
      double most = *std::max_element(exponent.begin(), exponent.end());
      for (OpIndex op = 0; op < flat.numOps; ++op)
        places[op] = std::exp(exponent[op] - most);
      FlatSchedule nearest;
      bool fits = path.findCrossing(options.budget, path.placeWeights(places),
                                    9, schedule, states, &nearest)
                      .has_value();
      if (fits)
        offer(schedule, states);
      if (nearest.ops.empty())
        break;
      if (nearest.peak < leastPeak.peak)
        leastPeak = nearest;
      resident = profile(nearest);
      slack = std::max<double>(0.01 * double(nearest.peak),
                               double(nearest.peak - options.budget));
      for (OpIndex op = 0; op < flat.numOps; ++op)
        exponent[op] +=
            std::max(-1.0, double(resident[op] - options.budget) / slack);
    }
  }

  /// Undoes drops one by one, those of the dearest replays first, while the
  /// budget lasts.
  void fill() {
    std::vector<uint8_t> ran(flat.numOps, 0);
    std::vector<OpIndex> clones;
    for (OpIndex op : best.ops) {
      if (ran[op] == 1)
        clones.push_back(op);
      ran[op] = uint8_t(std::min<int>(ran[op] + 1, 2));
    }
    std::stable_sort(clones.begin(), clones.end(), [&](OpIndex a, OpIndex b) {
      return flat.cost[a] > flat.cost[b];
    });
    FlatSchedule trial;
    int32_t left = options.fills;
    for (OpIndex op : clones) {
      if (left-- <= 0)
        break;
      GapStates states = bestStates;
      for (StorageIndex s : flat.outputs(op))
        for (int32_t i = 0; i <= flat.readers(s).size(); ++i)
          states[flat.gap(s, i)] = Hold;
      if (expander.expand(states, trial) && trial.peak <= options.budget &&
          trial.cost < best.cost) {
        std::swap(best, trial);
        bestStates = std::move(states);
      }
    }
  }

  const PricedMinCutOptions &options;
  FlatProblem flat;
  GapExpander expander;
  std::vector<StorageIndex> boundaryValues;
  FlatSchedule best, leastPeak;
  GapStates bestStates;
};

} // namespace

Plan planPricedMinCut(const Problem &problem,
                      const PricedMinCutOptions &options) {
  return PricedSearch(problem, options).run();
}

} // namespace ringi::planner
