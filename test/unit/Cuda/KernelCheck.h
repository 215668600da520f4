//===- KernelCheck.h - A device's kernels against the host's ----*- C++ -*-===//
//
// Part of Ringi. Runs a case on the host and several times on a CUDA device,
// whose results must be equal bit for bit and near the host's: f32 within 1e-5
// of the output's scale, 16-bit types within two units in the last place of it;
// random masks and moved bits exactly.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TEST_UNIT_CUDA_KERNELCHECK_H
#define RINGI_TEST_UNIT_CUDA_KERNELCHECK_H

#include "KernelCases.h"

#include "ringi/Runtime/Device.h"

namespace ringi::cuda::test {

/// The devices of a check, and what happens before each run on the second one.
struct CheckedDevices {
  std::unique_ptr<runtime::Device> host, cuda;
  std::vector<std::function<void()>> rounds;
};

/// The host device, one thread, reference GEMM.
std::unique_ptr<runtime::Device> referenceHost();

/// Every case of KernelCases.h in `type`.
void checkKernels(CheckedDevices &devices, ElementType type);
/// Attention backward on what the host's forward op wrote.
void checkAttentionBackward(CheckedDevices &devices, ElementType type);
/// Random parameters, bit for bit the host's.
void checkInitializers(CheckedDevices &devices, ElementType type);
/// With and without a master copy in f32.
void checkAdamw(CheckedDevices &devices, ElementType type);

} // namespace ringi::cuda::test

#endif // RINGI_TEST_UNIT_CUDA_KERNELCHECK_H
