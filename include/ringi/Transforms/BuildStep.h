//===- BuildStep.h - From a forward function to a step ----------*- C++ -*-===//
//
// Part of Ringi. Reverse-mode differentiation of one forward function and the
// optimizer's updates, as --ringi-build-step runs it; for embedders that build
// IR themselves.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_BUILDSTEP_H
#define RINGI_TRANSFORMS_BUILDSTEP_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ringi {

enum class Optimizer { None, Sgd, Momentum, AdamW };

struct StepOptions {
  Optimizer optimizer = Optimizer::AdamW;
  double lr = 1e-3;
  double weightDecay = 0.0;
  double momentum = 0.9;
  bool nesterov = false;
  double beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8;
  /// Micro-batches in one step, >= 1.
  int64_t accumulate = 1;
  /// Save one byte per element instead of making a dropout's mask again.
  bool storeDropoutMasks = false;
};

/// Whether buildStep() has work: a definition with a `ringi.role` on some
/// argument that is no step yet.
bool isForwardFunction(mlir::FunctionOpInterface function);

/// Turns `function` into a training step in place. On failure an error was
/// emitted and the function may be half rewritten.
mlir::LogicalResult buildStep(mlir::FunctionOpInterface function,
                              const StepOptions &options);

} // namespace ringi

#endif // RINGI_TRANSFORMS_BUILDSTEP_H
