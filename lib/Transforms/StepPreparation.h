//===- StepPreparation.h - A function before it is planned ------*- C++ -*-===//
//
// Part of Ringi. Questions that planning asks of a function before it reads it,
// and the regions that only group.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_STEPPREPARATION_H
#define RINGI_LIB_TRANSFORMS_STEPPREPARATION_H

#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ringi {

/// Is `function` private and without a phase? Such a one is called by others; a
/// private one that is a step says so.
bool isPartOfStep(mlir::FunctionOpInterface function);

/// Holds ringi.recompute regions.
bool hasRecompute(mlir::FunctionOpInterface step);

/// An op carries a `ringi.` attribute.
bool hasMarks(mlir::FunctionOpInterface step);

/// Holds ringi.block or ringi.no_grad.
bool hasGroups(mlir::FunctionOpInterface step);

/// Inlines ringi.block and ringi.no_grad: clones are put between any two ops,
/// and must see the values they read. The path of blocks stays on the ops.
void flattenGroups(mlir::Block &body);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_STEPPREPARATION_H
