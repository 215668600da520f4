//===- KernelCases.h - One call of every op kind ----------------*- C++ -*-===//
//
// Part of Ringi. Shapes, attributes and data ranges that the kernel tests run:
// on the emulated CUDA device everywhere, on a real one where there is one.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_UNIT_CUDA_KERNELCASES_H
#define RINGI_TEST_UNIT_CUDA_KERNELCASES_H

#include "ringi/Program/StepProgram.h"

#include <functional>

namespace ringi::cuda::test {

using program::AttributesT;
using program::ElementType;
using program::OpKind;

/// The working type of a case stands for "T" in its tensors.
inline constexpr ElementType kT = ElementType::F64;
inline constexpr ElementType kS = ElementType::F32;
inline constexpr ElementType kI32 = ElementType::I32;
inline constexpr ElementType kI64 = ElementType::I64;
inline constexpr ElementType kI8 = ElementType::I8;

struct TensorSpec {
  ElementType type;
  std::vector<int64_t> shape;
};

struct Case {
  std::string name;
  OpKind kind;
  std::vector<TensorSpec> operands, results;
  AttributesT attributes = {};
  /// Values of integer operands are below this.
  int64_t vocabulary = 2;
  /// Result i is written over operand overwrites[i] when that is not -1.
  std::vector<int> overwrites = {};
  bool exact = false;
};

inline AttributesT attributes(const std::function<void(AttributesT &)> &set) {
  AttributesT result;
  set(result);
  return result;
}

/// Two operands and a result of one shape.
Case pairwise(const char *name, OpKind kind, AttributesT a = {});
/// `c` with results over its operands.
Case inPlace(Case c, std::vector<int> overwrites);

/// Activations, sums, casts, fills; tokens and random numbers; moved bits and
/// sums of rows (MapCases.cpp).
void addElementwise(std::vector<Case> &cases);
void addTokensAndRandom(std::vector<Case> &cases);
void addMovement(std::vector<Case> &cases);
/// Norms, softmax and losses; products and attention; updates (RowCases.cpp).
void addRows(std::vector<Case> &cases);
void addProducts(std::vector<Case> &cases);
void addUpdates(std::vector<Case> &cases);

/// One attention kernel each: rows, and tiles of 32, 64 and 128 columns, partly
/// filled in both directions; then rows for more keys than queries.
struct AttentionSize {
  int64_t head, seq, keys;
  bool causal;
};
inline constexpr AttentionSize kAttentionSizes[] = {
    {20, 70, 70, true},  {24, 70, 70, false}, {64, 70, 70, true},
    {120, 40, 40, true}, {24, 9, 30, true},   {16, 7, 12, false}};
std::string nameOf(const AttentionSize &sizes);
AttributesT attentionAttributes(const AttentionSize &sizes);

} // namespace ringi::cuda::test

#endif // RINGI_TEST_UNIT_CUDA_KERNELCASES_H
