//===- PlanAttributes.h - A plan written into the IR ------------*- C++ -*-===//
//
// Part of Ringi. Between planning and rewriting a plan lives as attributes on
// the function and its ops, so that it can be reviewed, edited and compared as
// text. Reads are not written: every read takes the latest computation of its
// value, which never needs more memory than an older one.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_PLANATTRIBUTES_H
#define RINGI_TRANSFORMS_PLANATTRIBUTES_H

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Planner/Plan.h"

namespace ringi {

/// The function attribute `ringi.plan`: what was asked and what is claimed.
struct PlanSummary {
  std::string strategy;
  int64_t budget = 0;
  int64_t alignment = 256;
  int64_t gemmWorkspace = 0;
  /// Live peak of the plan and of running everything once.
  int64_t livePeak = 0, keepAllPeak = 0;
  int64_t recomputes = 0;
  /// Of the clones, and of running everything once.
  double recomputeFlops = 0, stepFlops = 0;
  /// Proven least recompute cost in percent of the step's cost, with its class;
  /// the plan's own beside it.
  double costPercent = 0, boundPercent = 0;
  std::string boundClass;
  /// The op table that answered for foreign ops; may be empty.
  std::string opTable;
};

/// Points every read of `plan` at the latest earlier computation.
void readLatest(const planner::Problem &problem, planner::Plan &plan);

/// Writes the plan on `graph`'s function, replacing an earlier one.
void writePlan(const ActivationGraph &graph, const planner::Plan &plan,
               const PlanSummary &summary);

/// Removes every attribute that writePlan() makes.
void erasePlan(mlir::FunctionOpInterface function);

/// Emits an error when the function has a plan that is not applied yet: its
/// clones are not in the IR, so its peak is not that of the IR.
mlir::LogicalResult checkPlanApplied(mlir::FunctionOpInterface function);

/// Removes the offsets that --ringi-assign-memory gave: they are of no use once
/// ops are added or moved.
void eraseAssignment(mlir::FunctionOpInterface function);

/// Reads the plan of a function that is not rewritten yet. Emits an error at
/// the op for ids that do not exist, positions that are no permutation and
/// reads before a computation.
mlir::FailureOr<planner::Plan> readPlan(const ActivationGraph &graph);

/// A number of `ringi.plan`, written as an integer or as a float.
std::optional<double> planNumber(mlir::DictionaryAttr plan,
                                 llvm::StringRef name);

/// The summary, or nothing when the function has no plan; emits an error for a
/// malformed one.
mlir::FailureOr<std::optional<PlanSummary>>
readSummary(mlir::FunctionOpInterface function);

/// Options of the graph that a pass analyses: what the user gave (alignment 0
/// and gemmWorkspace -1 stand for nothing given), else what the function's plan
/// or assigned memory says, else the defaults.
mlir::FailureOr<GraphOptions>
graphOptionsFor(mlir::FunctionOpInterface function, int64_t alignment = 0,
                int64_t gemmWorkspace = -1, llvm::StringRef opTable = "");

/// The table that `option` names, else the one that the function was planned
/// with, else null. Emits an error at the function for one that cannot be read.
mlir::FailureOr<std::shared_ptr<const OpTable>>
opTableFor(mlir::FunctionOpInterface function, llvm::StringRef option);

} // namespace ringi

#endif // RINGI_TRANSFORMS_PLANATTRIBUTES_H
