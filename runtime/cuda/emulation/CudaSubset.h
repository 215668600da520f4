//===- CudaSubset.h - The CUDA C++ that Ringi's kernels use -----*- C++ -*-===//
//
// Part of Ringi. Test-only: lets g++ compile the kernel sources against the
// emulation. Only what the kernels use is here; a kernel that needs more adds
// it together with a test.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_EMULATION_CUDASUBSET_H
#define RINGI_CUDA_EMULATION_CUDASUBSET_H

#include "Emulation.h"

#include <cmath>
#include <cstring>

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __restrict__
#define __launch_bounds__(...)

using dim3 = ringi::emulation::Dim3;
using cudaStream_t = void *;

#define threadIdx (::ringi::emulation::currentThread)
#define blockIdx (::ringi::emulation::currentBlock)
#define blockDim (::ringi::emulation::currentBlockDim)
#define gridDim (::ringi::emulation::currentGridDim)

inline void __syncthreads() { ringi::emulation::blockBarrier(); }

inline void __syncwarp(uint32_t mask = 0xffffffffu) {
  ringi::emulation::exchange(ringi::emulation::Collective::Sync, mask, &mask,
                             sizeof(mask));
}

namespace ringi::emulation {
template <typename T> T shuffleFrom(uint32_t mask, T value, int source) {
  const std::byte *all = exchange(Collective::Shuffle, mask, &value, sizeof(T));
  T result;
  std::memcpy(&result, all + size_t(source) * kExchangeBytes, sizeof(T));
  return result;
}
} // namespace ringi::emulation

template <typename T> T __shfl_sync(uint32_t mask, T value, int source) {
  return ringi::emulation::shuffleFrom(mask, value, source & 31);
}
template <typename T> T __shfl_xor_sync(uint32_t mask, T value, int lanes) {
  return ringi::emulation::shuffleFrom(mask, value,
                                       ringi::emulation::laneIndex() ^ lanes);
}
template <typename T> T __shfl_down_sync(uint32_t mask, T value, int delta) {
  int source = ringi::emulation::laneIndex() + delta;
  return ringi::emulation::shuffleFrom(
      mask, value, source > 31 ? ringi::emulation::laneIndex() : source);
}
template <typename T> T __shfl_up_sync(uint32_t mask, T value, int delta) {
  int source = ringi::emulation::laneIndex() - delta;
  return ringi::emulation::shuffleFrom(
      mask, value, source < 0 ? ringi::emulation::laneIndex() : source);
}

inline uint32_t __ballot_sync(uint32_t mask, int predicate) {
  const std::byte *all = ringi::emulation::exchange(
      ringi::emulation::Collective::Vote, mask, &predicate, sizeof(predicate));
  uint32_t votes = 0;
  for (int lane = 0; lane < 32; ++lane) {
    int vote = 0;
    std::memcpy(&vote, all + size_t(lane) * ringi::emulation::kExchangeBytes,
                sizeof(vote));
    if ((mask >> lane & 1) && vote)
      votes |= 1u << lane;
  }
  return votes;
}

inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
inline uint32_t __umulhi(uint32_t a, uint32_t b) {
  return uint32_t((uint64_t(a) * b) >> 32);
}
inline float __int_as_float(int bits) {
  float value;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}
inline int __float_as_int(float value) {
  int bits;
  std::memcpy(&bits, &value, sizeof(bits));
  return bits;
}

#endif // RINGI_CUDA_EMULATION_CUDASUBSET_H
