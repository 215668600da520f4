//===- RingiOps.h - Operations of the ringi dialect -------------*- C++ -*-===//
//
// Part of Ringi. C++ side of the Ringi*Ops.td files, and the facts of ops that
// their interface methods share.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_DIALECT_RINGI_IR_RINGIOPS_H
#define RINGI_DIALECT_RINGI_IR_RINGIOPS_H

#include "ringi/Dialect/Ringi/IR/RingiAttrs.h"
#include "ringi/Dialect/Ringi/IR/RingiDialect.h"
#include "ringi/Dialect/Ringi/IR/RingiTypes.h"
#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

namespace ringi::detail {
/// Implementations of RecomputeOpInterface for the compute ops
/// (lib/Dialect/Ringi/IR/OpCosts.cpp and OpViews.cpp).
bool isRecomputable(mlir::Operation *op);
double computeFlops(mlir::Operation *op);
int64_t computeWorkspaceBytes(mlir::Operation *op);
void appendInPlacePairs(mlir::Operation *op,
                        std::initializer_list<InPlaceOperand> allowed,
                        llvm::SmallVectorImpl<InPlaceOperand> &pairs);
std::optional<ViewSource> computeViewSource(mlir::Operation *op,
                                            unsigned resultNumber);
} // namespace ringi::detail

#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiStructureOps.h.inc"
#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiForwardOps.h.inc"
#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiShapeOps.h.inc"
#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiBackwardOps.h.inc"
#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiUpdateOps.h.inc"

#endif // RINGI_DIALECT_RINGI_IR_RINGIOPS_H
