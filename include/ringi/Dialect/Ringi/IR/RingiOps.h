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
/// What the compute ops' interface methods and verifiers share: OpSignature.cpp
/// (verification, workspace), OpCosts.cpp and OpViews.cpp.
llvm::LogicalResult verifySignature(mlir::Operation *op);
bool isRecomputable(mlir::Operation *op);
/// `stated`, but Elementwise for a view op that has to copy.
planner::OpClass computeOpClass(mlir::Operation *op, planner::OpClass stated);
double computeFlops(mlir::Operation *op);
double computeBytesAccessed(mlir::Operation *op);
int64_t computeWorkspaceBytes(mlir::Operation *op);
void appendInPlacePairs(mlir::Operation *op,
                        std::initializer_list<InPlaceOperand> allowed,
                        llvm::SmallVectorImpl<InPlaceOperand> &pairs);
std::optional<ViewSource> computeViewSource(mlir::Operation *op,
                                            unsigned resultNumber);
} // namespace ringi::detail

namespace ringi {
/// The element type of statistics, moments and learning rates beside tensors of
/// `type`: f64 for f64, else f32.
mlir::Type getStatisticsType(mlir::Type elementType);
/// `type` with another shape.
mlir::RankedTensorType withShape(mlir::RankedTensorType type,
                                 llvm::ArrayRef<int64_t> shape);
} // namespace ringi

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
