//===- Vector.h - 16-byte accesses of any storage type ----------*- C++ -*-===//
//
// Part of Ringi. Elementwise kernels read and write 16 bytes per thread where
// address and length allow it, single elements elsewhere; the arithmetic, and
// so the bits, are the same.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_VECTOR_H
#define RINGI_CUDA_KERNELS_VECTOR_H

#include "HalfTypes.h"

namespace ringi::cuda {

template <typename T> inline constexpr int kVectorWidth = 16 / sizeof(T);

template <typename T, int Width> struct alignas(sizeof(T) * Width) Vector {
  T element[Width];
};

/// Whether every address is a multiple of 16 and `elements` fills whole
/// vectors.
template <typename T>
bool canVectorize(int64_t elements, std::initializer_list<const void *> all) {
  if (elements % kVectorWidth<T> != 0)
    return false;
  for (const void *address : all)
    if (reinterpret_cast<uintptr_t>(address) % 16 != 0)
      return false;
  return true;
}

inline constexpr int kMapThreads = 256;

/// One thread per `width` elements.
inline LaunchShape mapShape(int64_t elements, int width) {
  int64_t threads = (elements + width - 1) / width;
  return {dim3(unsigned((threads + kMapThreads - 1) / kMapThreads)),
          dim3(kMapThreads), 0};
}

/// Index of the running thread in a one-dimensional grid.
__device__ __forceinline__ int64_t globalThread() {
  return int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
}

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_VECTOR_H
