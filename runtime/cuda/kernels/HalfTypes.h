//===- HalfTypes.h - bf16 and f16 as storage --------------------*- C++ -*-===//
//
// Part of Ringi. The 16-bit types as plain storage with conversions that give
// the same bits under nvcc, in the emulation and on the host device: round to
// nearest even, NaN stays NaN.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_HALFTYPES_H
#define RINGI_CUDA_KERNELS_HALFTYPES_H

#include "../Portable.h"

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

namespace ringi::cuda {

struct BFloat16 {
  uint16_t bits;
};
struct Float16 {
  uint16_t bits;
};

__device__ __forceinline__ float toFloat(float value) { return value; }

__device__ __forceinline__ float toFloat(BFloat16 value) {
  return __int_as_float(int(uint32_t(value.bits) << 16));
}

__device__ __forceinline__ float toFloat(Float16 value) {
#ifdef __CUDACC__
  return __half2float(__ushort_as_half(value.bits));
#else
  _Float16 half;
  std::memcpy(&half, &value.bits, sizeof(half));
  return float(half);
#endif
}

/// Rounds to T once, to nearest even.
template <typename T> __device__ __forceinline__ T fromFloat(float value);

template <> __device__ __forceinline__ float fromFloat<float>(float value) {
  return value;
}

template <>
__device__ __forceinline__ BFloat16 fromFloat<BFloat16>(float value) {
  uint32_t bits = uint32_t(__float_as_int(value));
  if ((bits & 0x7fffffffu) > 0x7f800000u)
    return {uint16_t((bits >> 16) | 0x40)};
  return {uint16_t((bits + 0x7fff + ((bits >> 16) & 1)) >> 16)};
}

template <> __device__ __forceinline__ Float16 fromFloat<Float16>(float value) {
#ifdef __CUDACC__
  return {__half_as_ushort(__float2half_rn(value))};
#else
  _Float16 half = _Float16(value);
  Float16 result;
  std::memcpy(&result.bits, &half, sizeof(half));
  return result;
#endif
}

/// Two rounded values in one word, the first in the low half.
template <typename T>
__device__ __forceinline__ uint32_t packHalves(float low, float high) {
  return fromFloat<T>(low).bits | uint32_t(fromFloat<T>(high).bits) << 16;
}

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_HALFTYPES_H
