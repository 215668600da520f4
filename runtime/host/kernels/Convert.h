//===- Convert.h - Between stored and computed element types ----*- C++ -*-===//
//
// Part of Ringi. Kernels compute in S (f64 for f64 tensors, f32 otherwise) on
// short chunks; this file reads a chunk of any stored type as S and stores it
// rounded to nearest even once. The f16 routines of the instruction sets with
// and without F16C give the same bits.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_KERNELS_CONVERT_H
#define RINGI_HOST_KERNELS_CONVERT_H

#include "Isa.h"
#include "KernelTable.h"

namespace ringi::runtime::RINGI_ISA {

/// Elements converted at a time. A multiple of every vector width and of the
/// four words of one random block; threads split work at multiples of it, so
/// that an element's place in a vector does not depend on the thread count.
inline constexpr int64_t kChunk = 1024;

struct BFloat16 {
  uint16_t bits;
};
struct Float16 {
  uint16_t bits;
};

RINGI_ALWAYS_INLINE uint32_t bitsOf(float value) {
  return __builtin_bit_cast(uint32_t, value);
}
RINGI_ALWAYS_INLINE float floatOf(uint32_t bits) {
  return __builtin_bit_cast(float, bits);
}

RINGI_ALWAYS_INLINE float toFloat(BFloat16 value) {
  return floatOf(uint32_t(value.bits) << 16);
}

RINGI_ALWAYS_INLINE float toFloat(Float16 value) {
  // Exponent and mantissa moved into place and rescaled by 2^112: exact for
  // normal and subnormal numbers. Infinity and NaN get the largest exponent.
  const uint32_t magnitude = uint32_t(value.bits & 0x7fffu) << 13;
  const float scaled = floatOf(magnitude) * 0x1p112f;
  const uint32_t special = magnitude >= 0x0f800000u ? 0x7f800000u : 0u;
  const uint32_t sign = uint32_t(value.bits & 0x8000u) << 16;
  return floatOf(bitsOf(scaled) | special | sign);
}

RINGI_ALWAYS_INLINE void fromFloat(float value, BFloat16 *to) {
  const uint32_t bits = bitsOf(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x40u;
  to->bits = static_cast<uint16_t>(
      (bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

RINGI_ALWAYS_INLINE void fromFloat(float value, Float16 *to) {
  const uint32_t all = bitsOf(value);
  const uint32_t bits = all & 0x7fffffffu;
  // Subnormal results: the sum with 0.5 rounds at the right bit.
  const uint32_t small = bitsOf(floatOf(bits) + 0.5f) - 0x3f000000u;
  const uint32_t normal =
      (bits - 0x38000000u + 0xfffu + ((bits >> 13) & 1u)) >> 13;
  const uint32_t special =
      bits > 0x7f800000u ? (0x7e00u | ((bits >> 13) & 0x3ffu)) : 0x7c00u;
  const uint32_t finite = bits < 0x38800000u ? small : normal;
  const uint32_t magnitude = bits >= 0x47800000u ? special : finite;
  to->bits = static_cast<uint16_t>(magnitude | ((all >> 16) & 0x8000u));
}

template <typename T>
RINGI_KERNEL void readAs(const T *from, int64_t count, float *to) {
  RINGI_SIMD
  for (int64_t i = 0; i < count; ++i)
    to[i] = toFloat(from[i]);
}
template <typename T>
RINGI_KERNEL void storeFrom(const float *from, int64_t count, T *to) {
  RINGI_SIMD
  for (int64_t i = 0; i < count; ++i)
    fromFloat(from[i], to + i);
}

#if defined(__F16C__) && defined(__AVX__)
template <>
inline void readAs<Float16>(const Float16 *from, int64_t count, float *to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i half =
        _mm_loadu_si128(reinterpret_cast<const __m128i *>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(half));
  }
  for (; i < count; ++i)
    to[i] = _cvtsh_ss(from[i].bits);
}
template <>
inline void storeFrom<Float16>(const float *from, int64_t count, Float16 *to) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i half =
        _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i *>(to + i), half);
  }
  for (; i < count; ++i)
    to[i].bits =
        static_cast<uint16_t>(_cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT));
}
#endif

/// `count` elements of `data` from `first` on, as S: the tensor itself when it
/// stores S, else a converted copy in `buffer`.
template <typename S>
RINGI_ALWAYS_INLINE const S *readChunk(DataType type, const void *data,
                                       int64_t first, int64_t count,
                                       S *buffer) {
  if constexpr (sizeof(S) == 8) {
    return static_cast<const double *>(data) + first;
  } else {
    if (type == DataType::F32)
      return static_cast<const float *>(data) + first;
    if (type == DataType::BF16)
      readAs(static_cast<const BFloat16 *>(data) + first, count, buffer);
    else
      readAs(static_cast<const Float16 *>(data) + first, count, buffer);
    return buffer;
  }
}

/// Where to compute `count` elements of `data` from `first` on; storeChunk
/// then moves them there.
template <typename S>
RINGI_ALWAYS_INLINE S *resultChunk(DataType type, void *data, int64_t first,
                                   S *buffer) {
  if (sizeof(S) == 8 || type == DataType::F32)
    return static_cast<S *>(data) + first;
  return buffer;
}
template <typename S>
RINGI_ALWAYS_INLINE void storeChunk(DataType type, const S *computed,
                                    void *data, int64_t first, int64_t count) {
  if constexpr (sizeof(S) == 4) {
    if (type == DataType::BF16)
      storeFrom(computed, count, static_cast<BFloat16 *>(data) + first);
    else if (type == DataType::F16)
      storeFrom(computed, count, static_cast<Float16 *>(data) + first);
  }
}

/// One element as S; for gathers and scalars.
template <typename S>
RINGI_ALWAYS_INLINE S readOne(DataType type, const void *data, int64_t at) {
  S buffer[1];
  return *readChunk<S>(type, data, at, 1, buffer);
}

/// Calls `body` with a value of the statistics type of `type`.
template <typename Body>
RINGI_ALWAYS_INLINE void withStatistics(DataType type, Body body) {
  if (type == DataType::F64)
    body(double{});
  else
    body(float{});
}

RINGI_ALWAYS_INLINE int64_t bytesOf(DataType type) {
  switch (type) {
  case DataType::F64:
  case DataType::I64:
    return 8;
  case DataType::F32:
  case DataType::I32:
    return 4;
  case DataType::BF16:
  case DataType::F16:
    return 2;
  default:
    return 1;
  }
}

} // namespace ringi::runtime::RINGI_ISA

#endif // RINGI_HOST_KERNELS_CONVERT_H
