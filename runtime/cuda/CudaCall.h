//===- CudaCall.h - CUDA status codes as errors -----------------*- C++ -*-===//
//
// Part of Ringi. Every call into the CUDA runtime, driver or cuBLASLt goes
// through one of these, so that an error names the call.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_CUDACALL_H
#define RINGI_CUDA_CUDACALL_H

#include "ringi/Support/Expected.h"

#include <cublasLt.h>
#include <cuda.h>
#include <cuda_runtime.h>

namespace ringi::cuda {

inline Status check(cudaError_t code, const char *call) {
  if (code == cudaSuccess)
    return Status::success();
  return Error::badInput(std::string(call) +
                         " failed: " + cudaGetErrorString(code) + " (" +
                         cudaGetErrorName(code) + ")");
}

inline Status check(cublasStatus_t code, const char *call) {
  if (code == CUBLAS_STATUS_SUCCESS)
    return Status::success();
  return Error::badInput(std::string(call) +
                         " failed: " + cublasLtGetStatusName(code));
}

/// An entry point of the driver, found at run time so that binaries start on
/// machines without one.
template <typename Function>
Expected<Function> driverFunction(const char *name) {
  void *address = nullptr;
  cudaDriverEntryPointQueryResult found;
  cudaError_t code = cudaGetDriverEntryPointByVersion(
      name, &address, 12000, cudaEnableDefault, &found);
  if (code != cudaSuccess || found != cudaDriverEntryPointSuccess)
    return Error::badInput(std::string("the driver has no ") + name);
  return reinterpret_cast<Function>(address);
}

inline Status check(CUresult code, const char *call) {
  if (code == CUDA_SUCCESS)
    return Status::success();
  const char *text = nullptr;
  if (auto explain =
          driverFunction<decltype(&cuGetErrorString)>("cuGetErrorString"))
    (*explain)(code, &text);
  return Error::badInput(std::string(call) +
                         " failed: " + (text ? text : "no explanation") +
                         " (driver code " + std::to_string(int(code)) + ")");
}

} // namespace ringi::cuda

#endif // RINGI_CUDA_CUDACALL_H
