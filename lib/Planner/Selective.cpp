//===- Selective.cpp - Keep what is dear, recompute what is cheap ---------===//
//
// Part of Ringi. Op classes say what may be recomputed; a minimum cut in bytes
// then finds the least that must be saved, so that of a gemm and the residual
// sum after it only one is kept, and it is the one that backward reads.
//
// Source: the min-cut partitioner of PyTorch's AOTAutograd with its bans, and
// Korthikanti et al. 2022, section 5. Limit: it counts bytes that cross to the
// backward phase and is blind to the peak.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/KeepPolicy.h"
#include "ringi/Planner/MinCut.h"

namespace ringi::planner {

namespace {

/// Which forward ops `selective` may run again.
std::vector<bool> findCheapOps(const Problem &problem, SelectiveKeep keep) {
  // Storages made of parameters alone (casts, transposes), and those that stem
  // from a gemm without parameter through ops that are no such products.
  std::vector<bool> weight(problem.storages.size(), false);
  std::vector<bool> fromScores(problem.storages.size(), false);
  for (size_t s = 0; s < problem.storages.size(); ++s)
    weight[s] = problem.storages[s].category == Category::Parameter;
  std::vector<bool> cheap(problem.ops.size(), false);
  for (size_t v = 0; v < problem.ops.size(); ++v) {
    const Op &op = problem.ops[v];
    bool allWeights = !op.inputs.empty(), anyWeight = false, scores = false;
    for (StorageIndex s : op.inputs) {
      allWeights = allWeights && weight[s];
      anyWeight = anyWeight || weight[s];
      scores = scores || fromScores[s];
    }
    bool makesScores = false;
    switch (op.opClass) {
    case OpClass::Gemm:
      makesScores = !anyWeight && !scores;
      cheap[v] = keep == SelectiveKeep::WeightGemm && makesScores;
      break;
    case OpClass::Attention:
    case OpClass::Convolution:
    case OpClass::Collective:
    case OpClass::Optimizer:
    case OpClass::Other:
      break;
    case OpClass::Elementwise:
    case OpClass::Reduction:
    case OpClass::Normalization:
    case OpClass::Random:
    case OpClass::View:
      cheap[v] = true;
      makesScores = scores;
      break;
    }
    cheap[v] = cheap[v] && op.recomputable && op.phase == Phase::Forward;
    for (StorageIndex s : op.outputs) {
      weight[s] = allWeights;
      fromScores[s] = makesScores;
    }
  }
  return cheap;
}

/// Storages that a forward op of another block than their producer's reads.
std::vector<bool> findBoundaries(const Problem &problem) {
  std::vector<bool> boundary(problem.storages.size(), false);
  for (const Op &op : problem.ops) {
    if (op.phase != Phase::Forward)
      continue;
    for (StorageIndex s : op.inputs) {
      OpIndex producer = problem.storages[s].producer;
      if (producer != kNone && problem.ops[producer].block != op.block)
        boundary[s] = true;
    }
  }
  return boundary;
}

} // namespace

KeepPolicy keepSelected(const Problem &problem, SelectiveKeep keep) {
  std::vector<bool> cheap = findCheapOps(problem, keep);
  std::vector<bool> boundary = findBoundaries(problem);
  const int32_t storages = int32_t(problem.storages.size());
  const int32_t ops = int32_t(problem.ops.size());
  const MinCut::Node source = storages + ops, sink = source + 1;
  MinCut cut(sink + 1);

  // Node s < storages: the backward phase needs storage s. Node storages + v:
  // op v runs again, so it needs its inputs. The cut goes through what is held.
  std::vector<bool> mayRerun(storages, false);
  for (StorageIndex s = 0; s < storages; ++s) {
    const Storage &storage = problem.storages[s];
    if (storage.producer == kNone)
      continue;
    mayRerun[s] = storage.mark == Mark::MustRecompute ||
                  (cheap[storage.producer] && !boundary[s] &&
                   storage.mark != Mark::MustKeep);
    MinCut::Node to = mayRerun[s] ? storages + storage.producer : sink;
    cut.addArc(s, to,
               storage.mark == Mark::MustRecompute ? MinCut::kUnlimited
                                                   : storage.bytes);
  }
  std::vector<bool> read(storages, false);
  for (OpIndex v = 0; v < ops; ++v) {
    const Op &op = problem.ops[v];
    for (StorageIndex s : op.inputs) {
      OpIndex producer = problem.storages[s].producer;
      if (producer == kNone || problem.ops[producer].phase != Phase::Forward)
        continue;
      if (op.phase == Phase::Forward)
        cut.addArc(storages + v, s, MinCut::kUnlimited);
      else
        read[s] = true;
    }
  }
  for (StorageIndex s = 0; s < storages; ++s)
    if (read[s])
      cut.addArc(source, s, MinCut::kUnlimited);
  cut.solve(source, sink);

  KeepPolicy policy;
  policy.keep.assign(storages, true);
  policy.reason.assign(storages, "least bytes from which the rest is rebuilt");
  for (StorageIndex s = 0; s < storages; ++s) {
    if (problem.storages[s].producer == kNone)
      continue;
    OpIndex producer = problem.storages[s].producer;
    if (mayRerun[s] && cut.onSourceSide(storages + producer)) {
      policy.keep[s] = false;
      policy.reason[s] = "cheap to recompute from what is kept (selective)";
    } else if (!cheap[producer]) {
      policy.reason[s] = "costly op (selective)";
    } else if (boundary[s]) {
      policy.reason[s] = "block boundary";
    }
  }
  return policy;
}

} // namespace ringi::planner
