//===- GraphDraft.h - A graph file before it is a problem -------*- C++ -*-===//
//
// Part of Ringi. What the lexer's events leave behind: names have become
// numbers, but views, order and references are as the file has them.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_GRAPHDRAFT_H
#define RINGI_LIB_PLANNER_GRAPHDRAFT_H

#include "ringi/Planner/Problem.h"

#include <deque>
#include <string_view>

namespace ringi::planner {

/// Index into Draft::values.
using ValueId = int32_t;

/// What the file says about one value: an input of the step or a result.
struct DraftValue {
  std::string name;
  int64_t bytes = 0;
  bool hasBytes = false, defined = false, persistent = true, output = false;
  /// Category::Activation stands for "not given".
  Category category = Category::Activation;
  Mark mark = Mark::None;
  ValueId viewOf = kNone;
  std::string location;
};

struct DraftPair {
  ValueId input = kNone, output = kNone;
  bool required = false;
};

struct DraftOp {
  Op op;
  std::vector<ValueId> inputs, results;
  std::vector<DraftPair> pairs;
};

struct Draft {
  std::string name;
  /// A deque, so that the name table may point at the names.
  std::deque<DraftValue> values;
  std::vector<ValueId> inputs;
  std::vector<DraftOp> ops;
  std::vector<std::string> blocks, order;
  bool hasOrder = false, hasFormat = false, hasOps = false;
};

/// Reads a file of docs/graph-json.md; the error names the field and the place.
Expected<Draft> readGraphDraft(std::string_view text);

/// Folds views into storages, puts the ops in order and checks the problem. The
/// draft's strings are moved out of it.
Expected<Problem> assembleGraph(Draft &draft);

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_GRAPHDRAFT_H
