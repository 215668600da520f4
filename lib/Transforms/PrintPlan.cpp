//===- PrintPlan.cpp - Print a plan's decisions ---------------------------===//
//
// Part of Ringi. The pass around PlanReport.
//
//===----------------------------------------------------------------------===//

#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanReport.h"

#include "mlir/IR/BuiltinOps.h"

namespace ringi {
#define GEN_PASS_DEF_PRINTPLAN
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

struct PrintPlanPass : ringi::impl::PrintPlanBase<PrintPlanPass> {
  using PrintPlanBase::PrintPlanBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(print()))
      signalPassFailure();
  }

  LogicalResult print() {
    if (format != "text" && format != "json")
      return mlir::emitError(getOperation().getLoc())
             << "format=" << format << " is not known; use text or json";
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return failure();
    llvm::json::Array objects;
    std::string text;
    llvm::raw_string_ostream os(text);
    bool any = false;
    for (FunctionOpInterface step : *functions) {
      FailureOr<std::optional<PlanSummary>> summary = readSummary(step);
      if (failed(summary))
        return failure();
      if (!*summary)
        continue;
      FailureOr<GraphOptions> options = graphOptionsFor(step);
      if (failed(options))
        return failure();
      FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
      if (failed(graph))
        return failure();
      any = true;
      if (format == "json")
        objects.push_back(planReportJson(*graph, **summary));
      else
        printPlanText(*graph, **summary, os);
    }
    if (!any)
      return mlir::emitError(getOperation().getLoc())
             << "no function has a plan; run --ringi-plan-checkpoints first";
    return format == "json" ? writeReport(getOperation(), file, objects)
                            : writeFile(getOperation(), file, text);
  }
};

} // namespace
