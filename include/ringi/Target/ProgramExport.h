//===- ProgramExport.h - From assigned IR to a step program -----*- C++ -*-===//
//
// Part of Ringi. Turns a function with assigned memory into the object form of
// a step program; docs/step-program.md states the rules that it follows.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TARGET_PROGRAMEXPORT_H
#define RINGI_TARGET_PROGRAMEXPORT_H

#include "ringi/Program/StepProgram.h"
#include "ringi/Transforms/MemoryAssignment.h"

namespace ringi {

/// Emits an error at the op for what the program cannot express: ops and
/// attributes that no kernel has, arguments without a role or an initialiser
/// that is known, peaks that differ from the assigned ones.
mlir::FailureOr<program::ProgramFile>
exportProgram(const ActivationGraph &graph, const MemoryAssignment &assignment);

/// The program's kind of an op (`ringi.relu_backward` is `relu_backward`), or
/// nothing.
std::optional<program::OpKind> programKind(mlir::Operation *op);

/// Fills in the fields named like the op's attributes. \returns the name of an
/// attribute that has none, empty when all have.
llvm::StringRef programAttributes(mlir::Operation *op,
                                  program::AttributesT &attributes);

/// Element type and shape; nothing for types that no kernel has.
std::optional<program::TensorShape> programShape(mlir::Type type);

/// The bytes of a constant in the order of the program; nothing for attributes
/// that are not dense.
std::optional<program::SegmentData> constantBytes(mlir::Attribute constant);

/// `elements` times the number `value` in an element type.
program::SegmentData filledBytes(program::ElementType type, int64_t elements,
                                 double value);

} // namespace ringi

#endif // RINGI_TARGET_PROGRAMEXPORT_H
