//===- ExternalModels.h - Upstream dialects that take part ------*- C++ -*-===//
//
// Part of Ringi. RecomputeOpInterface for dialects that know nothing of Ringi:
// one function and one file per dialect. Models attach when their dialect is
// loaded. docs/make-your-dialect-take-part.md explains how to write one.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_EXTERNALMODELS_EXTERNALMODELS_H
#define RINGI_EXTERNALMODELS_EXTERNALMODELS_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace ringi {

/// Elementwise arithmetic; one FLOP per element.
void registerArithModels(mlir::DialectRegistry &registry);
/// Elementwise functions; one FLOP per element.
void registerMathModels(mlir::DialectRegistry &registry);
/// Structured ops: FLOPs from the iteration space, class from the maps and
/// iterators, results over their inits.
void registerLinalgModels(mlir::DialectRegistry &registry);
/// Views, and ops that move data.
void registerTensorModels(mlir::DialectRegistry &registry);
/// Neural-network ops.
void registerTosaModels(mlir::DialectRegistry &registry);
/// Loops and branches as single ops, costed by their bodies.
void registerScfModels(mlir::DialectRegistry &registry);
/// Calls of functions of the same module, costed by their bodies.
void registerFuncModels(mlir::DialectRegistry &registry);

/// All of the above.
void registerExternalModels(mlir::DialectRegistry &registry);

} // namespace ringi

#endif // RINGI_EXTERNALMODELS_EXTERNALMODELS_H
