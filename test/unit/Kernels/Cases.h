//===- Cases.h - Every op kind with a naive answer --------------*- C++ -*-===//
//
// Part of Ringi. One or more cases per op kind: operands, result shapes and a
// reference written from docs/operations.md with plain loops in f64. The same
// list is checked for right answers, in every element type and instruction set,
// for equal bits at several thread counts, in place, and on poisoned memory.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_KERNELS_CASES_H
#define RINGI_TEST_KERNELS_CASES_H

#include "KernelHarness.h"

#include <functional>

namespace ringi::test {

using Values = std::vector<std::vector<double>>;

struct Case {
  std::string name;
  OpKind kind;
  AttributesT attributes;
  std::vector<Tensor> operands;
  std::vector<Shape> results;
  /// Results from the operands' values.
  std::function<Values(const std::vector<Tensor> &)> reference;
  /// Pairs (result, operand) that the contract lets share bytes.
  std::vector<std::pair<int, int>> inPlace;
};

/// All cases with floating tensors of `type`.
std::vector<Case> allCases(ElementType type);

/// S of docs/operations.md.
ElementType statistics(ElementType type);

} // namespace ringi::test

#endif // RINGI_TEST_KERNELS_CASES_H
