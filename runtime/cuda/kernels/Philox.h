//===- Philox.h - Counter-based random words on the device ------*- C++ -*-===//
//
// Part of Ringi. Philox4x32-10 (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", 2011), bit-equal to the host device's.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_PHILOX_H
#define RINGI_CUDA_KERNELS_PHILOX_H

#include "../Portable.h"

namespace ringi::cuda {

/// What identifies one stream: (seed, random id, step) of docs/operations.md.
struct RandomStream {
  uint32_t key0, key1, id, step;
};

__device__ __forceinline__ RandomStream makeStream(const int64_t *seed,
                                                   const int64_t *step,
                                                   uint32_t id) {
  auto key = uint64_t(seed[0]);
  return {uint32_t(key), uint32_t(key >> 32), id, uint32_t(step[0])};
}

/// The four words of elements 4 * block .. 4 * block + 3.
__device__ __forceinline__ void
randomWords(const RandomStream &stream, uint64_t block, uint32_t (&words)[4]) {
  uint32_t c0 = uint32_t(block), c1 = uint32_t(block >> 32);
  uint32_t c2 = stream.id, c3 = stream.step;
  uint32_t k0 = stream.key0, k1 = stream.key1;
  for (int round = 0; round < 10; ++round) {
    uint32_t high0 = __umulhi(0xd2511f53u, c0), low0 = 0xd2511f53u * c0;
    uint32_t high1 = __umulhi(0xcd9e8d57u, c2), low1 = 0xcd9e8d57u * c2;
    c0 = high1 ^ c1 ^ k0;
    c1 = low1;
    c2 = high0 ^ c3 ^ k1;
    c3 = low0;
    k0 += 0x9e3779b9u;
    k1 += 0xbb67ae85u;
  }
  words[0] = c0;
  words[1] = c1;
  words[2] = c2;
  words[3] = c3;
}

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_PHILOX_H
