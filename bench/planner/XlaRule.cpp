//===- XlaRule.cpp - What HloRematerialization recomputes -----------------===//
//
// Part of Ringi. Greedy along a fixed schedule, as described in PeerRules.h.
//
//===----------------------------------------------------------------------===//

#include "PeerRules.h"

#include "ringi/Planner/SequencePlan.h"
#include "ringi/Planner/Simulator.h"

#include <algorithm>

namespace ringi::planner {

namespace {

class XlaRule {
public:
  XlaRule(const Problem &problem, int64_t limit)
      : problem(problem), limit(limit), cloned(problem.ops.size(), false) {}

  Plan run() {
    std::vector<OpIndex> sequence;
    for (OpIndex op = 0; op < OpIndex(problem.ops.size()); ++op)
      sequence.push_back(op);
    Plan plan = planOfSequence(problem, sequence);
    ExecutionIndex from = 0;
    while (true) {
      Expected<Timeline> timeline = simulate(problem, plan);
      if (!timeline)
        break;
      while (from < ExecutionIndex(sequence.size()) &&
             timeline->resident[from] <= limit)
        ++from;
      if (from == ExecutionIndex(sequence.size()))
        break;
      Candidate best = choose(plan, *timeline, from);
      if (best.op == kNone) {
        ++from; // nothing more can be freed here
        continue;
      }
      cloned[best.op] = true;
      sequence.insert(sequence.begin() + best.before, best.op);
      plan = planOfSequence(problem, sequence);
    }
    (void)fillClaims(problem, plan);
    return plan;
  }

private:
  struct Candidate {
    OpIndex op = kNone;
    ExecutionIndex before = kNone;
    int64_t freed = 0;
  };

  /// The op that would free most bytes during execution `at`.
  Candidate choose(const Plan &plan, const Timeline &timeline,
                   ExecutionIndex at) const {
    const size_t ops = problem.ops.size();
    // Per op: bytes of its results that wait over `at`, and the first use of
    // any of them behind it; kNone where one is used at `at` itself.
    std::vector<int64_t> waiting(ops, 0);
    std::vector<ExecutionIndex> next(ops, ExecutionIndex(plan.schedule.size()));
    std::vector<ExecutionIndex> lastUse(problem.storages.size(), kNone);
    std::vector<ExecutionIndex> made(ops, kNone);
    for (const Buffer &buffer : timeline.buffers) {
      if (buffer.storage == kNone)
        continue;
      lastUse[buffer.storage] = std::max(lastUse[buffer.storage], buffer.last);
      OpIndex op = problem.storages[buffer.storage].producer;
      if (op == kNone || buffer.execution >= at || buffer.last <= at)
        continue;
      made[op] = buffer.execution;
      waiting[op] += buffer.bytes;
      if (problem.storages[buffer.storage].output)
        made[op] = kNone; // must live to the end
    }
    for (ExecutionIndex e = at; e < ExecutionIndex(plan.schedule.size()); ++e)
      for (StorageIndex s : problem.ops[plan.schedule[e].op].inputs)
        if (OpIndex op = problem.storages[s].producer; op != kNone)
          next[op] = std::min(next[op], e);
    Candidate best;
    for (OpIndex op = 0; op < OpIndex(ops); ++op) {
      if (made[op] == kNone || cloned[op] || !problem.ops[op].recomputable ||
          next[op] <= at || next[op] == ExecutionIndex(plan.schedule.size()))
        continue;
      int64_t freed = waiting[op];
      for (StorageIndex s : problem.ops[op].inputs)
        if (!problem.storages[s].persistent && lastUse[s] < at)
          freed -= problem.storages[s].bytes;
      if (freed > best.freed)
        best = {op, next[op], freed};
    }
    return best;
  }

  const Problem &problem;
  const int64_t limit;
  /// Clones may not be recomputed again.
  std::vector<bool> cloned;
};

} // namespace

Plan planByXlaRule(const Problem &problem, int64_t limit) {
  return XlaRule(problem, limit).run();
}

} // namespace ringi::planner
