//===- MemoryBudget.cpp - The least recompute within a budget ---*- C++ -*-===//
//
// Part of Ringi. Takes the plan from the ladder, proves how near the optimum it
// is, and says for each value what became of it.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/MemoryBudget.h"

#include "BudgetPlan.h"
#include "ringi/Planner/BackwardOrder.h"
#include "ringi/Planner/Bounds.h"
#include "ringi/Planner/UnreadRuns.h"
#include "ringi/Planner/Verifier.h"

#include <algorithm>

namespace ringi::planner {

namespace {

/// How a forward result is read after its forward phase.
struct LaterReads {
  /// Of the first copy: by a backward op, by a replay.
  bool originByOp = false, originByReplay = false;
  bool ofClone = false;
};

std::vector<LaterReads> findLaterReads(const Problem &problem,
                                       const Plan &plan) {
  std::vector<LaterReads> reads(problem.storages.size());
  std::vector<bool> clone = findClones(problem, plan);
  for (size_t e = 0; e < plan.schedule.size(); ++e) {
    const Execution &execution = plan.schedule[e];
    const Op &op = problem.ops[execution.op];
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      ExecutionIndex from = execution.reads[i];
      LaterReads &of = reads[op.inputs[i]];
      if (from == kNone)
        continue;
      if (clone[from])
        of.ofClone = true;
      else if (op.phase != Phase::Forward)
        of.originByOp = true;
      else if (clone[e])
        of.originByReplay = true;
    }
  }
  return reads;
}

std::string describeDecision(const Storage &storage, const Op &producer,
                             const LaterReads &reads, int runs) {
  const bool kept = reads.originByOp || reads.originByReplay;
  if (!kept && storage.mark == Mark::MustRecompute)
    return "marked must-recompute";
  if (!kept)
    return runs > 2 ? "recomputed more than once to fit the budget"
                    : "cheaper to recompute than to hold";
  if (storage.mark == Mark::MustKeep)
    return "marked must-keep";
  if (reads.ofClone)
    return "held for its first reader, recomputed for later ones";
  if (!producer.recomputable)
    return "cannot be recomputed";
  return reads.originByOp ? "fits; cheaper to hold"
                          : "what a recompute starts from";
}

/// What became of every forward result that something reads after its forward
/// phase, and of every other value that runs again.
std::vector<Decision> decide(const Problem &problem, const Plan &plan) {
  std::vector<int> runs(problem.ops.size(), 0);
  for (const Execution &execution : plan.schedule)
    ++runs[execution.op];
  std::vector<LaterReads> reads = findLaterReads(problem, plan);
  std::vector<Decision> decisions;
  for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
    const Storage &storage = problem.storages[s];
    if (storage.producer == kNone)
      continue;
    const Op &producer = problem.ops[storage.producer];
    const bool isForward = producer.phase == Phase::Forward;
    const bool kept =
        isForward && (reads[s].originByOp || reads[s].originByReplay);
    if (!kept && runs[storage.producer] < 2)
      continue;
    Decision decision;
    decision.storage = s;
    decision.recomputed = !kept;
    decision.reason =
        describeDecision(storage, producer, isForward ? reads[s] : LaterReads(),
                         runs[storage.producer]);
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
  WorkingOrder working(problem, options.order);
  BudgetLadder ladder(working.problem(), options);
  if (!ladder.unplanned())
    return ladder.unplanned().error();
  std::optional<Plan> plan = ladder.planAt(options.budget);
  if (!plan)
    return Error::refused(
        describeRefusal(working.problem(), options.budget,
                        describeLeastPeak(working.problem(), ladder, options)));
  Expected<Plan> finished =
      finishBudgetPlan(working.problem(), std::move(*plan), options);
  if (finished)
    working.restore(*finished);
  return finished;
}

} // namespace ringi::planner
