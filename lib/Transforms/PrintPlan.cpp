//===- PrintPlan.cpp - Print a plan's decisions ---------------------------===//
//
// Part of Ringi. The pass around PlanReport.
//
//===----------------------------------------------------------------------===//

#include "ReportPrinting.h"

#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanReport.h"

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
    auto report = [](FunctionOpInterface step, ReportSink &sink) {
      return print(step, sink);
    };
    if (failed(printReports(
            getOperation(), {format, file, function}, report,
            "no function has a plan; run --ringi-plan-checkpoints first")))
      signalPassFailure();
  }

  static LogicalResult print(FunctionOpInterface step, ReportSink &sink) {
    FailureOr<std::optional<PlanSummary>> summary = readSummary(step);
    if (failed(summary))
      return failure();
    if (!*summary)
      return success();
    FailureOr<GraphOptions> options = graphOptionsFor(step);
    if (failed(options))
      return failure();
    FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
    if (failed(graph))
      return failure();
    sink.add(*graph, **summary);
    return success();
  }
};

} // namespace
