//===- KernelHarness.h - Runs one host kernel on given values ---*- C++ -*-===//
//
// Part of Ringi. Tensors as doubles, an op call built from them, and the raw
// bytes of what came out, with poison and canaries around every buffer. The
// conversions to stored types here are written independently of the kernels.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_KERNELS_KERNELHARNESS_H
#define RINGI_TEST_KERNELS_KERNELHARNESS_H

#include "ringi/Program/KernelWorkspace.h"
#include "ringi/Runtime/HostDevice.h"

#include <string>
#include <utility>
#include <vector>

namespace ringi::test {

using program::AttributesT;
using program::ElementType;
using program::OpKind;

struct Tensor {
  ElementType type = ElementType::F64;
  std::vector<int64_t> shape;
  std::vector<double> values;
};

int64_t elementCount(const std::vector<int64_t> &shape);

/// Nearest value (ties to even) that `type` can store.
double rounded(ElementType type, double value);

/// Values in [-1, 1), the same for the same seed, rounded to `type`.
Tensor randomTensor(ElementType type, std::vector<int64_t> shape,
                    unsigned seed);

struct Shape {
  ElementType type;
  std::vector<int64_t> shape;
};

struct RunOptions {
  int threads = 1;
  runtime::InstructionSet isa = runtime::InstructionSet::Avx512;
  /// Result i is written over operand j.
  std::vector<std::pair<int, int>> inPlace;
  uint8_t poison = 0xa5;
  std::string gemm = "ref";
};

struct Outcome {
  std::vector<std::vector<std::byte>> bytes;
  std::vector<std::vector<double>> values;
  /// Workspace after the run.
  std::vector<std::byte> workspace;
  /// First failure: a bind error or a write outside a buffer.
  std::string failure;
};

/// The device of these threads, set and provider; made once.
runtime::Device &device(int threads, runtime::InstructionSet isa,
                        const std::string &gemm);

Outcome run(OpKind kind, const AttributesT &attributes,
            const std::vector<Tensor> &operands,
            const std::vector<Shape> &results, const RunOptions &options = {});

/// Every instruction set this machine runs.
std::vector<runtime::InstructionSet> instructionSets();

} // namespace ringi::test

#endif // RINGI_TEST_KERNELS_KERNELHARNESS_H
