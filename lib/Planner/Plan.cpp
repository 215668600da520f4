//===- Plan.cpp - A schedule that may compute a value again ---------------===//
//
// Part of Ringi. Facts of a plan that do not depend on memory: which executions
// are clones, which serve the backward phase, what recompute costs.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Plan.h"

#include "ringi/Planner/Simulator.h"

namespace ringi::planner {

std::vector<StorageIndex> outputStorages(const Problem &problem) {
  std::vector<StorageIndex> result;
  for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s)
    if (problem.storages[s].output && problem.storages[s].producer != kNone)
      result.push_back(s);
  return result;
}

Plan makeKeepAllPlan(const Problem &problem) {
  Plan plan;
  plan.strategy = "none";
  plan.schedule.resize(problem.ops.size());
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
    Execution &execution = plan.schedule[v];
    execution.op = v;
    execution.reads.reserve(problem.ops[v].inputs.size());
    // Execution v runs op v, so a producer's index is its execution's.
    for (StorageIndex s : problem.ops[v].inputs)
      execution.reads.push_back(problem.storages[s].producer);
  }
  for (StorageIndex s : outputStorages(problem))
    plan.outputs.push_back(problem.storages[s].producer);
  if (Expected<Timeline> timeline = simulate(problem, plan))
    plan.claims.livePeak = timeline->livePeak;
  return plan;
}

std::vector<bool> findClones(const Problem &problem, const Plan &plan) {
  std::vector<bool> ran(problem.ops.size(), false);
  std::vector<bool> clone(plan.schedule.size(), false);
  for (size_t e = 0; e < plan.schedule.size(); ++e) {
    OpIndex op = plan.schedule[e].op;
    clone[e] = ran[op];
    ran[op] = true;
  }
  return clone;
}

std::vector<bool> findBackwardExecutions(const Problem &problem,
                                         const Plan &plan) {
  std::vector<bool> clone = findClones(problem, plan);
  auto isForward = [&](size_t e) {
    return problem.ops[plan.schedule[e].op].phase == Phase::Forward;
  };
  size_t begin = 0;
  while (begin < plan.schedule.size() && (clone[begin] || isForward(begin)))
    ++begin;
  while (begin > 0 && clone[begin - 1])
    --begin;
  std::vector<bool> backward(plan.schedule.size(), false);
  for (size_t e = 0; e < plan.schedule.size(); ++e)
    backward[e] = !isForward(e) || (clone[e] && e >= begin);
  return backward;
}

bool keepsGivenOrder(const Problem &problem, const Plan &plan) {
  std::vector<bool> clone = findClones(problem, plan);
  OpIndex next = 0;
  for (size_t e = 0; e < plan.schedule.size(); ++e)
    if (!clone[e] && plan.schedule[e].op != next++)
      return false;
  return true;
}

int64_t savedActivationBytes(const Problem &problem, const Plan &plan) {
  std::vector<bool> backward = findBackwardExecutions(problem, plan);
  std::vector<bool> saved(problem.storages.size(), false);
  int64_t sum = 0;
  for (size_t e = 0; e < plan.schedule.size(); ++e) {
    if (!backward[e])
      continue;
    const Execution &execution = plan.schedule[e];
    const std::vector<StorageIndex> &inputs = problem.ops[execution.op].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      ExecutionIndex from = execution.reads[i];
      if (from == kNone || backward[from] || saved[inputs[i]])
        continue;
      saved[inputs[i]] = true;
      sum += problem.storages[inputs[i]].bytes;
    }
  }
  return sum;
}

Status fillClaims(const Problem &problem, Plan &plan) {
  Expected<Timeline> timeline = simulate(problem, plan);
  if (!timeline)
    return timeline.error();
  plan.claims.livePeak = timeline->livePeak;
  plan.claims.recomputeCost = 0;
  plan.claims.recomputeFlops = 0;
  plan.claims.recomputes = 0;
  std::vector<bool> clone = findClones(problem, plan);
  for (size_t e = 0; e < plan.schedule.size(); ++e) {
    if (!clone[e])
      continue;
    plan.claims.recomputeCost += problem.ops[plan.schedule[e].op].cost;
    plan.claims.recomputeFlops += problem.ops[plan.schedule[e].op].flops;
    ++plan.claims.recomputes;
  }
  return Status::success();
}

const char *toString(BoundClass boundClass) {
  switch (boundClass) {
  case BoundClass::None:
    return "none";
  case BoundClass::GapFixed:
    return "gap-fixed";
  case BoundClass::SnapshotFixed:
    return "snapshot-fixed";
  case BoundClass::SnapshotFree:
    return "snapshot-free";
  case BoundClass::Exact:
    return "exact";
  }
  return "none";
}

} // namespace ringi::planner
