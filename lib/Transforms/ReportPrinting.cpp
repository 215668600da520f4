//===- ReportPrinting.cpp - Reports of functions to a file ----------------===//
//
// Part of Ringi. Nothing is written unless every report could be made.
//
//===----------------------------------------------------------------------===//

#include "ReportPrinting.h"

#include "ringi/Transforms/PlanReport.h"

using namespace mlir;
using namespace ringi;

LogicalResult ReportSink::write(Operation *place, StringRef file) {
  return json ? writeReport(place, file, objects)
              : writeFile(place, file, text);
}

LogicalResult ringi::printReports(
    ModuleOp module, const ReportOptions &options,
    llvm::function_ref<LogicalResult(FunctionOpInterface, ReportSink &)> report,
    StringRef whenEmpty) {
  if (options.format != "text" && options.format != "json")
    return mlir::emitError(module.getLoc())
           << "format=" << options.format << " is not known; use text or json";
  FailureOr<std::vector<FunctionOpInterface>> functions =
      selectFunctions(module, options.function);
  if (failed(functions))
    return failure();
  ReportSink sink(options.format == "json");
  for (FunctionOpInterface function : *functions)
    if (failed(report(function, sink)))
      return failure();
  if (sink.empty() && !whenEmpty.empty())
    return mlir::emitError(module.getLoc()) << whenEmpty;
  return sink.write(module, options.file);
}
