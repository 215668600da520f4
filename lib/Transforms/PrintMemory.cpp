//===- PrintMemory.cpp - Print resident bytes over time -------------------===//
//
// Part of Ringi. The pass around MemoryReport.
//
//===----------------------------------------------------------------------===//

#include "ReportPrinting.h"

#include "ringi/Analysis/MemoryReport.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanReport.h"

namespace ringi {
#define GEN_PASS_DEF_PRINTMEMORY
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

struct PrintMemoryPass : ringi::impl::PrintMemoryBase<PrintMemoryPass> {
  using PrintMemoryBase::PrintMemoryBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    auto report = [&](FunctionOpInterface step, ReportSink &sink) {
      return print(step, sink);
    };
    if (failed(printReports(getOperation(), {format, file, function}, report)))
      signalPassFailure();
  }

  LogicalResult print(FunctionOpInterface step, ReportSink &sink) {
    FailureOr<GraphOptions> options =
        graphOptionsFor(step, alignment, gemmWorkspace, opTable);
    if (failed(options))
      return failure();
    FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
    if (failed(graph))
      return failure();
    Expected<MemoryReport> report = makeMemoryReport(*graph);
    if (!report)
      return mlir::emitError(step->getLoc()) << report.error().message;
    sink.add(*report);
    return success();
  }
};

} // namespace
