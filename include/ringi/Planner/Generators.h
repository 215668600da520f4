//===- Generators.h - Planning problems made to measure ---------*- C++ -*-===//
//
// Part of Ringi. The unit-model graphs of docs/memory-model.md, random graphs
// for property tests, and GPT-like training steps of any size. Used by the
// tests, the benchmarks and `ringi-plan generate`. Every generator is a
// function of its arguments alone, on every platform.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_GENERATORS_H
#define RINGI_PLANNER_GENERATORS_H

#include "ringi/Planner/Problem.h"

namespace ringi::planner {

/// Parameters of the unit-model chain: every tensor 1 unit, loss 0, cost 1 per
/// op.
struct ChainOptions {
  /// Forward ops per block; 0 makes no blocks. The last op of a block makes its
  /// boundary value.
  int32_t blockSize = 0;
  /// b_k may write g_{k-1} over g_k.
  bool inPlaceGradients = false;
};

/// chain(n): x0 (persistent) -> f1 -> x1 ... fn -> xn -> loss; dloss reads xn
/// and makes gn; b_k reads x_{k-1} and g_k and makes g_{k-1}; g_0 is an output.
/// Ops stand as f1..fn, loss, dloss, bn..b1; 2n + 2 ops.
Problem makeChain(int32_t n, const ChainOptions &options = {});

/// `blocks` blocks of `internals` internal values and a boundary value each, as
/// a unit chain; forward and backward ops carry their block.
Problem makeBlocks(int32_t blocks, int32_t internals);

/// What random graphs may contain. Probabilities lie in [0, 1].
struct RandomOptions {
  int32_t ops = 10;
  /// Storages before the step, the first half of them persistent.
  int32_t initials = 2;
  int32_t maxInputs = 3;
  int64_t maxBytes = 8;
  int32_t maxCost = 5;
  double secondResult = 0.15;
  double workspace = 0.2;
  double inPlace = 0;
  double notRecomputable = 0;
  double output = 0.1;
  /// Chance that a storage gets a mark (that does not contradict).
  double marks = 0;
};

/// A random DAG of forward ops in a legal order; values that nothing reads
/// become outputs.
Problem makeRandomDag(uint64_t seed, const RandomOptions &options = {});

/// A random forward DAG of about half of `options.ops` and its backward part:
/// for every forward op in reverse a backward op that reads the gradients of
/// its results and some of its operands and results, and makes the gradients of
/// its operands.
Problem makeRandomTraining(uint64_t seed, const RandomOptions &options = {});

/// A GPT-like training step: embedding, pre-norm transformer layers (one block
/// each), LM head with cross entropy, backward, AdamW.
struct GptOptions {
  int32_t layers = 12;
  int64_t hidden = 768, heads = 12, sequence = 1024, batch = 4,
          vocabulary = 50304;
  /// Bytes per element of activations, gradients and parameters; optimizer
  /// state has 4.
  int64_t elementBytes = 2;
  /// Dropout ops with one-byte masks.
  bool dropout = true;
  /// Scores, softmax and context product as ops of their own; otherwise one
  /// attention op that saves its output and the log-sum-exp.
  bool unfusedAttention = true;
  bool optimizer = true;
};

/// Every size at least 1, heads that divide the hidden size, and a step of at
/// most `maxOps` ops and 2^60 bytes. The error names the option and both
/// numbers.
Status checkGptOptions(const GptOptions &options, int64_t maxOps);

/// Costs are microseconds on a device of 250 TFLOP/s and 1.5 TB/s with 3 us per
/// launch: max(flops / peak, bytes moved / bandwidth) + launch.
///
/// \p options must pass checkGptOptions().
Problem makeGptStep(const GptOptions &options = {});

/// The options, with as many layers as bring the step closest to `ops` ops
/// (at least one layer).
GptOptions gptOptionsForOps(int64_t ops, GptOptions options = {});

} // namespace ringi::planner

#endif // RINGI_PLANNER_GENERATORS_H
