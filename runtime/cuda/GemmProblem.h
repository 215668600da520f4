//===- GemmProblem.h - Sizes of one matrix product --------------*- C++ -*-===//
//
// Part of Ringi. A Matmul as a GEMM library sees it, and the text by which its
// algorithm is pinned. Shared by cuBLASLt and the emulation.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_GEMMPROBLEM_H
#define RINGI_CUDA_GEMMPROBLEM_H

#include "ringi/Runtime/Device.h"

namespace ringi::cuda {

/// Work that joins a product.
enum class Epilogue : uint8_t {
  None,
  Bias,
  /// gelu of product (and bias), and the preactivation beside it.
  Gelu,
  GeluBias,
  /// The product times the slope of gelu at the preactivation.
  GeluBackward,
  /// The product, and the sum of the rows of a or b.
  SumA,
  SumB
};

/// Sizes of one product: `batch` products of [m, k] and [k, n].
struct GemmProblem {
  int64_t m = 0, n = 0, k = 0, batch = 1;
  /// Elements from one product to the next; 0 repeats the operand.
  int64_t strideA = 0, strideB = 0, strideC = 0;
  bool transposeA = false, transposeB = false;
  Epilogue epilogue = Epilogue::None;
  program::ElementType type = program::ElementType::F32;
  /// Bytes that divide every address, at most 16: what libraries distinguish.
  int alignment = 16;
  int64_t workspaceBytes = 0;
  bool tf32 = false;

  /// Of any product kind. `tf32` counts for f32 only.
  static GemmProblem of(const runtime::OpCall &call, bool tf32);

  /// Equal for a clone and its origin, different for everything that may need
  /// another algorithm.
  std::string key() const;
};

/// Whether the CUDA device multiplies the result's type; the error names the
/// op, the type and the remedy.
Status checkGemmType(const runtime::OpCall &call);

/// Whether cuBLASLt's epilogues compute what `call` means: its gelu is the tanh
/// approximation, and its preactivation has rows of whole 16 bytes. Everything
/// without gelu passes.
bool hasLibraryEpilogue(const runtime::OpCall &call,
                        const GemmProblem &problem);

/// The error of a library that has nothing for `call`.
Error noGemmAlgorithm(const runtime::OpCall &call);

} // namespace ringi::cuda

#endif // RINGI_CUDA_GEMMPROBLEM_H
