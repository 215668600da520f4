//===- BlockReduce.h - Sums and maxima over warp and block ------*- C++ -*-===//
//
// Part of Ringi. Reductions whose order depends on the block size only: a
// butterfly inside each warp, then the warps' values in ascending order.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_BLOCKREDUCE_H
#define RINGI_CUDA_KERNELS_BLOCKREDUCE_H

#include "../Portable.h"

#include <cmath>

namespace ringi::cuda {

inline constexpr uint32_t kFullWarp = 0xffffffffu;
/// Floats of shared memory that a block reduction uses.
inline constexpr int kReduceFloats = 33;

struct SumOf {
  __device__ float operator()(float a, float b) const { return a + b; }
  static constexpr float identity = 0.0f;
};

struct MaxOf {
  __device__ float operator()(float a, float b) const { return fmaxf(a, b); }
  static constexpr float identity = -INFINITY;
};

template <typename Combine>
__device__ __forceinline__ float warpReduce(float value, Combine combine) {
  for (int lanes = 16; lanes > 0; lanes /= 2)
    value = combine(value, __shfl_xor_sync(kFullWarp, value, lanes));
  return value;
}

/// The combination over all threads of the block, in every thread. `scratch`
/// holds kReduceFloats floats and may be reused right after.
template <typename Combine>
__device__ float blockReduce(float value, float *scratch, Combine combine) {
  int warp = int(threadIdx.x) / 32, lane = int(threadIdx.x) % 32;
  value = warpReduce(value, combine);
  if (lane == 0)
    scratch[warp] = value;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = Combine::identity;
    for (int w = 0; w < int(blockDim.x) / 32; ++w)
      total = combine(total, scratch[w]);
    scratch[32] = total;
  }
  __syncthreads();
  float result = scratch[32];
  __syncthreads();
  return result;
}

/// Threads per row for a row of `columns`: a power of two from one warp to
/// eight.
inline int rowThreads(int64_t columns) {
  int threads = 32;
  while (threads < 256 && threads * 8 < columns)
    threads *= 2;
  return threads;
}

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_BLOCKREDUCE_H
