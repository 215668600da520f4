//===- PlanReport.h - Kept or recomputed, and why ---------------*- C++ -*-===//
//
// Part of Ringi. The numbers behind --ringi-print-plan, from the attributes of
// a planned function before or after the rewrite; and where reports are
// written.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_PLANREPORT_H
#define RINGI_TRANSFORMS_PLANREPORT_H

#include "ringi/Transforms/PlanAttributes.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace ringi {

/// {"function", "plan": totals, "values": [{"value", "decision", "reason",
/// "bytes", "producer", "first_backward_use", "location"}], "unknown_ops":
/// [{"op", "kind", "bytes"}]}.
llvm::json::Object toJson(const ActivationGraph &graph,
                          const PlanSummary &summary);

/// The same as text.
void printText(const ActivationGraph &graph, const PlanSummary &summary,
               llvm::raw_ostream &os);

/// Writes `text` to the file ("-": standard output); emits an error at `place`
/// when that fails.
mlir::LogicalResult writeFile(mlir::Operation *place, llvm::StringRef file,
                              llvm::StringRef text);

/// Writes one object, or an array when there are several.
mlir::LogicalResult writeReport(mlir::Operation *place, llvm::StringRef file,
                                llvm::json::Array &objects);

} // namespace ringi

#endif // RINGI_TRANSFORMS_PLANREPORT_H
