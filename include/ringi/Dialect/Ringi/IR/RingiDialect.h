//===- RingiDialect.h - The ringi dialect -----------------------*- C++ -*-===//
//
// Part of Ringi. The dialect class, the resources its ops write, and the names
// of the discardable attributes it defines.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_DIALECT_RINGI_IR_RINGIDIALECT_H
#define RINGI_DIALECT_RINGI_IR_RINGIDIALECT_H

#include "mlir/IR/Dialect.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "ringi/Dialect/Ringi/IR/RingiDialect.h.inc"

namespace ringi {

/// Written by a dropout without `random_id`, so that no two are ever merged.
struct RandomResource : mlir::SideEffects::Resource::Base<RandomResource> {
  llvm::StringRef getName() final { return "ringi.random"; }
};

/// Written by `ringi.recompute`, so that no pass merges, hoists or drops it.
struct RecomputeResource
    : mlir::SideEffects::Resource::Base<RecomputeResource> {
  llvm::StringRef getName() final { return "ringi.recompute"; }
};

namespace attr {
/// Function arguments and results: what they are to the step.
inline constexpr llvm::StringLiteral kRole = "ringi.role";
inline constexpr llvm::StringLiteral kName = "ringi.name";
inline constexpr llvm::StringLiteral kInit = "ringi.init";
inline constexpr llvm::StringLiteral kFrozen = "ringi.frozen";
/// Function results: the name of the argument that the result replaces.
inline constexpr llvm::StringLiteral kUpdates = "ringi.updates";
/// Ops of a step: the path of blocks they came from and their part of the step
/// ("forward", "backward", "optimizer").
inline constexpr llvm::StringLiteral kBlock = "ringi.block";
inline constexpr llvm::StringLiteral kPhase = "ringi.phase";
/// The step function itself.
inline constexpr llvm::StringLiteral kStep = "ringi.step";
} // namespace attr

} // namespace ringi

#endif // RINGI_DIALECT_RINGI_IR_RINGIDIALECT_H
