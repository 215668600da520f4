//===- ReportPrinting.h - Reports of functions to a file --------*- C++ -*-===//
//
// Part of Ringi. What the printing passes share: which functions, text or JSON,
// and where it goes.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_REPORTPRINTING_H
#define RINGI_LIB_TRANSFORMS_REPORTPRINTING_H

#include "ringi/Analysis/ActivationGraph.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace ringi {

/// Options of a printing pass.
struct ReportOptions {
  llvm::StringRef format, file, function;
};

/// Collects the reports of functions in one of the two formats.
class ReportSink {
public:
  explicit ReportSink(bool json) : json(json) {}

  /// Adds toJson(report...) or printText(report..., stream).
  template <typename... Report> void add(const Report &...report) {
    if (json)
      objects.push_back(toJson(report...));
    else
      printText(report..., stream);
    isEmpty = false;
  }
  bool empty() const { return isEmpty; }

  /// Writes what was added to `file` ("-": standard output).
  mlir::LogicalResult write(mlir::Operation *place, llvm::StringRef file);

private:
  bool json, isEmpty = true;
  llvm::json::Array objects;
  std::string text;
  llvm::raw_string_ostream stream{text};
};

/// Calls `report` for every function that the options select and writes what it
/// added. Emits an error and fails for an unknown format, an unknown function,
/// a report that fails, a file that cannot be written, and with `whenEmpty`
/// when nothing was added, unless that is empty.
mlir::LogicalResult
printReports(mlir::ModuleOp module, const ReportOptions &options,
             llvm::function_ref<mlir::LogicalResult(mlir::FunctionOpInterface,
                                                    ReportSink &)>
                 report,
             llvm::StringRef whenEmpty = "");

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_REPORTPRINTING_H
