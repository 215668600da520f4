//===- LocalSearch.cpp - Improve a plan by many small edits ---------------===//
//
// Part of Ringi. Threshold form of simulated annealing: the random number of
// the Metropolis rule is drawn first, so that an edit can be given up as soon
// as its energy is known to be too high. The price of a byte over budget floats
// such that about half of the states are within the budget, which walks along
// the border where the best plans lie.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/LocalSearch.h"

#include "ringi/Planner/IncrementalSimulator.h"
#include "ringi/Planner/SequencePlan.h"

#include "ScheduleMoves.h"

#include <algorithm>
#include <cmath>

namespace ringi::planner {

namespace {

/// First and last temperature in percent of the step's cost, for large graphs.
constexpr double kHot = 0.3, kCold = 0.002;
/// In graphs of fewer ops than this one recompute is a larger part of the cost:
/// temperature and price grow accordingly.
constexpr double kLargeOps = 130;
/// Moves between two updates of temperature and price.
constexpr int64_t kRound = 100;
/// Start and bounds of the price: percent of cost per budget of overflow.
constexpr double kPrice = 20, kOrderPrice = 4, kLowPrice = 0.1,
                 kHighPrice = 1e5;
/// The price changes by this factor each round, and by more in short searches,
/// so that it can always cover three decades.
constexpr double kPriceStep = 1.01, kPriceRange = 1000;

class Annealer {
public:
  using Handle = IncrementalSimulator::Handle;

  Annealer(const Problem &problem, const Plan &start,
           const LocalSearchOptions &options)
      : problem(problem), options(options),
        peakGoal(options.goal == LocalSearchGoal::LeastPeak),
        random(options.seed), simulator(problem, start, options.budget),
        moves(problem, simulator, options.order, random),
        scale(std::max(1.0, kLargeOps / double(problem.ops.size()))),
        price(scale * (options.recompute ? kPrice : kOrderPrice)) {
    double total = problem.totalCost();
    // Of two plans with one peak the cheaper is better, but no more than that.
    limit.perCost = total > 0 ? (peakGoal ? 0.05 : 1) * 100 / total : 0;
    for (const Storage &storage : problem.storages)
      mustRecompute |= storage.mark == Mark::MustRecompute;
    bestPeak = simulator.peak();
    target = options.budget;
    if (peakGoal)
      aimBelow(bestPeak);
    keepState();
  }

  Plan run() {
    const int64_t count =
        options.moves > 0 ? options.moves : defaultMoves(problem);
    const double rounds = std::max(1.0, double(count / kRound));
    priceStep = std::max(kPriceStep, std::pow(kPriceRange, 1 / rounds));
    double current = 0;
    for (int64_t i = 0; i < count; ++i) {
      if (i % kRound == 0) {
        if (options.stop && options.stop->load(std::memory_order_relaxed))
          break;
        startRound(double(i) / double(count));
        current = energy();
      }
      limit.ceiling = current - temperature * std::log(1 - random.unit());
      simulator.begin();
      if (draw() != MoveOutcome::Made ||
          !limit.admits(simulator.overflow(), simulator.recomputeCost()) ||
          !marksHonoured()) {
        simulator.rollback();
        continue;
      }
      simulator.commit();
      current = energy();
      if (noteState())
        current = energy();
    }
    return rebuild();
  }

private:
  double energy() const {
    return limit.energy(simulator.overflow(), simulator.recomputeCost());
  }

  void startRound(double progress) {
    const double hot = std::max(kCold, kHot * options.heat);
    temperature = scale * hot * std::pow(kCold / hot, progress);
    bool over = simulator.overflow() > 0;
    if (!peakGoal)
      price = std::clamp(over ? price * priceStep : price / priceStep,
                         kLowPrice, kHighPrice);
    limit.perOverflow = price / std::max(1.0, double(target));
    // No plan within the budget yet: the one nearest to it counts.
    if (over && !peakGoal && bestPeak > options.budget)
      if (int64_t peak = simulator.peak(); peak < bestPeak) {
        bestPeak = peak;
        keepState();
      }
  }

  MoveOutcome draw() {
    if (!options.recompute)
      return moves.relocate(limit);
    double roll = random.unit();
    if (roll < 0.3)
      return moves.addRecompute(limit);
    if (roll < 0.4)
      return moves.dropRecompute(limit);
    if (roll < 0.6)
      return moves.exchangeRecompute(limit);
    return moves.relocate(limit);
  }

  /// Remembers the state when it is the best so far; true when the target
  /// moved.
  bool noteState() {
    if (simulator.overflow() > 0)
      return false;
    if (peakGoal) {
      bestPeak = simulator.peak();
      keepState();
      aimBelow(bestPeak);
      return true;
    }
    if (simulator.recomputeCost() < options.leastCost * (1 - 1e-12) ||
        (bestPeak <= options.budget &&
         simulator.recomputeCost() >= bestCost * (1 - 1e-12)))
      return false;
    bestPeak = simulator.peak();
    keepState();
    return false;
  }

  void keepState() {
    bestCost = simulator.recomputeCost();
    best.clear();
    for (Handle h = simulator.front(); h != kNone; h = simulator.next(h))
      best.push_back(simulator.op(h));
  }

  /// LeastPeak: the next budget to meet.
  void aimBelow(int64_t peak) {
    target = std::max<int64_t>(0, peak - std::max<int64_t>(1, peak / 500));
    simulator.setBudget(target);
    limit.perOverflow = price / std::max(1.0, double(target));
  }

  /// No read of the backward phase takes a forward copy of a value marked
  /// must-recompute. Plan.h defines which executions serve which phase.
  bool marksHonoured() const {
    if (!mustRecompute)
      return true;
    auto isFirst = [&](Handle h) {
      return simulator.executions(simulator.op(h)).front() == h;
    };
    Handle split = simulator.front();
    while (split != kNone &&
           !(isFirst(split) &&
             problem.ops[simulator.op(split)].phase != Phase::Forward))
      split = simulator.next(split);
    Handle before =
        split == kNone ? simulator.back() : simulator.previous(split);
    for (; before != kNone && !isFirst(before);
         before = simulator.previous(before))
      split = before;
    auto servesBackward = [&](Handle h) {
      return problem.ops[simulator.op(h)].phase != Phase::Forward ||
             (!isFirst(h) && split != kNone && !simulator.before(h, split));
    };
    for (Handle h = split; h != kNone; h = simulator.next(h)) {
      if (!servesBackward(h))
        continue;
      for (StorageIndex s : problem.ops[simulator.op(h)].inputs)
        if (problem.storages[s].mark == Mark::MustRecompute)
          if (Handle copy = simulator.source(s, h);
              copy != kNone && !servesBackward(copy))
            return false;
    }
    return true;
  }

  Plan rebuild() const {
    return IncrementalSimulator(problem, planOfSequence(problem, best),
                                options.budget)
        .toPlan();
  }

  const Problem &problem;
  const LocalSearchOptions &options;
  const bool peakGoal;
  Random random;
  IncrementalSimulator simulator;
  ScheduleMoves moves;
  EnergyLimit limit;
  const double scale;
  double temperature = kHot, price, priceStep = kPriceStep;
  bool mustRecompute = false;
  int64_t target = 0;
  std::vector<OpIndex> best;
  int64_t bestPeak = 0;
  double bestCost = 0;
};

} // namespace

int64_t defaultMoves(const Problem &problem) {
  const int64_t ops = int64_t(problem.ops.size());
  // Beyond a few thousand ops a move costs a walk in a tree, and time matters
  // more than the last tenth of a percent.
  return ops > 4000 ? 50000 : std::min<int64_t>(300000 + 1400 * ops, 1000000);
}

Plan improvePlan(const Problem &problem, Plan start,
                 const LocalSearchOptions &options) {
  if (start.schedule.empty())
    return start;
  Plan better = Annealer(problem, start, options).run();
  better.strategy = std::move(start.strategy);
  better.budget = start.budget;
  better.decisions = std::move(start.decisions);
  return better;
}

} // namespace ringi::planner
