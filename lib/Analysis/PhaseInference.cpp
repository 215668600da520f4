//===- PhaseInference.cpp - Where an unmarked step turns back -------------===//
//
// Part of Ringi. Joint steps of other frontends do not say which op belongs to
// the forward part. The order in which they stand does: the forward part ends
// with the loss, or where most bytes are live.
//
// A frontend that interleaves the two parts must mark its ops `ringi.phase`.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/DenseSet.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

/// The first op that makes a returned floating-point scalar.
static OpIndex findLoss(const Problem &problem, const ActivationGraph &graph) {
  OpIndex loss = kNone;
  for (const GraphOutput &output : graph.outputs()) {
    Type type = output.value.getType();
    if (auto shaped = dyn_cast<ShapedType>(type))
      type = shaped.hasRank() && shaped.getRank() == 0 ? shaped.getElementType()
                                                       : Type();
    if (!isa_and_nonnull<FloatType>(type))
      continue;
    OpIndex producer =
        problem.storages[graph.place(output.value).storage].producer;
    if (producer != kNone && (loss == kNone || producer < loss))
      loss = producer;
  }
  return loss;
}

/// A step returns, beside a loss or alone, something like what it was given: a
/// gradient or an updated parameter.
static bool looksLikeStep(const ActivationGraph &graph, bool returnsLoss) {
  if (graph.outputs().size() < 2)
    return false;
  if (returnsLoss)
    return true;
  FunctionOpInterface function = graph.function();
  llvm::DenseSet<Type> given(function.getArgumentTypes().begin(),
                             function.getArgumentTypes().end());
  return llvm::any_of(graph.outputs(), [&](const GraphOutput &output) {
    return given.contains(output.value.getType());
  });
}

void ringi::inferPhases(Problem &problem, const ActivationGraph &graph) {
  OpIndex count = OpIndex(problem.ops.size());
  OpIndex turn = findLoss(problem, graph);
  if (!looksLikeStep(graph, turn != kNone))
    return;
  // A loss averaged at the very end says nothing about where backward began.
  if (turn == kNone || turn >= count - 1) {
    Expected<Timeline> timeline = simulate(problem, makeKeepAllPlan(problem));
    if (!timeline || timeline->peakExecution == kNone)
      return;
    turn = timeline->peakExecution;
  }
  for (OpIndex v = turn + 1; v < count; ++v)
    problem.ops[v].phase = Phase::Backward;
}
