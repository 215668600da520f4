//===- CostReport.h - FLOPs, traffic and time of a step ---------*- C++ -*-===//
//
// Part of Ringi. The numbers behind --ringi-print-cost.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ANALYSIS_COSTREPORT_H
#define RINGI_ANALYSIS_COSTREPORT_H

#include "ringi/Analysis/ActivationGraph.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

namespace ringi {

struct CostReport {
  struct Row {
    std::string op, kind, location;
    planner::Phase phase;
    planner::OpClass opClass;
    bool clone, known;
    double flops, bytes, seconds;
    /// The op's traffic takes longer than its arithmetic.
    bool memoryBound;
    /// FLOPs per byte; 0 where no byte is moved.
    double intensity() const { return bytes > 0 ? flops / bytes : 0; }
  };
  struct Total {
    double flops = 0, bytes = 0, seconds = 0;
  };

  std::string function;
  DeviceSpec device;
  std::vector<Row> rows;
  /// Clones apart; by Phase.
  Total phases[3], recompute, step;
  /// By OpClass, clones included.
  Total classes[11];
  /// Elements of the parameters, tokens of the step, and 6 x their product: the
  /// usual estimate of forward and backward FLOPs. 0 tokens: not known.
  double parameters = 0, tokens = 0, sixNd = 0;
  /// Measured seconds of a step, 0 when not given, and the model FLOPs
  /// utilisation: FLOPs without recompute per second and peak rate.
  double measuredSeconds = 0, utilisation = 0;
};

/// Tokens of one step: elements of the integer targets, else rows of the first
/// target or input (its elements over its last dimension). 0 when the function
/// has neither.
int64_t tokensPerStep(mlir::FunctionOpInterface function);

/// \param tokens 0 takes tokensPerStep(). \param measuredSeconds 0: none.
CostReport makeCostReport(const ActivationGraph &graph,
                          const DeviceSpec &device, int64_t tokens,
                          double measuredSeconds);

void printText(const CostReport &report, llvm::raw_ostream &os);
llvm::json::Object toJson(const CostReport &report);

} // namespace ringi

#endif // RINGI_ANALYSIS_COSTREPORT_H
