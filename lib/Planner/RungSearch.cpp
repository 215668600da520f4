//===- RungSearch.cpp - The plan of one rung of the ladder ----------------===//
//
// Part of Ringi. Under a free order, annealing from above finds what engines in
// the given order cannot; it starts hot at a level and colder with each
// halving, since the plans then differ less and less. Under a fixed order the
// engines come close, and short searches do the rest.
//
//===----------------------------------------------------------------------===//

#include "RungSearch.h"

#include "ringi/Planner/BlockDetection.h"
#include "ringi/Planner/ChainPlanner.h"
#include "ringi/Planner/LocalSearch.h"
#include "ringi/Planner/PricedMinCut.h"
#include "ringi/Planner/SnapshotBound.h"
#include "ringi/Planner/UnreadRuns.h"
#include "ringi/Planner/Verifier.h"

#include <algorithm>
#include <cmath>

namespace ringi::planner {

namespace {

/// How much less each halving of the range shakes a plan, and how much less a
/// plan that fits is shaken than one from above.
constexpr double kCooling = 0.5, kPolish = 0.2;
/// Engines whose plan is dearer than that of the search by more than this are
/// not asked again nearby.
constexpr double kFarBehind = 1.25;
/// Part of the step's cost that a plan may lie above a bound from this many
/// moments without being searched further.
constexpr double kNear = 2e-4;
constexpr int32_t kMoments = 4;

class RungSearch {
public:
  RungSearch(const Problem &problem, const StrategyOptions &options,
             const RungRequest &request)
      : problem(problem), options(options), request(request) {}

  std::optional<Rung> run() {
    here.enginesHelp = request.useEngines;
    if (request.below)
      best = request.below->plan;
    const bool stopped =
        options.stop && options.stop->load(std::memory_order_relaxed);
    if (request.useEngines && !(stopped && best))
      askEngines();
    if (!best ||
        (best->claims.recomputeCost > leastCost() + negligibleCost(problem) &&
         !isNearBound()))
      anneal();
    if (!best)
      return std::nullopt;
    here.plan = std::move(*best);
    return std::move(here);
  }

private:
  double leastCost() const { return request.above->claims.recomputeCost; }

  /// Takes a plan into account, without what nobody reads: rungs compare what
  /// is handed out in the end.
  void offer(Plan plan) {
    dropUnreadRuns(problem, plan, options.order);
    if (plan.claims.livePeak > request.budget ||
        plan.claims.recomputeCost < leastCost() || !acceptable(plan))
      return;
    if (!best || isBetter(plan, *best))
      best = plan;
    here.seen.push_back(std::move(plan));
  }

  bool acceptable(const Plan &plan) const {
    Plan copy = plan;
    copy.budget = 0;
    copy.claims.lowerBound = 0;
    return bool(verifyPlan(problem, copy));
  }

  void askEngines() {
    for (const Plan &plan : *request.named)
      offer(plan);
    PricedMinCutOptions priced;
    priced.budget = request.budget;
    priced.stages = {request.widestOp};
    priced.rounds = request.depth < 4 ? 12 : 4;
    Plan unfilled;
    priced.unfilled = &unfilled;
    offer(planPricedMinCut(problem, priced));
    if (!unfilled.schedule.empty())
      offer(unfilled);
    if (request.depth >= 3)
      return;
    Chain chain = detectChain(problem, 80);
    if (chain.blocks.size() < 2)
      return;
    ChainPlannerOptions nested;
    nested.budget = request.budget;
    nested.memorySteps = 200;
    offer(planChain(problem, chain, nested));
  }

  /// What a few moments prove leaves nothing to search for.
  bool isNearBound() const {
    CostBound bound =
        computeSnapshotBound(problem, request.budget, options.order, kMoments);
    return best->claims.recomputeCost - bound.cost <=
           kNear * problem.totalCost();
  }

  void anneal() {
    LocalSearchOptions search;
    search.budget = request.budget;
    search.leastCost = leastCost();
    search.order = options.order;
    search.seed = options.seed + uint64_t(request.depth);
    search.stop = options.stop;
    search.moves = movesOfRung(problem, options, request.depth);
    if (options.order == Order::Fixed) {
      // From what fits, which has the structure that low peaks need, and from
      // above.
      if (best)
        offer(improvePlan(problem, Plan(*best), search));
      if (request.depth < 6)
        offer(improvePlan(problem, *request.above, search));
      return;
    }
    search.heat = std::pow(kCooling, request.depth);
    Plan fromAbove = improvePlan(problem, *request.above, search);
    if (request.notice)
      request.notice(fromAbove);
    if (request.depth == 0 && fromAbove.claims.livePeak <= request.budget)
      here.enginesHelp &=
          best && best->claims.recomputeCost <
                      fromAbove.claims.recomputeCost * kFarBehind;
    offer(fromAbove);
    if (!best)
      return;
    search.heat *= kPolish;
    search.moves = std::max<int64_t>(1, search.moves / 4);
    offer(improvePlan(problem, Plan(*best), search));
  }

  const Problem &problem;
  const StrategyOptions &options;
  const RungRequest &request;
  Rung here;
  std::optional<Plan> best;
};

} // namespace

bool isBetter(const Plan &a, const Plan &b) {
  if (a.claims.recomputeCost != b.claims.recomputeCost)
    return a.claims.recomputeCost < b.claims.recomputeCost;
  return a.claims.livePeak < b.claims.livePeak;
}

double negligibleCost(const Problem &problem) {
  return 1e-5 * problem.totalCost();
}

int64_t movesOfRung(const Problem &problem, const StrategyOptions &options,
                    int depth) {
  // A small graph has fewer plans. In a large one a move costs more, and the
  // engines leave less to find.
  const double ops = double(problem.ops.size()), large = 1000 / ops;
  double moves = options.order == Order::Fixed
                     ? std::min(40'000.0, 4e7 / (ops + 100))
                     : std::min({50'000 + 2'000 * ops, 300'000.0,
                                 300'000 * large * large * large}) /
                           (1 + depth);
  return int64_t(std::clamp(moves * options.effort, 1.0, 1e15));
}

std::optional<Rung> searchRung(const Problem &problem,
                               const StrategyOptions &options,
                               const RungRequest &request) {
  return RungSearch(problem, options, request).run();
}

} // namespace ringi::planner
