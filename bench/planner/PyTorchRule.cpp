//===- PyTorchRule.cpp - What AOTAutograd's partitioner recomputes --------===//
//
// Part of Ringi. Two minimum cuts with a knapsack between them, as described in
// PeerRules.h.
//
//===----------------------------------------------------------------------===//

#include "PeerRules.h"

#include "ringi/Planner/KeepSet.h"
#include "ringi/Planner/MinCut.h"

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

} // namespace

Plan planByPyTorchRule(const Problem &problem, double knob) {
  return PyTorchRule(problem).run(knob);
}

} // namespace ringi::planner
