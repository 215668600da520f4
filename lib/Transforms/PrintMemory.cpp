//===- PrintMemory.cpp - Print resident bytes over time -------------------===//
//
// Part of Ringi. The pass around MemoryReport.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/MemoryReport.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanReport.h"

#include "mlir/IR/BuiltinOps.h"

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
    for (FunctionOpInterface step : *functions) {
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
      if (format == "json")
        objects.push_back(toJson(*report));
      else
        printText(*report, os);
    }
    return format == "json" ? writeReport(getOperation(), file, objects)
                            : writeFile(getOperation(), file, text);
  }
};

} // namespace
