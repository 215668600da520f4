//===- BudgetLadder.cpp - Plans for all budgets of one problem --*- C++ -*-===//
//
// Part of Ringi. Three sizes of graph, three ways: exhaustive search for the
// smallest, the ladder with every engine on each rung, and for the largest the
// crossing of one price, which is monotone by itself.
//
//===----------------------------------------------------------------------===//

#include "BudgetLadder.h"

#include "PricedPath.h"
#include "ringi/Planner/BlockDetection.h"
#include "ringi/Planner/ChainPlanner.h"
#include "ringi/Planner/ExactSearch.h"
#include "ringi/Planner/LocalSearch.h"
#include "ringi/Planner/PricedMinCut.h"
#include "ringi/Planner/Scheduler.h"
#include "ringi/Planner/Verifier.h"

#include <algorithm>

namespace ringi::planner {

namespace {

Expected<Plan> planNamed(const Problem &problem, StrategyOptions options,
                         Strategy strategy) {
  options.strategy = strategy;
  options.budget = 0;
  return planStrategy(problem, options);
}

} // namespace

BudgetLadder::BudgetLadder(const Problem &problem,
                           const StrategyOptions &options)
    : problem(problem), options(options),
      top(planNamed(problem, options, Strategy::None)) {
  if (!top)
    return;
  if (options.order == Order::Free && problem.ops.size() <= kLadderOps) {
    Plan ordered = scheduleForPeak(problem);
    if (acceptable(ordered) && better(ordered, *top))
      *top = std::move(ordered);
  }
  int64_t widest = -1;
  for (OpIndex op = 0; op < OpIndex(problem.ops.size()); ++op) {
    int64_t bytes = problem.ops[op].workspace;
    for (StorageIndex s : problem.ops[op].inputs)
      bytes += problem.storages[s].bytes;
    for (StorageIndex s : problem.ops[op].outputs)
      bytes += problem.storages[s].bytes;
    if (bytes > widest) {
      widest = bytes;
      widestOp = op;
    }
  }
}

bool BudgetLadder::better(const Plan &a, const Plan &b) const {
  if (a.claims.recomputeCost != b.claims.recomputeCost)
    return a.claims.recomputeCost < b.claims.recomputeCost;
  return a.claims.livePeak < b.claims.livePeak;
}

bool BudgetLadder::acceptable(const Plan &plan) const {
  Plan copy = plan;
  copy.budget = 0;
  copy.claims.lowerBound = 0;
  return bool(verifyPlan(problem, copy));
}

int64_t BudgetLadder::movesPerRung() const {
  double moves = 4e7 / double(problem.ops.size() + 100);
  return std::max<int64_t>(1,
                           int64_t(std::min(40'000.0, moves) * options.effort));
}

void BudgetLadder::offerNamed() {
  if (!named.empty())
    return;
  named.push_back(*top);
  for (Strategy strategy : {Strategy::Selective, Strategy::EveryBlock,
                            Strategy::Sqrt, Strategy::RecomputeAll}) {
    Expected<Plan> plan = planNamed(problem, options, strategy);
    if (plan && acceptable(*plan))
      named.push_back(std::move(*plan));
  }
}

const Plan &BudgetLadder::leastPeak() {
  if (!least)
    findLeastPeak();
  return *least;
}

bool BudgetLadder::leastIsExact() {
  leastPeak();
  return exact;
}

void BudgetLadder::findLeastPeak() {
  int32_t numOps = int32_t(problem.ops.size());
  ExactOptions limits;
  limits.order = options.order;
  if (numOps <= kExactOps) {
    Expected<int64_t> minimum = findMinimumBudget(problem, limits);
    if (minimum) {
      Expected<ExactResult> result = searchExact(problem, *minimum, limits);
      if (result && result->outcome == ExactResult::Outcome::Optimal) {
        exact = true;
        least = std::move(result->plan);
        return;
      }
    }
  }
  offerNamed();
  auto lower = [&](const Plan &plan) {
    if (!least || plan.claims.livePeak < least->claims.livePeak ||
        (plan.claims.livePeak == least->claims.livePeak &&
         plan.claims.recomputeCost < least->claims.recomputeCost))
      if (acceptable(plan))
        least = plan;
  };
  for (const Plan &plan : named)
    lower(plan);
  PricedMinCutOptions priced;
  priced.budget = 1;
  priced.stages = {widestOp};
  priced.rounds = numOps <= kLadderOps ? priced.rounds : 0;
  priced.fills = 0;
  lower(planPricedMinCut(problem, priced));
  if (Chain chain = detectChain(problem, 80); chain.blocks.size() > 1) {
    ChainPlannerOptions nested;
    nested.budget = 1;
    lower(planChain(problem, chain, nested));
  }
  if (numOps > kLadderOps)
    return;
  LocalSearchOptions search;
  search.goal = LocalSearchGoal::LeastPeak;
  search.order = options.order;
  search.seed = options.seed;
  search.stop = options.stop;
  search.moves = movesPerRung() * 3;
  lower(improvePlan(problem, *least, search));
  // Budgets stepping down show the engines where memory is short.
  priced.rounds = 6;
  search.moves = movesPerRung();
  for (int step = 0; step < 8; ++step) {
    priced.budget = least->claims.livePeak / 16 * 15;
    Plan plan = planPricedMinCut(problem, priced);
    if (plan.claims.livePeak > priced.budget) {
      search.goal = LocalSearchGoal::LeastCost;
      search.budget = priced.budget;
      plan = improvePlan(problem, std::move(plan), search);
    }
    int64_t before = least->claims.livePeak;
    lower(plan);
    search.goal = LocalSearchGoal::LeastPeak;
    search.seed += 1;
    lower(improvePlan(problem, *least, search));
    if (least->claims.livePeak > before / 32 * 31)
      break;
  }
}

std::optional<Plan> BudgetLadder::exactAt(int64_t budget) {
  ExactOptions limits;
  limits.order = options.order;
  Expected<ExactResult> result = searchExact(problem, budget, limits);
  if (!result || result->outcome != ExactResult::Outcome::Optimal)
    return std::nullopt;
  return std::move(result->plan);
}

std::optional<Plan> BudgetLadder::priceAt(int64_t budget) {
  FlatProblem flat(problem);
  GapExpander expander(flat);
  FlatSchedule schedule, best;
  GapStates states;
  if (!expander.expand(GapStates(holdEverything(flat)), schedule) ||
      schedule.ops.empty())
    return std::nullopt;
  PricedPath path(flat, expander, schedule.ops[schedule.peakExecution]);
  auto cross = [&](PriceSlope slope, bool boundaries) {
    std::vector<double> weights = path.slopeWeights(slope);
    if (boundaries)
      path.keepBoundaries(weights);
    if (path.findCrossing(budget, weights, 11, schedule, states) &&
        (best.ops.empty() || schedule.cost < best.cost))
      std::swap(best, schedule);
  };
  cross(PriceSlope::LateFirst, false);
  cross(PriceSlope::LateFirst, true);
  if (best.ops.empty()) {
    if (leastPeak().claims.livePeak <= budget)
      return leastPeak();
    return std::nullopt;
  }
  Plan plan = makePlan(flat, best, toString(Strategy::MemoryBudget));
  if (flat.numOps <= 20'000) {
    offerNamed();
    for (const Plan &other : named)
      if (other.claims.livePeak <= budget && better(other, plan))
        plan = other;
  }
  return plan;
}

Plan BudgetLadder::searchAt(int64_t budget, const Plan &below,
                            const Plan &above, int depth,
                            std::vector<Plan> &seen) {
  // The cheapest start that fits; what lies below always does.
  Plan start = below;
  auto offer = [&](const Plan &plan) {
    if (plan.claims.livePeak > budget || !acceptable(plan))
      return;
    seen.push_back(plan);
    if (better(plan, start))
      start = plan;
  };
  for (const Plan &plan : named)
    offer(plan);
  PricedMinCutOptions priced;
  priced.budget = budget;
  priced.stages = {widestOp};
  priced.rounds = depth < 4 ? 12 : 4;
  Plan unfilled;
  priced.unfilled = &unfilled;
  offer(planPricedMinCut(problem, priced));
  if (!unfilled.schedule.empty())
    offer(unfilled);
  if (depth < 3) {
    Chain chain = detectChain(problem, 80);
    if (chain.blocks.size() > 1) {
      ChainPlannerOptions nested;
      nested.budget = budget;
      nested.memorySteps = 200;
      offer(planChain(problem, chain, nested));
    }
  }
  LocalSearchOptions search;
  search.budget = budget;
  search.order = options.order;
  search.seed = options.seed + uint64_t(depth);
  search.stop = options.stop;
  search.moves = movesPerRung();
  offer(improvePlan(problem, start, search));
  // From the other side: the rung above is cheaper but does not fit yet.
  if (depth < 6)
    offer(improvePlan(problem, above, search));
  return start;
}

const BudgetLadder::Rung &BudgetLadder::rung(int64_t budget, const Plan &below,
                                             const Plan &above, int depth) {
  auto found = rungs.find(budget);
  if (found != rungs.end())
    return found->second;
  std::vector<Plan> seen;
  Plan plan = searchAt(budget, below, above, depth, seen);
  // Cheaper than the rung above would break the order that others have been
  // promised: take the best that is not, which the rung below always is.
  if (plan.claims.recomputeCost < above.claims.recomputeCost) {
    plan = below;
    for (const Plan &other : seen)
      if (other.claims.recomputeCost >= above.claims.recomputeCost &&
          better(other, plan))
        plan = other;
  }
  return rungs.emplace(budget, Rung{std::move(plan), std::move(seen)})
      .first->second;
}

std::optional<Plan> BudgetLadder::descend(int64_t budget) {
  offerNamed();
  const Plan *low = &leastPeak();
  const Plan *high = &*top;
  int64_t from = low->claims.livePeak;
  if (budget < from)
    return std::nullopt;
  int64_t quantum = std::max<int64_t>(1, (high->claims.livePeak - from) >> 13);
  // The lowest rung itself gets the engines too: the plan of least peak was
  // not made to be cheap.
  const Rung *lowRung = &rung(from, *low, *high, 0), *highRung = nullptr;
  low = &lowRung->plan;
  for (int depth = 1;; ++depth) {
    int64_t to = high->claims.livePeak;
    if (to <= budget)
      return *high;
    if (low->claims.recomputeCost <= high->claims.recomputeCost)
      return *low;
    if (to - from <= quantum) {
      // Between two rungs whatever was met on the way to them may fit; the
      // choice is the same for all budgets between them.
      const Plan *best = low;
      for (const Rung *side : {lowRung, highRung})
        if (side)
          for (const Plan &plan : side->seen)
            if (plan.claims.livePeak <= budget && better(plan, *best) &&
                plan.claims.recomputeCost >= high->claims.recomputeCost)
              best = &plan;
      return *best;
    }
    int64_t middle = from + (to - from) / 2;
    const Rung &next = rung(middle, *low, *high, depth);
    if (middle <= budget) {
      lowRung = &next;
      low = &next.plan;
      from = middle;
    } else {
      highRung = &next;
      high = &next.plan;
    }
  }
}

std::optional<Plan> BudgetLadder::planAt(int64_t budget) {
  if (!top)
    return std::nullopt;
  if (top->claims.livePeak <= budget)
    return *top;
  if (problem.ops.size() <= kExactOps && leastIsExact()) {
    if (budget < least->claims.livePeak)
      return std::nullopt;
    if (std::optional<Plan> plan = exactAt(budget))
      return plan;
  }
  if (problem.ops.size() > kLadderOps)
    return priceAt(budget);
  return descend(budget);
}

} // namespace ringi::planner
