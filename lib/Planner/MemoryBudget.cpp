//===- MemoryBudget.cpp - The least recompute within a budget -------------===//
//
// Part of Ringi. Picks the cheapest named strategy whose live peak fits.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/MemoryBudget.h"

#include <algorithm>

namespace ringi::planner {

Expected<Plan> planMemoryBudget(const Problem &problem,
                                const StrategyOptions &options) {
  Expected<Plan> best = Error::refused("");
  int64_t least = INT64_MAX;
  for (Strategy strategy : {Strategy::None, Strategy::Selective,
                            Strategy::EveryBlock, Strategy::Sqrt}) {
    StrategyOptions named = options;
    named.strategy = strategy;
    named.budget = 0;
    Expected<Plan> plan = planStrategy(problem, named);
    if (!plan)
      return plan.error();
    least = std::min(least, plan->claims.livePeak);
    if (plan->claims.livePeak > options.budget ||
        (best && best->claims.recomputeCost <= plan->claims.recomputeCost))
      continue;
    plan->strategy = toString(Strategy::MemoryBudget);
    plan->budget = options.budget;
    best = std::move(plan);
  }
  if (!best)
    return Error::refused(
        "no plan fits into " + std::to_string(options.budget) +
        " bytes; the least peak found is " + std::to_string(least));
  return best;
}

} // namespace ringi::planner
