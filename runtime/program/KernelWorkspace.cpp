//===- KernelWorkspace.cpp - Scratch bytes of every op kind ---------------===//
//
// Part of Ringi. The formulas behind docs/operations.md: which ops need planned
// scratch, and how a large sum is split into groups whose partial sums live
// there. Blocking tiles of a few hundred kilobytes per thread (GEMM packing,
// attention blocks) belong to the device and are not planned.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/KernelWorkspace.h"

#include "ringi/Program/StepProgram.h"

#include <algorithm>
#include <limits>

namespace ringi::program {

namespace {

/// The loader asks about files it does not trust yet: a size that does not fit
/// becomes the largest one, which no workspace slot satisfies.
int64_t product(int64_t a, int64_t b) {
  int64_t result = 0;
  return __builtin_mul_overflow(a, b, &result)
             ? std::numeric_limits<int64_t>::max()
             : result;
}

int64_t elements(const TensorShape &tensor) {
  int64_t count = 1;
  for (int64_t dim : tensor.shape)
    count = product(count, dim);
  return count;
}

int64_t columns(const TensorShape &tensor) {
  return tensor.shape.empty() ? 1 : tensor.shape.back();
}

int64_t rows(const TensorShape &tensor) {
  const int64_t width = columns(tensor);
  return width ? elements(tensor) / width : 0;
}

/// Bytes of the statistics type S of a tensor's element type.
int64_t statisticsBytes(const TensorShape &tensor) {
  return tensor.type == ElementType::F64 ? 8 : 4;
}

/// Partial sums of `reduced` terms for each of `kept` results.
int64_t sumScratch(const TensorShape &terms, int64_t reduced, int64_t kept) {
  const int64_t groups = reductionGroups(reduced, kept);
  return groups > 1 ? groups * kept * statisticsBytes(terms) : 0;
}

constexpr int64_t kIndexBytes = 4;

} // namespace

int64_t reductionGroups(int64_t reduced, int64_t kept) {
  constexpr int64_t kLeastPerGroup = 64;
  // A wide result fills a device without splitting the sum.
  constexpr int64_t kWideResult = int64_t(1) << 18;
  if (reduced <= 0 || kept <= 0)
    return 0;
  if (reduced < 2 * kLeastPerGroup || kept >= kWideResult)
    return 1;
  const int64_t most = kept >= 256 ? 64 : 1024;
  const int64_t wanted = std::min(most, (reduced - 1) / kLeastPerGroup + 1);
  const int64_t perGroup = (reduced - 1) / wanted + 1;
  return (reduced - 1) / perGroup + 1;
}

int64_t kernelWorkspaceBytes(OpKind kind,
                             const std::vector<TensorShape> &operands,
                             const std::vector<TensorShape> &results,
                             int64_t gemmWorkspace) {
  // The loader calls this on unverified files: a missing operand is no scratch.
  if (operands.empty() || results.empty())
    return 0;
  const TensorShape &first = operands.front();
  switch (kind) {
  case OpKind::Matmul:
  case OpKind::MatmulGelu:
  case OpKind::MatmulGeluBackward:
    return gemmWorkspace;
  case OpKind::MatmulBiasGradient: {
    // Where the library does not add the rows itself, ReduceSum does.
    const int64_t kept = elements(results.back());
    return gemmWorkspace +
           sumScratch(first, first.shape.empty() ? 0 : first.shape[0], kept);
  }
  case OpKind::LayerNormBackward:
  case OpKind::RmsNormBackward: {
    // Partial dgamma (and dbeta), one row of S per group of rows.
    const int64_t sums = kind == OpKind::LayerNormBackward ? 2 : 1;
    return product(sums * reductionGroups(rows(first), columns(first)) *
                       statisticsBytes(first),
                   columns(first));
  }
  case OpKind::ReduceSum: {
    const int64_t kept = elements(results.front());
    return sumScratch(first, kept ? elements(first) / kept : 0, kept);
  }
  case OpKind::Mse:
    return reductionGroups(elements(first), 1) * statisticsBytes(first);
  case OpKind::EmbeddingBackward: {
    // Positions sorted by id, and where each id's positions start.
    if (operands.size() < 2 || results.front().shape.empty())
      return 0;
    return (results.front().shape[0] + 1 + elements(operands[1])) * kIndexBytes;
  }
  case OpKind::AttentionBackward:
    // Per query row: sum over do * o.
    return product(rows(first), statisticsBytes(first));
  default:
    return 0;
  }
}

} // namespace ringi::program
