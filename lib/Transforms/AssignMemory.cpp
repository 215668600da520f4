//===- AssignMemory.cpp - Give every value an offset ----------------------===//
//
// Part of Ringi. The pass around MemoryAssignment.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Transforms/MemoryAssignment.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "mlir/IR/BuiltinOps.h"

namespace ringi {
#define GEN_PASS_DEF_ASSIGNMEMORY
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

struct AssignMemoryPass : ringi::impl::AssignMemoryBase<AssignMemoryPass> {
  using AssignMemoryBase::AssignMemoryBase;

  void runOnOperation() override {
    if (effort < 0) {
      mlir::emitError(getOperation().getLoc())
          << "effort=" << effort << " must not be negative";
      return signalPassFailure();
    }
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface step : *functions)
      if ((!function.empty() || step->hasAttr(attr::kPlan)) &&
          failed(assign(step)))
        return signalPassFailure();
  }

  LogicalResult assign(FunctionOpInterface step) {
    FailureOr<GraphOptions> options =
        graphOptionsFor(step, alignment, gemmWorkspace);
    if (failed(options))
      return failure();
    if (failed(checkPlanApplied(step)))
      return failure();
    FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
    if (failed(graph))
      return failure();
    Expected<MemoryAssignment> assignment = assignMemory(*graph, effort);
    if (!assignment)
      return mlir::emitError(step->getLoc()) << assignment.error().message;
    writeAssignment(*graph, *assignment);
    return success();
  }
};

} // namespace
