//===- ProblemBuilder.h - Problems one op at a time -------------*- C++ -*-===//
//
// Part of Ringi. Appends storages and ops in execution order and keeps the two
// directions (op to result, result to producer) in step. Generators, readers of
// graph files and tests build their problems with it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_PROBLEMBUILDER_H
#define RINGI_PLANNER_PROBLEMBUILDER_H

#include "ringi/Planner/Problem.h"

#include <initializer_list>
#include <utility>

namespace ringi::planner {

/// A problem under construction. Indices that add* return stay valid; finer
/// fields are set through op() and storage().
class ProblemBuilder {
public:
  explicit ProblemBuilder(std::string name = "") {
    problem.name = std::move(name);
  }

  /// A storage that exists before the step. \p bytes are aligned bytes.
  StorageIndex addInitial(std::string name, int64_t bytes,
                          Category category = Category::Input,
                          bool persistent = true) {
    Storage storage;
    storage.name = std::move(name);
    storage.bytes = bytes;
    storage.persistent = persistent;
    storage.category = category;
    problem.storages.push_back(std::move(storage));
    return StorageIndex(problem.storages.size()) - 1;
  }

  /// An op that reads `inputs` (duplicates are dropped) and has no results yet.
  OpIndex addOp(std::string name, const std::vector<StorageIndex> &inputs,
                double cost = 1, Phase phase = Phase::Forward,
                OpClass opClass = OpClass::Other, int32_t block = kNone) {
    Op op;
    op.name = std::move(name);
    op.cost = cost;
    op.phase = phase;
    op.opClass = opClass;
    op.block = block;
    for (StorageIndex s : inputs) {
      bool seen = false;
      for (StorageIndex earlier : op.inputs)
        seen |= earlier == s;
      if (!seen)
        op.inputs.push_back(s);
    }
    problem.ops.push_back(std::move(op));
    return OpIndex(problem.ops.size()) - 1;
  }

  /// A result of op `producer`.
  StorageIndex addResult(OpIndex producer, std::string name, int64_t bytes,
                         Category category = Category::Activation) {
    Storage storage;
    storage.name = std::move(name);
    storage.bytes = bytes;
    storage.producer = producer;
    storage.category = category;
    problem.storages.push_back(std::move(storage));
    StorageIndex s = StorageIndex(problem.storages.size()) - 1;
    problem.ops[producer].outputs.push_back(s);
    return s;
  }

  void addInPlace(OpIndex v, StorageIndex input, StorageIndex output,
                  bool required = false) {
    problem.ops[v].inPlace.push_back({input, output, required});
  }
  int32_t addBlock(std::string name) {
    problem.blocks.push_back(std::move(name));
    return int32_t(problem.blocks.size()) - 1;
  }

  Op &op(OpIndex v) { return problem.ops[v]; }
  Storage &storage(StorageIndex s) { return problem.storages[s]; }
  Problem take() { return std::move(problem); }

private:
  Problem problem;
};

} // namespace ringi::planner

#endif // RINGI_PLANNER_PROBLEMBUILDER_H
