//===- KernelWorkspace.h - Scratch bytes of every op kind ----- -*- C++ -*-===//
//
// Part of Ringi. The one function that the compiler (planning), the loader
// (checking) and the kernels (using) share: scratch is a function of kind,
// shapes and types alone, so that a program planned anywhere runs everywhere.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PROGRAM_KERNELWORKSPACE_H
#define RINGI_PROGRAM_KERNELWORKSPACE_H

#include <cstdint>
#include <vector>

namespace ringi::program {

enum class OpKind : uint16_t;
enum class ElementType : uint8_t;

/// Element type and shape of one operand or result.
struct TensorShape {
  ElementType type;
  std::vector<int64_t> shape;
};

/// Into how many groups a sum of `reduced` terms for each of `kept` results is
/// split. Group g adds terms [g * n, min((g + 1) * n, reduced)) with n =
/// ceil(reduced / groups); then the groups' partial sums are added in order.
/// Host and CUDA kernels share it. 0 when there is nothing to add.
int64_t reductionGroups(int64_t reduced, int64_t kept);

/// Scratch bytes (unaligned, >= 0) that `kind` uses with these operands and
/// results. `gemmWorkspace` is what the program grants each GEMM (0 on the
/// host). Implemented in runtime/program/KernelWorkspace.cpp.
int64_t kernelWorkspaceBytes(OpKind kind,
                             const std::vector<TensorShape> &operands,
                             const std::vector<TensorShape> &results,
                             int64_t gemmWorkspace = 0);

} // namespace ringi::program

#endif // RINGI_PROGRAM_KERNELWORKSPACE_H
