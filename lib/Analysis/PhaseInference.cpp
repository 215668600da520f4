//===- PhaseInference.cpp - Where an unmarked step turns back -------------===//
//
// Part of Ringi. Joint steps of other frontends do not say which op belongs to
// the forward part. Name scopes of JAX do: what autodiff transposed is
// backward. Without them the order in which ops stand decides: the forward part
// ends with the loss, or where most bytes are live.
//
// A frontend without such scopes that interleaves the two parts must mark its
// ops `ringi.phase`.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Analysis/NameScope.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
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

namespace {
/// What a name scope says about an op.
enum class ScopeKind { None, Forward, Backward, Outside };
} // namespace

static ScopeKind kindOfScope(llvm::StringRef scope) {
  if (scope.empty())
    return ScopeKind::None;
  if (scope.contains("transpose("))
    return ScopeKind::Backward;
  return scope.contains("jvp(") ? ScopeKind::Forward : ScopeKind::Outside;
}

/// Splits where the fewest ops stand on the wrong side of their scope: a
/// frontend may put a few off their place. What is differentiated on neither
/// side and stands in the second part updates parameters. False when no scope
/// tells forward from backward.
static bool inferFromScopes(Problem &problem, const ActivationGraph &graph) {
  std::vector<ScopeKind> kinds;
  int64_t score = 0, best = 0;
  OpIndex split = kNone;
  bool anyBackward = false;
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v) {
    kinds.push_back(
        kindOfScope(getNameScope(graph.operation(v), graph.model())));
    score += kinds.back() == ScopeKind::Forward;
    score -= kinds.back() == ScopeKind::Backward;
    anyBackward |= kinds.back() == ScopeKind::Backward;
    if (score > best) {
      best = score;
      split = v + 1;
    }
  }
  if (!anyBackward || split == kNone)
    return false;
  for (OpIndex v = split; v < OpIndex(kinds.size()); ++v) {
    Phase before = v > split ? problem.ops[v - 1].phase : Phase::Backward;
    problem.ops[v].phase = kinds[v] == ScopeKind::None      ? before
                           : kinds[v] == ScopeKind::Outside ? Phase::Optimizer
                                                            : Phase::Backward;
  }
  return true;
}

bool ringi::mayBeStep(FunctionOpInterface function) {
  if (function->hasAttr(attr::kStep))
    return true;
  bool marked = function
                    ->walk([](Operation *op) {
                      return op->hasAttr(attr::kPhase) ? WalkResult::interrupt()
                                                       : WalkResult::advance();
                    })
                    .wasInterrupted();
  return marked || llvm::count_if(function.getResultTypes(), [](Type type) {
                     return !isa<BaseMemRefType>(type);
                   }) >= 2;
}

void ringi::inferPhases(Problem &problem, const ActivationGraph &graph) {
  // What other functions call is a part of a step.
  if (auto symbol =
          dyn_cast<SymbolOpInterface>(graph.function().getOperation());
      symbol && symbol.isPrivate())
    return;
  if (inferFromScopes(problem, graph))
    return;
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
