//===- PrintCost.cpp - Print FLOPs, traffic and predicted time ------------===//
//
// Part of Ringi. The pass around CostReport.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/CostReport.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanReport.h"

#include "mlir/IR/BuiltinOps.h"

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
    if (failed(print()))
      signalPassFailure();
  }

  LogicalResult print() {
    ModuleOp module = getOperation();
    if (format != "text" && format != "json")
      return mlir::emitError(module.getLoc())
             << "format=" << format << " is not known; use text or json";
    if (seconds < 0 || tokens < 0)
      return mlir::emitError(module.getLoc())
             << "seconds and tokens must not be negative";
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(module, function);
    if (failed(functions))
      return failure();
    llvm::json::Array objects;
    std::string text;
    llvm::raw_string_ostream os(text);
    for (FunctionOpInterface step : *functions) {
      FailureOr<GraphOptions> options = graphOptionsFor(step, 0, -1, opTable);
      if (failed(options))
        return failure();
      Expected<DeviceSpec> spec = findDevice(step, device);
      if (!spec)
        return mlir::emitError(step->getLoc()) << spec.error().message;
      FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
      if (failed(graph))
        return failure();
      CostReport report = makeCostReport(*graph, *spec, tokens, seconds);
      if (format == "json")
        objects.push_back(toJson(report));
      else
        printText(report, os);
    }
    return format == "json" ? writeReport(module, file, objects)
                            : writeFile(module, file, text);
  }
};

} // namespace
