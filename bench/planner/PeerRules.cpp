//===- PeerRules.cpp - What other tools would recompute -------------------===//
//
// Part of Ringi. See PeerRules.h.
//
//===----------------------------------------------------------------------===//

#include "PeerRules.h"

#include "ringi/Planner/KeepSet.h"
#include "ringi/Planner/MinCut.h"
#include "ringi/Planner/Simulator.h"

#include <algorithm>
#include <cmath>

namespace ringi::planner {

namespace {

class PyTorchRule {
public:
  explicit PyTorchRule(const Problem &problem)
      : problem(problem), readers(computeReaders(problem)) {
    // Steps from a value to the backward phase.
    distance.assign(problem.storages.size(), 1000);
    for (StorageIndex s = StorageIndex(problem.storages.size()); s-- > 0;)
      for (OpIndex reader : readers[s]) {
        int32_t further = 0;
        if (problem.ops[reader].phase == Phase::Forward) {
          further = 1000;
          for (StorageIndex result : problem.ops[reader].outputs)
            further = std::min(further, distance[result] + 1);
        }
        distance[s] = std::min(distance[s], further);
      }
    banned.resize(problem.ops.size());
    for (size_t v = 0; v < problem.ops.size(); ++v) {
      OpClass c = problem.ops[v].opClass;
      banned[v] = c == OpClass::Gemm || c == OpClass::Attention ||
                  c == OpClass::Convolution || c == OpClass::Random ||
                  c == OpClass::Collective || !problem.ops[v].recomputable;
    }
  }

  Plan run(double knob) {
    std::vector<bool> saved = cut(banned);
    if (knob >= 1)
      return expandKeepSet(problem, saved);
    const double room = knob * double(bytesOf(saved));
    return expandKeepSet(problem, cut(chooseBans(room)));
  }

private:
  int64_t bytesOf(const std::vector<bool> &saved) const {
    int64_t bytes = 0;
    for (size_t s = 0; s < saved.size(); ++s)
      if (saved[s] && problem.storages[s].producer != kNone)
        bytes += problem.storages[s].bytes;
    return bytes;
  }

  /// The saved values when the ops of `ban` may not run again.
  std::vector<bool> cut(const std::vector<bool> &ban) const {
    const int32_t storages = int32_t(problem.storages.size());
    const MinCut::Node source = storages + int32_t(problem.ops.size());
    const MinCut::Node sink = source + 1;
    MinCut network(sink + 1);
    for (StorageIndex s = 0; s < storages; ++s) {
      OpIndex v = problem.storages[s].producer;
      if (v == kNone || problem.ops[v].phase != Phase::Forward)
        continue;
      double factor = std::pow(1.1, std::clamp(distance[s], 1, 100));
      network.addArc(s, ban[v] ? sink : storages + v,
                     int64_t(double(problem.storages[s].bytes) * factor));
    }
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
      for (StorageIndex s : problem.ops[v].inputs) {
        OpIndex producer = problem.storages[s].producer;
        if (producer == kNone || problem.ops[producer].phase != Phase::Forward)
          continue;
        if (problem.ops[v].phase == Phase::Forward)
          network.addArc(storages + v, s, MinCut::kUnlimited);
        else
          network.addArc(source, s, MinCut::kUnlimited);
      }
    network.solve(source, sink);
    std::vector<bool> saved(storages, false);
    for (StorageIndex s = 0; s < storages; ++s) {
      OpIndex v = problem.storages[s].producer;
      saved[s] = v != kNone && network.onSourceSide(s) &&
                 (ban[v] || !network.onSourceSide(storages + v));
    }
    return saved;
  }

  /// The knapsack: among the banned ops that may run again, those of most cost
  /// whose results fit into `room` stay banned. Solved over 2,000 steps of
  /// memory, sizes rounded up.
  std::vector<bool> chooseBans(double room) const {
    constexpr int32_t kSteps = 2000;
    std::vector<bool> bans = banned;
    std::vector<OpIndex> items;
    std::vector<int32_t> size;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
      const Op &op = problem.ops[v];
      if (!banned[v] || !op.recomputable || op.phase != Phase::Forward)
        continue;
      double bytes = 0;
      for (StorageIndex s : op.outputs)
        bytes += double(problem.storages[s].bytes);
      bans[v] = false;
      if (bytes > room)
        continue;
      items.push_back(v);
      size.push_back(room > 0 ? int32_t(std::ceil(bytes / room * kSteps)) : 0);
    }
    std::vector<double> best(kSteps + 1, 0);
    std::vector<std::vector<bool>> taken(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      taken[i].assign(kSteps + 1, false);
      for (int32_t m = kSteps; m >= size[i]; --m) {
        double with = best[m - size[i]] + problem.ops[items[i]].cost;
        if (with > best[m]) {
          best[m] = with;
          taken[i][m] = true;
        }
      }
    }
    int32_t left = kSteps;
    for (size_t i = items.size(); i-- > 0;)
      if (taken[i][left]) {
        bans[items[i]] = true;
        left -= size[i];
      }
    return bans;
  }

  const Problem &problem;
  std::vector<std::vector<OpIndex>> readers;
  std::vector<int32_t> distance;
  std::vector<bool> banned;
};

/// The schedule in which every read takes the latest copy.
Plan planOfSequence(const Problem &problem,
                    const std::vector<OpIndex> &sequence) {
  Plan plan;
  std::vector<ExecutionIndex> latest(problem.ops.size(), kNone);
  for (OpIndex op : sequence) {
    Execution execution;
    execution.op = op;
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

Plan planByPyTorchRule(const Problem &problem, double knob) {
  return PyTorchRule(problem).run(knob);
}

Plan planByXlaRule(const Problem &problem, int64_t limit) {
  return XlaRule(problem, limit).run();
}

} // namespace ringi::planner
