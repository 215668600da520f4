//===- BudgetLadder.cpp - Plans for all budgets of one problem --*- C++ -*-===//
//
// Part of Ringi. Three sizes of graph, three ways: exhaustive search for the
// smallest, the ladder with every engine on each rung, and for the largest the
// crossing of one price, which is monotone by itself.
//
//===----------------------------------------------------------------------===//

#include "BudgetLadder.h"

#include "ringi/Planner/BlockDetection.h"
#include "ringi/Planner/ChainPlanner.h"
#include "ringi/Planner/ExactSearch.h"
#include "ringi/Planner/LocalSearch.h"
#include "ringi/Planner/PricedMinCut.h"
#include "ringi/Planner/Scheduler.h"
#include "ringi/Planner/UnreadRuns.h"
#include "ringi/Planner/Verifier.h"

#include <algorithm>

namespace ringi::planner {

namespace {

/// A level takes this part of the way that is left to the floor.
constexpr int64_t kLevelStep = 8;
/// Rungs whose costs differ by no more than this part are not told apart.
constexpr double kFineEnough = 0.003;

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
    if (acceptable(ordered) && isBetter(ordered, *top))
      *top = std::move(ordered);
  }
  int64_t widest = -1;
  for (OpIndex op = 0; op < OpIndex(problem.ops.size()); ++op) {
    int64_t bytes = problem.ops[op].workspace, own = bytes;
    for (StorageIndex s : problem.ops[op].inputs) {
      bytes += problem.storages[s].bytes;
      // An operand may be written over, a parameter is counted already.
      if (!problem.storages[s].persistent && problem.ops[op].inPlace.empty())
        own += problem.storages[s].bytes;
    }
    for (StorageIndex s : problem.ops[op].outputs) {
      bytes += problem.storages[s].bytes;
      if (problem.ops[op].inPlace.empty())
        own += problem.storages[s].bytes;
    }
    if (bytes > widest) {
      widest = bytes;
      widestOp = op;
    }
    floorBytes = std::max(floorBytes, own);
  }
  floorBytes += problem.persistentBytes();
}

bool BudgetLadder::acceptable(const Plan &plan) const {
  Plan copy = plan;
  copy.budget = 0;
  copy.claims.lowerBound = 0;
  return bool(verifyPlan(problem, copy));
}

EagerPrices *BudgetLadder::eager() {
  // Replays that a mark demands belong to a phase, which an early op may leave.
  const bool replays =
      std::any_of(problem.storages.begin(), problem.storages.end(),
                  [](const Storage &storage) {
                    return storage.mark == Mark::MustRecompute;
                  });
  if (options.order == Order::Fixed || replays ||
      problem.ops.size() <= kLadderOps)
    return nullptr;
  if (!eagerPrices)
    eagerPrices = std::make_unique<EagerPrices>(problem);
  return eagerPrices.get();
}

PriceFamilies &BudgetLadder::priced() {
  if (!families)
    families.emplace(problem);
  return *families;
}

void BudgetLadder::offerNamed() {
  if (!named.empty())
    return;
  named.push_back(*top);
  for (Strategy strategy : {Strategy::Selective, Strategy::EveryBlock,
                            Strategy::Sqrt, Strategy::RecomputeAll}) {
    // Verified by planStrategy.
    Expected<Plan> plan = planNamed(problem, options, strategy);
    if (plan)
      named.push_back(std::move(*plan));
  }
}

const Plan &BudgetLadder::leastPeak() {
  if (!least && problem.ops.size() <= kExactOps)
    exact = findExactLeast();
  if (!least && problem.ops.size() > kLadderOps)
    findCheapLeast();
  if (!exact && problem.ops.size() <= kLadderOps)
    while (lowerLevel())
      ;
  return *least;
}

bool BudgetLadder::leastIsExact() {
  leastPeak();
  return exact;
}

bool BudgetLadder::findExactLeast() {
  ExactOptions limits;
  limits.order = options.order;
  Expected<int64_t> minimum = findMinimumBudget(problem, limits);
  if (!minimum)
    return false;
  Expected<ExactResult> result = searchExact(problem, *minimum, limits);
  if (!result || result->outcome != ExactResult::Outcome::Optimal)
    return false;
  least = std::move(result->plan);
  return true;
}

void BudgetLadder::offerLeast(Plan plan) {
  dropUnreadRuns(problem, plan, options.order);
  if (!least || plan.claims.livePeak < least->claims.livePeak ||
      (plan.claims.livePeak == least->claims.livePeak &&
       plan.claims.recomputeCost < least->claims.recomputeCost))
    if (acceptable(plan))
      least = std::move(plan);
}

/// What the engines reach that need no search.
void BudgetLadder::findCheapLeast() {
  offerNamed();
  for (const Plan &plan : named)
    offerLeast(plan);
  if (std::optional<Plan> plan = priced().leastPeak())
    offerLeast(std::move(*plan));
  if (EagerPrices *along = eager())
    if (std::optional<Plan> plan = along->leastPeak())
      offerLeast(std::move(*plan));
  if (Chain chain = detectChain(problem, 80); chain.blocks.size() > 1) {
    ChainPlannerOptions nested;
    nested.budget = 1;
    offerLeast(planChain(problem, chain, nested));
  }
}

/// Searches below the least peak; false when that gains little.
bool BudgetLadder::lowerPeak() {
  const int64_t before = least->claims.livePeak;
  report("searching for the least peak, now " + std::to_string(before) +
         " bytes");
  LocalSearchOptions search;
  search.goal = LocalSearchGoal::LeastPeak;
  search.order = options.order;
  search.seed = options.seed + levels.size();
  search.stop = options.stop;
  search.moves = movesOfRung(problem, options, 0);
  offerLeast(improvePlan(problem, *least, search));
  return least->claims.livePeak <= before / 32 * 31;
}

/// In a fixed order the plan of least peak shows how cheap low peaks can be,
/// which a search from above would miss: it is found first. Budgets stepping
/// down show the engines where memory is short.
void BudgetLadder::findLeastInOrder() {
  LocalSearchOptions search;
  search.goal = LocalSearchGoal::LeastPeak;
  search.seed = options.seed;
  search.stop = options.stop;
  search.moves = movesOfRung(problem, options, 0) * 3;
  offerLeast(improvePlan(problem, *least, search));
  search.moves = movesOfRung(problem, options, 0);
  PricedMinCutOptions priced;
  priced.stages = {widestOp};
  priced.rounds = 6;
  priced.fills = 0;
  for (int step = 0; step < 8 && !stopped(); ++step) {
    report("searching for the least peak, now " +
           std::to_string(least->claims.livePeak) + " bytes");
    const int64_t before = least->claims.livePeak;
    priced.budget = before / 16 * 15;
    Plan plan = planPricedMinCut(problem, priced);
    if (plan.claims.livePeak > priced.budget) {
      search.goal = LocalSearchGoal::LeastCost;
      search.budget = priced.budget;
      plan = improvePlan(problem, std::move(plan), search);
    }
    offerLeast(plan);
    search.goal = LocalSearchGoal::LeastPeak;
    search.seed += 1;
    offerLeast(improvePlan(problem, *least, search));
    if (least->claims.livePeak > before / 32 * 31)
      break;
  }
}

/// Adds the rung of the next lower budget; false when there is none.
bool BudgetLadder::lowerLevel() {
  if (lowest)
    return false;
  if (!least)
    findCheapLeast();
  if (options.order == Order::Fixed) {
    findLeastInOrder();
    lowest = true;
    Rung below{*least, {}, true};
    const int64_t peak = least->claims.livePeak;
    levels.push_back({peak, rung(peak, &below, *top, 0, true)});
    return true;
  }
  const Plan &above = levels.empty() ? *top : levels.back().rung->plan;
  const int64_t last =
      levels.empty() ? top->claims.livePeak : levels.back().budget;
  const int64_t step = std::max<int64_t>(1, (last - floorBytes) / kLevelStep);
  // Engines that fell behind will not catch up.
  const bool useEngines = levels.empty() || levels.back().rung->enginesHelp;
  auto add = [&](int64_t budget) {
    Rung below{*least, {}, true};
    bool fits = least->claims.livePeak <= budget &&
                least->claims.recomputeCost >= above.claims.recomputeCost;
    const Rung *found =
        rung(budget, fits ? &below : nullptr, above, 0, useEngines);
    if (found)
      levels.push_back({budget, found});
    return found != nullptr;
  };
  if (add(last - step))
    return true;
  // Too low for one step: as far as the search came, or as low as it gets.
  const int64_t worthwhile = last - step / 4;
  for (int tries = 0; tries < 4 && least->claims.livePeak > worthwhile; ++tries)
    if (!lowerPeak())
      break;
  lowest = least->claims.livePeak > worthwhile;
  if (least->claims.livePeak < last && add(least->claims.livePeak))
    return true;
  // Here it ends. A least plan cheaper than the level above it was found too
  // late: that level may have been handed out, and cost must not fall with the
  // budget.
  lowest = true;
  if (least->claims.recomputeCost < above.claims.recomputeCost ||
      above.claims.livePeak < least->claims.livePeak)
    least = above;
  return false;
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
  std::optional<Plan> plan = priced().cheapestWithin(budget);
  if (EagerPrices *along = eager()) {
    std::optional<Plan> other = along->cheapestWithin(budget);
    if (other && (!plan || isBetter(*other, *plan)))
      plan = std::move(other);
  }
  if (!plan) {
    if (leastPeak().claims.livePeak <= budget)
      return leastPeak();
    return std::nullopt;
  }
  if (problem.ops.size() <= kNamedOps) {
    offerNamed();
    for (const Plan &other : named)
      if (other.claims.livePeak <= budget && isBetter(other, *plan))
        plan = other;
  }
  return plan;
}

const Rung *BudgetLadder::rung(int64_t budget, const Rung *below,
                               const Plan &above, int depth, bool useEngines) {
  auto found = rungs.find(budget);
  if (found != rungs.end())
    return &found->second;
  report("planning at " + std::to_string(budget) + " bytes");
  RungRequest request;
  request.budget = budget;
  request.below = below;
  request.above = &above;
  request.depth = depth;
  request.useEngines = useEngines;
  request.named = &named;
  request.widestOp = widestOp;
  if (depth == 0)
    request.notice = [this](const Plan &plan) { offerLeast(plan); };
  std::optional<Rung> here = searchRung(problem, options, request);
  if (!here)
    return nullptr;
  return &rungs.emplace(budget, std::move(*here)).first->second;
}

/// What an interrupted search has so far, or what one price gives at once.
std::optional<Plan> BudgetLadder::cheapestKnown(int64_t budget) {
  std::optional<Plan> best;
  auto consider = [&](const Plan &plan) {
    if (plan.claims.livePeak <= budget && (!best || isBetter(plan, *best)))
      best = plan;
  };
  if (least)
    consider(*least);
  for (const auto &[at, rung] : rungs)
    consider(rung.plan);
  if (std::optional<Plan> plan = priced().anyWithin(budget);
      plan && acceptable(*plan))
    consider(*plan);
  return best;
}

std::optional<Plan> BudgetLadder::descend(int64_t budget) {
  // The first level within the budget; the one above it bounds the range.
  const Rung *above = nullptr;
  for (size_t i = 0; i < levels.size() || lowerLevel(); ++i) {
    if (levels[i].budget <= budget)
      return halve(*levels[i].rung, levels[i].budget, above, budget);
    above = levels[i].rung;
    if (stopped())
      if (std::optional<Plan> known = cheapestKnown(budget))
        return known;
  }
  if (least->claims.livePeak <= budget)
    return *least;
  return std::nullopt;
}

/// Between the level `low` and the level above it, or top when `above` is null.
Plan BudgetLadder::halve(const Rung &level, int64_t from, const Rung *above,
                         int64_t budget) {
  const Rung *low = &level;
  const Plan *high = above ? &above->plan : &*top;
  // Engines are quick and jump from plan to plan, so that a few bytes may
  // matter; where only the search helps, nothing is that sharp.
  const int64_t quantum = std::max<int64_t>(
      1, (top->claims.livePeak - floorBytes) >> (level.enginesHelp ? 22 : 13));
  for (int depth = 1;; ++depth) {
    const int64_t to = high->claims.livePeak;
    if (to <= budget)
      return *high;
    if (stopped() || to - from <= quantum ||
        low->plan.claims.recomputeCost <=
            high->claims.recomputeCost * (1 + kFineEnough) +
                negligibleCost(problem))
      break;
    const int64_t middle = from + (to - from) / 2;
    const Rung *next = rung(middle, low, *high, depth, low->enginesHelp);
    if (middle <= budget) {
      low = next;
      from = middle;
    } else {
      above = next;
      high = &next->plan;
    }
  }
  // Between two rungs whatever was met on the way to them may fit; the choice
  // is the same for all budgets between them.
  const Plan *best = &low->plan;
  for (const Rung *side : {low, above})
    if (side)
      for (const Plan &plan : side->seen)
        if (plan.claims.livePeak <= budget && isBetter(plan, *best) &&
            plan.claims.recomputeCost >= high->claims.recomputeCost)
          best = &plan;
  return *best;
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
