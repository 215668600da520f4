//===- InlineRecompute.cpp - Flatten ringi.recompute ----------------------===//
//
// Part of Ringi. The last pass for pipelines that need flat IR, with a barrier
// where the target dialect has one.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "mlir/IR/BuiltinOps.h"

namespace ringi {
#define GEN_PASS_DEF_INLINERECOMPUTE
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

struct InlineRecomputePass
    : ringi::impl::InlineRecomputeBase<InlineRecomputePass> {
  using InlineRecomputeBase::InlineRecomputeBase;

  void runOnOperation() override {
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface step : *functions) {
      if (failed(findBarrier(step)))
        return signalPassFailure();
      SmallVector<RecomputeOp> regions;
      step->walk([&](RecomputeOp region) { regions.push_back(region); });
      // Inside of a loop nothing is what the forward part computed but the rows
      // that were taken; what an earlier replay made needs no barrier.
      for (RecomputeOp region : regions)
        if (region->getParentOp() != step)
          for (OpResult result : region->getResults())
            replayed.insert(result);
      for (RecomputeOp region : regions)
        inlineRegion(region);
      replayed.clear();
      if (strip)
        stripAttributes(step);
    }
  }

  /// The option's op, else the table's.
  LogicalResult findBarrier(FunctionOpInterface step) {
    FailureOr<std::shared_ptr<const OpTable>> table = opTableFor(step, opTable);
    if (failed(table))
      return failure();
    barrierName = barrier == "none" ? "" : std::string(barrier);
    if (barrier.empty() && *table)
      barrierName = (*table)->barrier();
    MLIRContext *context = &getContext();
    if (barrierName.empty() || context->allowsUnregisteredDialects() ||
        OperationName(barrierName, context).isRegistered())
      return success();
    return mlir::emitError(getOperation().getLoc())
           << "barrier '" << barrierName
           << "' is not a registered operation; load its dialect or allow "
              "unregistered ones";
  }

  void inlineRegion(RecomputeOp region) {
    Block &inner = region.getBody().front();
    SmallVector<Value> inputs(region.getInputs());
    if (!barrierName.empty())
      putBarrier(region, inputs);
    for (auto [argument, input] : llvm::zip(inner.getArguments(), inputs))
      argument.replaceAllUsesWith(input);
    Operation *yield = inner.getTerminator();
    for (auto [result, value] :
         llvm::zip(region->getResults(), yield->getOperands()))
      if (replayed.contains(result))
        replayed.insert(value);
    region->replaceAllUsesWith(yield->getOperands());
    yield->erase();
    region->getBlock()->getOperations().splice(Block::iterator(region),
                                               inner.getOperations());
    region->erase();
  }

  /// Kept activations go through; arguments of the function never do, and
  /// gradients are no inputs of forward clones.
  void putBarrier(RecomputeOp region, SmallVector<Value> &inputs) {
    SmallVector<unsigned> through;
    SmallVector<Value> values;
    for (auto [index, input] : llvm::enumerate(inputs)) {
      Operation *def = input.getDefiningOp();
      if (!def || def->hasTrait<OpTrait::ConstantLike>() ||
          replayed.contains(input))
        continue;
      auto phase = def->getAttrOfType<StringAttr>(attr::kPhase);
      if (phase && phase.getValue() != "forward" && !isa<LoadOp>(def))
        continue;
      through.push_back(unsigned(index));
      values.push_back(input);
    }
    if (values.empty())
      return;
    OpBuilder builder(region);
    OperationState state(region.getLoc(), barrierName);
    state.addOperands(values);
    state.addTypes(TypeRange(ValueRange(values)));
    Operation *op = builder.create(state);
    for (auto [index, result] : llvm::zip(through, op->getResults()))
      inputs[index] = result;
  }

  /// Nothing of the plan stays for dialects that do not know it.
  void stripAttributes(FunctionOpInterface step) {
    step->walk([](Operation *op) {
      SmallVector<StringAttr> names;
      for (NamedAttribute attribute : op->getDiscardableAttrs())
        if (attribute.getName().getValue().starts_with("ringi."))
          names.push_back(attribute.getName());
      for (StringAttr name : names)
        op->removeDiscardableAttr(name);
    });
    for (unsigned i = 0, e = step.getNumArguments(); i < e; ++i)
      for (NamedAttribute attribute : step.getArgAttrs(i))
        if (attribute.getName().getValue().starts_with("ringi."))
          step.removeArgAttr(i, attribute.getName());
    for (unsigned i = 0, e = step.getNumResults(); i < e; ++i)
      for (NamedAttribute attribute : step.getResultAttrs(i))
        if (attribute.getName().getValue().starts_with("ringi."))
          step.removeResultAttr(i, attribute.getName());
  }

  std::string barrierName;
  /// Results of regions inside of loops.
  llvm::SmallDenseSet<Value> replayed;
};

} // namespace
