//===- OpSignature.h - What each op kind takes and gives --------*- C++ -*-===//
//
// Part of Ringi. docs/operations.md as a check: operand counts, types, shapes
// and attribute ranges of every kind, and which results may be written over
// which operands. Used by the loader, the program builder and the tests.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PROGRAM_OPSIGNATURE_H
#define RINGI_PROGRAM_OPSIGNATURE_H

#include "ringi/Program/StepProgram.h"

namespace ringi::program {

/// Largest rank of a value.
inline constexpr size_t kMaxValueRank = 8;

/// Checks one op. The error names the operand, result or attribute with what
/// is there and what belongs there. Shapes must have dimensions >= 1 whose
/// product does not overflow.
Status checkSignature(OpKind kind, const AttributesT &attributes,
                      const std::vector<TensorShape> &operands,
                      const std::vector<TensorShape> &results);

/// Whether `result` may occupy the bytes of `operand` when the operand dies at
/// the op (both have the same type width and shape).
bool mayRunInPlace(OpKind kind, size_t operand, size_t result);

/// The operand whose bytes `result` must occupy (updates); -1 for none.
int requiredInPlaceOperand(OpKind kind, size_t result);

/// The operand that indexes rows of a table or classes of logits; -1 for none.
int indexOperand(OpKind kind);

/// True for sgd, momentum and adamw.
bool isUpdate(OpKind kind);

/// True for matmul and the kinds that fuse work into one.
bool isProduct(OpKind kind);

/// 2·M·N·K·batch of a product with valid operands, whose fused work is free; 0
/// for other kinds.
double matmulFlops(OpKind kind, const AttributesT &attributes,
                   const std::vector<TensorShape> &operands,
                   const std::vector<TensorShape> &results);

} // namespace ringi::program

#endif // RINGI_PROGRAM_OPSIGNATURE_H
