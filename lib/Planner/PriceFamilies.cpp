//===- PriceFamilies.cpp - Plans of large graphs along prices -------------===//
//
// Part of Ringi. Chooses the moments and the cuts, then asks each family.
//
//===----------------------------------------------------------------------===//

#include "PriceFamilies.h"

#include "ringi/Planner/BackwardOrder.h"
#include "ringi/Planner/BlockDetection.h"
#include "ringi/Planner/Strategies.h"

#include <utility>

namespace ringi::planner {

namespace {
/// Halvings of the last interval of prices.
constexpr int kDepth = 11;
/// More moments than one are followed up to this size.
constexpr int32_t kManyMoments = 20'000;
/// Stands for weights without boundaries.
constexpr int32_t kNoChain = -1;
} // namespace

PriceFamilies::PriceFamilies(const Problem &problem)
    : flat(problem), expander(flat) {
  FlatSchedule top;
  if (!expander.expand(holdEverything(flat), top) || top.ops.empty())
    return;
  const OpIndex stage = top.ops[top.peakExecution];
  if (flat.numOps > kManyMoments || detectChain(problem).singleValue) {
    addMoment(stage, {kNoChain, 0});
    return;
  }
  const std::vector<int32_t> chains = {kNoChain, 32, 16};
  addMoment(stage, chains);
  FlatSchedule least;
  if (!paths.front()->findLeast(families.front().weights, least))
    return;
  const OpIndex next = originAtPeak(least);
  if (next != stage)
    addMoment(next, chains);
}

void PriceFamilies::addMoment(OpIndex stage,
                              const std::vector<int32_t> &chains) {
  paths.push_back(std::make_unique<PricedPath>(flat, expander, stage));
  for (int32_t maxBlocks : chains) {
    Family family{paths.size() - 1,
                  paths.back()->slopeWeights(PriceSlope::LateFirst)};
    if (maxBlocks != kNoChain)
      keepBoundaries(family.weights, findBoundaries(*flat.problem, maxBlocks));
    families.push_back(std::move(family));
  }
}

OpIndex PriceFamilies::originAtPeak(const FlatSchedule &schedule) const {
  std::vector<uint8_t> ran(flat.numOps, 0);
  OpIndex last = 0;
  for (ExecutionIndex e = 0; e <= schedule.peakExecution; ++e)
    if (!std::exchange(ran[schedule.ops[e]], uint8_t(1)))
      last = schedule.ops[e];
  return last;
}

std::optional<Plan> PriceFamilies::cheapestWithin(int64_t budget) {
  FlatSchedule schedule, best;
  GapStates states;
  for (const Family &family : families)
    if (paths[family.path]->findCrossing(budget, family.weights, kDepth,
                                         schedule, states) &&
        (best.ops.empty() || schedule.cost < best.cost))
      std::swap(best, schedule);
  if (best.ops.empty())
    return std::nullopt;
  return makePlan(flat, best, toString(Strategy::MemoryBudget));
}

std::optional<Plan> PriceFamilies::anyWithin(int64_t budget) {
  FlatSchedule schedule;
  GapStates states;
  for (const Family &family : families)
    if (paths[family.path]->findCrossing(budget, family.weights, kDepth,
                                         schedule, states))
      return makePlan(flat, schedule, toString(Strategy::MemoryBudget));
  return std::nullopt;
}

std::optional<Plan> PriceFamilies::leastPeak() {
  FlatSchedule schedule, best;
  for (const Family &family : families)
    if (paths[family.path]->findLeast(family.weights, schedule) &&
        (best.ops.empty() || schedule.peak < best.peak))
      std::swap(best, schedule);
  if (best.ops.empty())
    return std::nullopt;
  return makePlan(flat, best, toString(Strategy::MemoryBudget));
}

EagerPrices::EagerPrices(const Problem &given)
    : order(orderEagerly(given)), problem(reorder(given, order)),
      families(problem) {}

std::optional<Plan> EagerPrices::restored(std::optional<Plan> plan) const {
  if (plan)
    for (Execution &execution : plan->schedule)
      execution.op = order[execution.op];
  return plan;
}

std::optional<Plan> EagerPrices::cheapestWithin(int64_t budget) {
  return restored(families.cheapestWithin(budget));
}

std::optional<Plan> EagerPrices::leastPeak() {
  return restored(families.leastPeak());
}

} // namespace ringi::planner
