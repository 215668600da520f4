//===- Generators.cpp - Unit-model and random graphs ----------------------===//
//
// Part of Ringi. The graphs whose answers are known by hand or by exhaustive
// search. Random numbers come from SplitMix64, so a seed means the same graph
// everywhere.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Generators.h"

#include "ringi/Planner/ProblemBuilder.h"

#include <algorithm>

namespace ringi::planner {

Problem makeChain(int32_t n, const ChainOptions &options) {
  ProblemBuilder builder("chain" + std::to_string(n));
  auto blockOf = [&](int32_t k) {
    return options.blockSize > 0 ? (k - 1) / options.blockSize : kNone;
  };
  for (int32_t k = 1; k <= n; ++k)
    if (blockOf(k) != kNone && (k - 1) % options.blockSize == 0)
      builder.addBlock("block" + std::to_string(blockOf(k)));

  std::vector<StorageIndex> x = {builder.addInitial("x0", 1)};
  for (int32_t k = 1; k <= n; ++k) {
    OpIndex f = builder.addOp("f" + std::to_string(k), {x.back()}, 1,
                              Phase::Forward, OpClass::Other, blockOf(k));
    x.push_back(builder.addResult(f, "x" + std::to_string(k), 1));
  }
  OpIndex loss = builder.addOp("loss", {x[n]}, 1, Phase::Forward);
  builder.storage(builder.addResult(loss, "loss", 0)).output = true;
  OpIndex dloss = builder.addOp("dloss", {x[n]}, 1, Phase::Backward);
  StorageIndex g = builder.addResult(dloss, "g" + std::to_string(n), 1,
                                     Category::GradientInFlight);
  for (int32_t k = n; k >= 1; --k) {
    OpIndex b = builder.addOp("b" + std::to_string(k), {x[k - 1], g}, 1,
                              Phase::Backward, OpClass::Other, blockOf(k));
    StorageIndex next = builder.addResult(b, "g" + std::to_string(k - 1), 1,
                                          k > 1 ? Category::GradientInFlight
                                                : Category::Gradient);
    if (options.inPlaceGradients)
      builder.addInPlace(b, g, next);
    g = next;
  }
  builder.storage(g).output = true;
  return builder.take();
}

Problem makeBlocks(int32_t blocks, int32_t internals) {
  ChainOptions options;
  options.blockSize = internals + 1;
  Problem problem = makeChain(blocks * (internals + 1), options);
  problem.name =
      "blocks" + std::to_string(blocks) + "x" + std::to_string(internals);
  return problem;
}

namespace {

/// SplitMix64 (Steele, Lea, Flood 2014).
class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {}
  uint64_t next() {
    uint64_t z = (state += 0x9e3779b97f4a7c15ull);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, n).
  int64_t below(int64_t n) { return int64_t(next() % uint64_t(n)); }
  bool chance(double p) { return double(next() >> 11) * 0x1p-53 < p; }

private:
  uint64_t state;
};

/// The forward part shared by both random generators.
class RandomGraph {
public:
  RandomGraph(uint64_t seed, const RandomOptions &options)
      : options(options), random(seed),
        builder("random" + std::to_string(seed)) {}

  void addForward(int32_t ops) {
    for (int32_t i = 0; i < std::max(options.initials, 1); ++i)
      values.push_back(builder.addInitial("p" + std::to_string(i), bytes(),
                                          Category::Input,
                                          2 * i < options.initials));
    for (int32_t v = 0; v < ops; ++v)
      addRandomOp("f" + std::to_string(v), pickInputs(), Phase::Forward);
  }

  OpIndex addRandomOp(const std::string &name,
                      const std::vector<StorageIndex> &inputs, Phase phase) {
    OpIndex v = builder.addOp(name, inputs,
                              double(random.below(options.maxCost + 1)), phase);
    if (random.chance(options.workspace))
      builder.op(v).workspace = bytes();
    builder.op(v).recomputable = !random.chance(options.notRecomputable);
    int32_t results = random.chance(options.secondResult) ? 2 : 1;
    for (int32_t i = 0; i < results; ++i) {
      bool inPlace = random.chance(options.inPlace) && !inputs.empty();
      StorageIndex source =
          inPlace ? inputs[random.below(int64_t(inputs.size()))] : kNone;
      StorageIndex s =
          builder.addResult(v, name + "." + std::to_string(i),
                            inPlace ? builder.storage(source).bytes : bytes());
      if (inPlace)
        builder.addInPlace(v, source, s);
      values.push_back(s);
    }
    return v;
  }

  /// Outputs and marks, once all ops stand.
  Problem finish() {
    Problem problem = builder.take();
    std::vector<std::vector<OpIndex>> readers = computeReaders(problem);
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
      Storage &storage = problem.storages[s];
      if (storage.producer == kNone)
        continue;
      storage.output = readers[s].empty() || random.chance(options.output);
      if (!random.chance(options.marks))
        continue;
      bool keep = random.chance(0.5);
      if (!keep && !problem.ops[storage.producer].recomputable)
        continue;
      for (StorageIndex other : problem.ops[storage.producer].outputs)
        if (problem.storages[other].mark != Mark::None)
          keep = problem.storages[other].mark == Mark::MustKeep;
      storage.mark = keep ? Mark::MustKeep : Mark::MustRecompute;
    }
    return problem;
  }

  std::vector<StorageIndex> pickInputs() {
    std::vector<StorageIndex> inputs;
    int64_t count = 1 + random.below(options.maxInputs);
    for (int64_t i = 0; i < count; ++i) {
      // Half of the reads go to recent values, so graphs are neither chains nor
      // stars.
      int64_t size = int64_t(values.size());
      int64_t back = random.chance(0.5)
                         ? random.below(std::min<int64_t>(size, 3))
                         : random.below(size);
      StorageIndex s = values[size - 1 - back];
      if (std::find(inputs.begin(), inputs.end(), s) == inputs.end())
        inputs.push_back(s);
    }
    return inputs;
  }
  int64_t bytes() { return random.below(options.maxBytes + 1); }

  const RandomOptions &options;
  Random random;
  ProblemBuilder builder;
  std::vector<StorageIndex> values;
};

} // namespace

Problem makeRandomDag(uint64_t seed, const RandomOptions &options) {
  RandomGraph graph(seed, options);
  graph.addForward(options.ops);
  return graph.finish();
}

Problem makeRandomTraining(uint64_t seed, const RandomOptions &options) {
  RandomGraph graph(seed, options);
  int32_t forward = std::max(1, options.ops / 2);
  graph.addForward(forward);
  // Latest gradient of each storage; a second contribution replaces the first
  // by reading it, as an accumulating backward op does.
  std::vector<StorageIndex> gradient(graph.values.size() + 8 * options.ops,
                                     kNone);
  for (OpIndex f = forward - 1; f >= 0; --f) {
    std::vector<StorageIndex> inputs = graph.builder.op(f).inputs;
    std::vector<StorageIndex> reads;
    for (StorageIndex s : graph.builder.op(f).outputs) {
      if (gradient[s] != kNone)
        reads.push_back(gradient[s]);
      if (graph.random.chance(0.5))
        reads.push_back(s);
    }
    StorageIndex target = inputs[graph.random.below(int64_t(inputs.size()))];
    for (StorageIndex s : inputs)
      if (graph.random.chance(0.6))
        reads.push_back(s);
    if (gradient[target] != kNone)
      reads.push_back(gradient[target]);
    std::sort(reads.begin(), reads.end());
    reads.erase(std::unique(reads.begin(), reads.end()), reads.end());
    OpIndex b =
        graph.addRandomOp("b" + std::to_string(f), reads, Phase::Backward);
    gradient[target] = graph.builder.op(b).outputs[0];
  }
  return graph.finish();
}

} // namespace ringi::planner
