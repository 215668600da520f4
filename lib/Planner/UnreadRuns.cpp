//===- UnreadRuns.cpp - No op runs for nothing ------------------*- C++ -*-===//
//
// Part of Ringi. One sweep from the end: readers are met before what they read.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/UnreadRuns.h"

#include <algorithm>

namespace ringi::planner {

void dropUnreadRuns(const Problem &problem, Plan &plan, Order order) {
  const ExecutionIndex count = ExecutionIndex(plan.schedule.size());
  std::vector<int32_t> readers(count, 0), runs(problem.ops.size(), 0);
  std::vector<bool> clone = findClones(problem, plan);
  for (const Execution &execution : plan.schedule) {
    ++runs[execution.op];
    for (ExecutionIndex from : execution.reads)
      if (from != kNone)
        ++readers[from];
  }
  for (ExecutionIndex from : plan.outputs)
    if (from != kNone)
      ++readers[from];
  auto firstStays = [&](OpIndex op) {
    const std::vector<StorageIndex> &outputs = problem.ops[op].outputs;
    return order == Order::Fixed ||
           std::any_of(outputs.begin(), outputs.end(), [&](StorageIndex s) {
             return problem.storages[s].mark == Mark::MustRecompute;
           });
  };

  std::vector<bool> dropped(count, false);
  bool any = false;
  for (ExecutionIndex e = count; e-- > 0;) {
    const Execution &execution = plan.schedule[e];
    if (readers[e] > 0 || runs[execution.op] == 1 ||
        (!clone[e] && firstStays(execution.op)))
      continue;
    dropped[e] = any = true;
    --runs[execution.op];
    for (ExecutionIndex from : execution.reads)
      if (from != kNone)
        --readers[from];
  }
  if (!any)
    return;

  std::vector<ExecutionIndex> moved(count, kNone);
  ExecutionIndex next = 0;
  for (ExecutionIndex e = 0; e < count; ++e) {
    if (dropped[e])
      continue;
    moved[e] = next;
    Execution execution = std::move(plan.schedule[e]);
    for (ExecutionIndex &from : execution.reads)
      from = from == kNone ? kNone : moved[from];
    plan.schedule[next++] = std::move(execution);
  }
  plan.schedule.resize(next);
  for (ExecutionIndex &from : plan.outputs)
    from = from == kNone ? kNone : moved[from];
  // The schedule was simulated before and only lost runs: it stays valid.
  (void)fillClaims(problem, plan);
}

} // namespace ringi::planner
