//===- LtGemm.h - GEMMs through cuBLASLt, one algorithm each ----*- C++ -*-===//
//
// Part of Ringi. Pins one deterministic algorithm per shape, type, layout and
// epilogue, so that a clone and its origin, and two runs with the same cache,
// give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_LTGEMM_H
#define RINGI_CUDA_LTGEMM_H

#include "AlgorithmCache.h"
#include "CudaCall.h"
#include "kernels/Launcher.h"

namespace ringi::cuda {

class LtGemm {
public:
  static Expected<std::unique_ptr<LtGemm>>
  create(const std::string &cachePath, const std::string &machine, bool tf32);
  ~LtGemm();
  LtGemm(const LtGemm &) = delete;
  LtGemm &operator=(const LtGemm &) = delete;

  /// `call` is a product of docs/operations.md; its workspace is the library's.
  /// Empty when the library does not do what is fused into it. The launcher
  /// must not outlive this object.
  Expected<Launcher> bind(const runtime::OpCall &call);

  /// What the first launch that failed since the last call reported.
  Status takeFailure() { return std::exchange(failure, Status::success()); }

private:
  LtGemm(AlgorithmCache cache, bool tf32)
      : cache(std::move(cache)), tf32(tf32) {}

  cublasLtHandle_t handle = nullptr;
  AlgorithmCache cache;
  bool tf32;
  Status failure;
};

} // namespace ringi::cuda

#endif // RINGI_CUDA_LTGEMM_H
