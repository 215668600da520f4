//===- Problem.cpp - What the planner is asked ----------------------------===//
//
// Part of Ringi. The invariants of a planning problem, checked with messages a
// user can act on, and the words by which files name classes, phases and
// categories.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Problem.h"

#include "ringi/Support/NumberText.h"

#include <array>
#include <cmath>

namespace ringi::planner {

double Problem::totalCost() const {
  double sum = 0;
  for (const Op &op : ops)
    sum += op.cost;
  return sum;
}

int64_t Problem::persistentBytes() const {
  int64_t sum = 0;
  for (const Storage &storage : storages)
    if (storage.persistent)
      sum += storage.bytes;
  return sum;
}

namespace {

constexpr int64_t kMaxTotalBytes = int64_t(1) << 62;

/// Collects what Problem::check needs over its passes: who overwrites what.
class Checker {
public:
  explicit Checker(const Problem &problem)
      : problem(problem), overwriter(problem.storages.size(), kNone),
        seenBy(problem.storages.size(), kNone) {}

  Status run() {
    if (problem.ops.empty())
      return bad("the graph has no ops; nothing to plan");
    if (problem.ops.size() > size_t(INT32_MAX) / 2 ||
        problem.storages.size() > size_t(INT32_MAX) / 2)
      return bad("the graph has " + std::to_string(problem.ops.size()) +
                 " ops and " + std::to_string(problem.storages.size()) +
                 " storages, the limit of each is " +
                 std::to_string(INT32_MAX / 2));
    if (Status status = checkSizes(); !status)
      return status;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
      if (Status status = checkOperands(v); !status)
        return status;
      if (Status status = checkInPlace(v); !status)
        return status;
      if (Status status = checkOpMarks(v); !status)
        return status;
    }
    return checkStorages();
  }

private:
  static Status bad(std::string message) {
    return Error::badInput(std::move(message));
  }
  std::string opName(OpIndex v) const {
    return "op '" + problem.ops[v].name + "' (#" + std::to_string(v) + ")";
  }
  std::string storageName(StorageIndex s) const {
    return "'" + problem.storages[s].name + "' (#" + std::to_string(s) + ")";
  }
  bool inRange(StorageIndex s) const {
    return s >= 0 && size_t(s) < problem.storages.size();
  }

  Status addBytes(int64_t bytes, const std::string &what) {
    if (bytes < 0)
      return bad(what + " is " + std::to_string(bytes) +
                 " bytes; sizes must be 0 or more");
    if (bytes > kMaxTotalBytes - total)
      return bad(what + " of " + std::to_string(bytes) +
                 " bytes brings the sum of all sizes from " +
                 std::to_string(total) + " above the limit of " +
                 std::to_string(kMaxTotalBytes));
    total += bytes;
    return Status::success();
  }

  Status checkSizes() {
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s)
      if (problem.storages[s].bytes < 0 ||
          problem.storages[s].bytes > kMaxTotalBytes - total) {
        if (Status status = addBytes(problem.storages[s].bytes,
                                     "storage " + storageName(s));
            !status)
          return status;
      } else {
        total += problem.storages[s].bytes;
      }
    double costs = 0;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
      const Op &op = problem.ops[v];
      if (op.workspace != 0)
        if (Status status = addBytes(op.workspace, "workspace of " + opName(v));
            !status)
          return status;
      costs += op.cost;
      if (!std::isfinite(op.cost) || op.cost < 0)
        return bad("cost of " + opName(v) + " is " + numberText(op.cost) +
                   "; costs must be finite and 0 or more");
      if (!std::isfinite(costs))
        return bad("the sum of all costs overflows at " + opName(v) +
                   "; scale the costs down");
      if (op.block != kNone &&
          (op.block < 0 || size_t(op.block) >= problem.blocks.size()))
        return bad(opName(v) + " is in block " + std::to_string(op.block) +
                   " but there are " + std::to_string(problem.blocks.size()) +
                   " blocks");
      if (op.ordered && op.recomputable)
        return bad(opName(v) + " keeps its place but is recomputable; an op "
                               "with effects must not be recomputable");
    }
    return Status::success();
  }

  Status checkOperands(OpIndex v) {
    const Op &op = problem.ops[v];
    for (StorageIndex s : op.inputs) {
      if (!inRange(s))
        return bad(opName(v) + " reads storage #" + std::to_string(s) +
                   " but there are " + std::to_string(problem.storages.size()));
      if (seenBy[s] == v)
        return bad(opName(v) + " lists storage " + storageName(s) +
                   " twice among its inputs; list each storage once");
      seenBy[s] = v;
      OpIndex producer = problem.storages[s].producer;
      if (producer != kNone && producer >= v)
        return bad(opName(v) + " reads storage " + storageName(s) +
                   " before it is computed by op #" + std::to_string(producer) +
                   "; the graph has a cycle or its ops are out of order");
      if (overwriter[s] != kNone)
        return bad(opName(v) + " reads storage " + storageName(s) + " after " +
                   opName(overwriter[s]) + " has overwritten it");
    }
    for (StorageIndex s : op.outputs) {
      if (!inRange(s))
        return bad(opName(v) + " writes storage #" + std::to_string(s) +
                   " but there are " + std::to_string(problem.storages.size()));
      if (problem.storages[s].producer != v)
        return bad(opName(v) + " writes storage " + storageName(s) +
                   " whose producer is " +
                   (problem.storages[s].producer == kNone
                        ? std::string("none")
                        : "#" + std::to_string(problem.storages[s].producer)) +
                   "; each storage has exactly one producer");
      if (seenBy[s] == v)
        return bad(opName(v) + " lists storage " + storageName(s) +
                   " twice among its operands and results");
      seenBy[s] = v;
      ++written;
    }
    return Status::success();
  }

  Status checkInPlace(OpIndex v) {
    const Op &op = problem.ops[v];
    for (size_t i = 0; i < op.inPlace.size(); ++i) {
      const InPlacePair &pair = op.inPlace[i];
      if (!contains(op.inputs, pair.input) ||
          !contains(op.outputs, pair.output))
        return bad("in-place pair (#" + std::to_string(pair.input) + ", #" +
                   std::to_string(pair.output) + ") of " + opName(v) +
                   " does not name one of its inputs and one of its results");
      const Storage &input = problem.storages[pair.input];
      const Storage &output = problem.storages[pair.output];
      if (input.bytes != output.bytes)
        return bad(opName(v) + " writes " + storageName(pair.output) + " of " +
                   std::to_string(output.bytes) + " bytes over " +
                   storageName(pair.input) + " of " +
                   std::to_string(input.bytes) +
                   " bytes; in place needs equal sizes");
      if (!pair.required)
        continue;
      if (input.output)
        return bad(opName(v) + " overwrites " + storageName(pair.input) +
                   " which is an output of the step");
      for (size_t j = 0; j < op.inPlace.size(); ++j)
        if (j != i && (op.inPlace[j].input == pair.input ||
                       op.inPlace[j].output == pair.output))
          return bad(opName(v) + " has a required in-place pair that shares a "
                                 "storage with another pair");
      overwriter[pair.input] = v;
    }
    return Status::success();
  }

  Status checkOpMarks(OpIndex v) {
    const Op &op = problem.ops[v];
    StorageIndex keep = kNone, recompute = kNone;
    for (StorageIndex s : op.outputs) {
      if (problem.storages[s].mark == Mark::MustKeep)
        keep = s;
      if (problem.storages[s].mark == Mark::MustRecompute)
        recompute = s;
    }
    if (recompute == kNone)
      return Status::success();
    if (!op.recomputable)
      return bad("storage " + storageName(recompute) +
                 " is marked must-recompute but its producer " + opName(v) +
                 " may not run again; drop the mark");
    if (keep != kNone)
      return bad("marks contradict: " + opName(v) + " makes must-keep " +
                 storageName(keep) + " and must-recompute " +
                 storageName(recompute));
    return Status::success();
  }

  Status checkStorages() {
    size_t withProducer = 0;
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
      const Storage &storage = problem.storages[s];
      if (storage.producer == kNone) {
        if (storage.mark == Mark::MustRecompute)
          return bad("storage " + storageName(s) +
                     " is marked must-recompute but exists before the step; "
                     "drop the mark");
        continue;
      }
      ++withProducer;
      if (storage.producer < 0 ||
          size_t(storage.producer) >= problem.ops.size())
        return bad("storage " + storageName(s) + " has producer #" +
                   std::to_string(storage.producer) + " but there are " +
                   std::to_string(problem.ops.size()) + " ops");
      if (storage.persistent)
        return bad("storage " + storageName(s) + " is persistent but " +
                   opName(storage.producer) +
                   " computes it; only what exists before the step may be");
      if (!contains(problem.ops[storage.producer].outputs, s))
        return bad("storage " + storageName(s) + " has producer " +
                   opName(storage.producer) + " which does not write it");
    }
    return Status::success();
  }

  template <typename T>
  static bool contains(const std::vector<T> &list, const T &value) {
    for (const T &element : list)
      if (element == value)
        return true;
    return false;
  }

  const Problem &problem;
  int64_t total = 0;
  size_t written = 0;
  std::vector<OpIndex> overwriter;
  /// Last op that named the storage: finds duplicates without a set.
  std::vector<OpIndex> seenBy;
};

template <typename Enum, size_t N>
Expected<Enum> parseWord(const std::string &text, const char *what,
                         const std::array<const char *, N> &words) {
  std::string accepted;
  for (size_t i = 0; i < N; ++i) {
    if (text == words[i])
      return Enum(i);
    accepted += (i ? ", " : "") + std::string(words[i]);
  }
  return Error::badInput("unknown " + std::string(what) + " '" + text +
                         "'; expected one of " + accepted);
}

constexpr std::array kClassWords = {"gemm",        "attention", "convolution",
                                    "elementwise", "reduction", "normalization",
                                    "random",      "view",      "collective",
                                    "optimizer",   "other"};
constexpr std::array kPhaseWords = {"forward", "backward", "optimizer"};
constexpr std::array kCategoryWords = {
    "parameter", "optimizer-state",   "input", "constant", "activation",
    "gradient",  "gradient-in-flight"};

} // namespace

Status Problem::check() const { return Checker(*this).run(); }

std::vector<std::vector<OpIndex>> computeReaders(const Problem &problem) {
  std::vector<std::vector<OpIndex>> readers(problem.storages.size());
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
    for (StorageIndex s : problem.ops[v].inputs)
      readers[s].push_back(v);
  return readers;
}

const char *toString(OpClass opClass) { return kClassWords[size_t(opClass)]; }
const char *toString(Phase phase) { return kPhaseWords[size_t(phase)]; }
const char *toString(Category category) {
  return kCategoryWords[size_t(category)];
}

Expected<OpClass> parseOpClass(const std::string &text) {
  return parseWord<OpClass>(text, "op class", kClassWords);
}
Expected<Phase> parsePhase(const std::string &text) {
  return parseWord<Phase>(text, "phase", kPhaseWords);
}
Expected<Category> parseCategory(const std::string &text) {
  return parseWord<Category>(text, "category", kCategoryWords);
}

} // namespace ringi::planner
