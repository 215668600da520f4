//===- CostModel.h - FLOPs, bytes and predicted time of an op ---*- C++ -*-===//
//
// Part of Ringi. The roofline (Williams, Waterman, Patterson 2009): an op takes
// the longer of its arithmetic at the device's peak rate and its traffic at the
// device's bandwidth, plus one launch.
//
// The prediction ignores caches, occupancy and overlap; `ringi-run --calibrate`
// measures the rates it uses.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ANALYSIS_COSTMODEL_H
#define RINGI_ANALYSIS_COSTMODEL_H

#include "ringi/Analysis/OpModel.h"
#include "ringi/Planner/Problem.h"
#include "ringi/Support/DeviceSpec.h"

#include "mlir/IR/Operation.h"

#include <string>

namespace ringi {

enum class CostKind { Flops, Time };

/// What one execution of an op costs.
struct OpCost {
  double flops = 0;
  double bytes = 0;
  /// Name of the element type that the op computes with ("bf16"): that of its
  /// first floating-point operand, else result.
  std::string elementType = "f32";
  planner::OpClass opClass = planner::OpClass::Other;
  /// False for ops that nobody answers for and that have no `ringi.cost`.
  bool known = false;
};

/// The device that `option` names (DeviceSpec.h), else the one that `function`
/// or its module carries as `ringi.device`, else generic-cpu. An unknown name
/// is an error.
Expected<DeviceSpec> findDevice(mlir::Operation *function,
                                const std::string &option);

/// FLOPs and bytes from whoever answers for the op; `ringi.cost` (a number) on
/// the op overrides the FLOPs.
OpCost getOpCost(mlir::Operation *op, const OpModel &model);

/// Seconds the arithmetic and the traffic take alone.
double computeSeconds(const OpCost &cost, const DeviceSpec &device);
double trafficSeconds(const OpCost &cost, const DeviceSpec &device);

/// Predicted seconds of one execution: the longer of the two, plus a launch.
double predictSeconds(const OpCost &cost, const DeviceSpec &device);

} // namespace ringi

#endif // RINGI_ANALYSIS_COSTMODEL_H
