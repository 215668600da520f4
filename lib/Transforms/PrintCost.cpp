//===- PrintCost.cpp - Print FLOPs, traffic and predicted time ------------===//
//
// Part of Ringi. The pass around CostReport.
//
//===----------------------------------------------------------------------===//

#include "ReportPrinting.h"

#include "ringi/Analysis/CostReport.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanReport.h"

namespace ringi {
#define GEN_PASS_DEF_PRINTCOST
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

struct PrintCostPass : ringi::impl::PrintCostBase<PrintCostPass> {
  using PrintCostBase::PrintCostBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (!(seconds >= 0) || tokens < 0) {
      mlir::emitError(getOperation().getLoc())
          << "seconds and tokens must not be negative";
      return signalPassFailure();
    }
    auto report = [&](FunctionOpInterface step, ReportSink &sink) {
      return print(step, sink);
    };
    if (failed(printReports(getOperation(), {format, file, function}, report)))
      signalPassFailure();
  }

  LogicalResult print(FunctionOpInterface step, ReportSink &sink) {
    FailureOr<GraphOptions> options = graphOptionsFor(step, 0, -1, opTable);
    if (failed(options))
      return failure();
    Expected<DeviceSpec> spec = findDevice(step, device);
    if (!spec)
      return mlir::emitError(step->getLoc()) << spec.error().message;
    FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
    if (failed(graph))
      return failure();
    sink.add(makeCostReport(*graph, *spec, tokens, seconds));
    return success();
  }
};

} // namespace
