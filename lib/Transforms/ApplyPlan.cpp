//===- ApplyPlan.cpp - Clones in ringi.recompute regions ------------------===//
//
// Part of Ringi. Reads the plan of each function and has PlanApplier carry it
// out.
//
//===----------------------------------------------------------------------===//

#include "PlanApplier.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "mlir/IR/BuiltinOps.h"

namespace ringi {
#define GEN_PASS_DEF_APPLYPLAN
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

struct ApplyPlanPass : ringi::impl::ApplyPlanBase<ApplyPlanPass> {
  using ApplyPlanBase::ApplyPlanBase;

  void runOnOperation() override {
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface step : *functions)
      if (step->hasAttr(attr::kPlan) && failed(apply(step)))
        return signalPassFailure();
  }

  LogicalResult apply(FunctionOpInterface step) {
    FailureOr<GraphOptions> options = graphOptionsFor(step);
    if (failed(options))
      return failure();
    FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
    if (failed(graph))
      return failure();
    if (graph->hasClones())
      return mlir::emitError(step->getLoc())
             << "'" << step.getName()
             << "' already holds ringi.recompute regions; a plan is applied "
                "once";
    FailureOr<Plan> plan = readPlan(*graph);
    if (failed(plan))
      return failure();
    if (Expected<Timeline> timeline = simulate(graph->problem(), *plan);
        !timeline)
      return mlir::emitError(step->getLoc()) << timeline.error().message;
    PlanApplier(*graph, *plan).run();
    return success();
  }
};

} // namespace
