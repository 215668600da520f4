//===- SequencePlan.cpp - From an order of executions to a plan -----------===//
//
// Part of Ringi. See SequencePlan.h.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/SequencePlan.h"

namespace ringi::planner {

Plan planOfSequence(const Problem &problem,
                    const std::vector<OpIndex> &sequence) {
  Plan plan;
  plan.schedule.reserve(sequence.size());
  std::vector<ExecutionIndex> latest(problem.ops.size(), kNone);
  for (OpIndex op : sequence) {
    Execution execution;
    execution.op = op;
    execution.reads.reserve(problem.ops[op].inputs.size());
    for (StorageIndex s : problem.ops[op].inputs) {
      OpIndex producer = problem.storages[s].producer;
      execution.reads.push_back(producer == kNone ? kNone : latest[producer]);
    }
    latest[op] = ExecutionIndex(plan.schedule.size());
    plan.schedule.push_back(std::move(execution));
  }
  for (StorageIndex s : outputStorages(problem))
    plan.outputs.push_back(latest[problem.storages[s].producer]);
  return plan;
}

} // namespace ringi::planner
