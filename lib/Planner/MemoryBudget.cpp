//===- MemoryBudget.cpp - The least recompute within a budget ---*- C++ -*-===//
//
// Part of Ringi. Takes the plan from the ladder, proves how near the optimum it
// is, and says for each value what became of it.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/MemoryBudget.h"

#include "BudgetPlan.h"
#include "ringi/Planner/Bounds.h"
#include "ringi/Planner/UnreadRuns.h"
#include "ringi/Planner/Verifier.h"

#include <algorithm>

namespace ringi::planner {

namespace {

/// What became of every value that outlives the forward phase or runs again.
std::vector<Decision> decide(const Problem &problem, const Plan &plan) {
  std::vector<uint8_t> runs(problem.ops.size(), 0);
  for (const Execution &execution : plan.schedule)
    runs[execution.op] = uint8_t(std::min<int>(runs[execution.op] + 1, 3));
  std::vector<uint8_t> waits(problem.storages.size(), 0);
  for (const Op &op : problem.ops)
    if (op.phase != Phase::Forward)
      for (StorageIndex s : op.inputs)
        waits[s] = 1;
  std::vector<Decision> decisions;
  for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
    const Storage &storage = problem.storages[s];
    if (storage.producer == kNone)
      continue;
    const Op &producer = problem.ops[storage.producer];
    Decision decision;
    decision.storage = s;
    decision.recomputed = runs[storage.producer] > 1;
    if (decision.recomputed)
      decision.reason = storage.mark == Mark::MustRecompute
                            ? "marked must-recompute"
                        : runs[storage.producer] > 2
                            ? "recomputed more than once to fit the budget"
                            : "cheaper to recompute than to hold";
    else if (producer.phase != Phase::Forward || !waits[s])
      continue;
    else
      decision.reason = storage.mark == Mark::MustKeep ? "marked must-keep"
                        : !producer.recomputable ? "cannot be recomputed"
                                                 : "fits; cheaper to hold";
    decisions.push_back(std::move(decision));
  }
  return decisions;
}

} // namespace

Expected<Plan> finishBudgetPlan(const Problem &problem, Plan plan,
                                const StrategyOptions &options) {
  plan.strategy = toString(Strategy::MemoryBudget);
  plan.budget = options.budget;
  dropUnreadRuns(problem, plan, options.order);
  plan.decisions = decide(problem, plan);
  if (plan.claims.boundClass != BoundClass::Exact) {
    CostBound bound = computeBound(problem, options.budget, options.order);
    plan.claims.lowerBound = std::min(bound.cost, plan.claims.recomputeCost);
    plan.claims.boundClass = bound.boundClass;
  }
  Expected<VerifiedPlan> verified = verifyPlan(problem, plan);
  if (!verified)
    return verified.error();
  return plan;
}

Expected<Plan> planMemoryBudget(const Problem &problem,
                                const StrategyOptions &options) {
  if (Status status = problem.check(); !status)
    return status.error();
  BudgetLadder ladder(problem, options);
  if (!ladder.unplanned())
    return ladder.unplanned().error();
  std::optional<Plan> plan = ladder.planAt(options.budget);
  if (!plan)
    return Error::refused(
        describeRefusal(problem, options.budget,
                        describeLeastPeak(problem, ladder, options.order)));
  return finishBudgetPlan(problem, std::move(*plan), options);
}

} // namespace ringi::planner
