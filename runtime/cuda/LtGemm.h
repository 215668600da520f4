//===- LtGemm.h - GEMMs through cuBLASLt, one algorithm each ----*- C++ -*-===//
//
// Part of Ringi. Pins one deterministic algorithm per shape, type, layout and
// epilogue, so that a clone and its origin, and two runs with the same cache,
// give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_LTGEMM_H
#define RINGI_CUDA_LTGEMM_H

#include "CudaCall.h"
#include "kernels/Launcher.h"

#include <array>
#include <map>

namespace ringi::cuda {

/// Algorithms by problem; text, one line per problem: key, then the algorithm's
/// words in hexadecimal.
class AlgorithmCache {
public:
  /// Reads `path` when it exists; "" keeps the cache in memory. The first line
  /// names device and library; a file made by others is an error.
  static Expected<AlgorithmCache> open(std::string path, std::string machine);

  const cublasLtMatmulAlgo_t *find(const std::string &key) const;
  /// Adds and rewrites the file.
  Status add(const std::string &key, const cublasLtMatmulAlgo_t &algorithm);

private:
  std::string path, machine;
  std::map<std::string, cublasLtMatmulAlgo_t> algorithms;
};

class LtGemm {
public:
  static Expected<std::unique_ptr<LtGemm>>
  create(const std::string &cachePath, const std::string &machine, bool tf32);
  ~LtGemm();
  LtGemm(const LtGemm &) = delete;
  LtGemm &operator=(const LtGemm &) = delete;

  /// `call` is a Matmul of docs/operations.md; its workspace is the library's.
  Expected<Launcher> bind(const runtime::OpCall &call);

private:
  LtGemm(AlgorithmCache cache, bool tf32)
      : cache(std::move(cache)), tf32(tf32) {}

  cublasLtHandle_t handle = nullptr;
  AlgorithmCache cache;
  bool tf32;
};

} // namespace ringi::cuda

#endif // RINGI_CUDA_LTGEMM_H
