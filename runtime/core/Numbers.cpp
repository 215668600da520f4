//===- Numbers.cpp - Storing a real number as any element type --*- C++ -*-===//
//
// Part of Ringi. bf16 and f16 by bits, so that no compiler support is needed.
//
//===----------------------------------------------------------------------===//

#include "Numbers.h"

#include <cmath>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;

namespace {

uint32_t bitsOf(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, 4);
  return bits;
}
float fromBits(uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, 4);
  return value;
}

uint16_t toBF16(float value) {
  uint32_t bits = bitsOf(value);
  if (std::isnan(value))
    return uint16_t(bits >> 16 | 0x40);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

uint16_t toF16(float value) {
  uint32_t bits = bitsOf(value);
  uint16_t sign = uint16_t(bits >> 16 & 0x8000);
  if (std::isnan(value))
    return sign | 0x7e00;
  float magnitude = std::fabs(value);
  if (magnitude >= 65520.0f)
    return sign | 0x7c00;
  if (magnitude < 6.103515625e-05f)
    // Subnormal: a multiple of 2^-24.
    return sign | uint16_t(std::nearbyint(magnitude * 16777216.0f));
  uint32_t rest = (bits & 0x7fffffff) - (112u << 23);
  return sign | uint16_t((rest + 0xfff + (rest >> 13 & 1)) >> 13);
}

float fromF16(uint16_t half) {
  float sign = half & 0x8000 ? -1.0f : 1.0f;
  uint32_t exponent = half >> 10 & 31, mantissa = half & 1023;
  if (exponent == 0)
    return sign * float(mantissa) / 16777216.0f;
  if (exponent == 31)
    return mantissa ? NAN : sign * INFINITY;
  return sign * fromBits((exponent + 112) << 23 | mantissa << 13);
}

template <typename T> void store(std::byte *array, int64_t index, T value) {
  std::memcpy(array + index * int64_t(sizeof(T)), &value, sizeof(T));
}
template <typename T> T load(const std::byte *array, int64_t index) {
  T value;
  std::memcpy(&value, array + index * int64_t(sizeof(T)), sizeof(T));
  return value;
}

} // namespace

void detail::storeElement(ElementType type, std::byte *array, int64_t index,
                          double value) {
  switch (type) {
  case ElementType::F64:
    return store(array, index, value);
  case ElementType::F32:
    return store(array, index, float(value));
  case ElementType::BF16:
    return store(array, index, toBF16(float(value)));
  case ElementType::F16:
    return store(array, index, toF16(float(value)));
  case ElementType::I64:
    return store(array, index, int64_t(value));
  case ElementType::I32:
    return store(array, index, int32_t(value));
  case ElementType::I8:
    return store(array, index, int8_t(value));
  default:
    return;
  }
}

double detail::loadElement(ElementType type, const std::byte *array,
                           int64_t index) {
  switch (type) {
  case ElementType::F64:
    return load<double>(array, index);
  case ElementType::F32:
    return load<float>(array, index);
  case ElementType::BF16:
    return fromBits(uint32_t(load<uint16_t>(array, index)) << 16);
  case ElementType::F16:
    return fromF16(load<uint16_t>(array, index));
  case ElementType::I64:
    return double(load<int64_t>(array, index));
  case ElementType::I32:
    return load<int32_t>(array, index);
  case ElementType::I8:
    return load<int8_t>(array, index);
  default:
    return 0;
  }
}

std::array<uint32_t, 4> detail::philox(uint64_t key,
                                       std::array<uint32_t, 4> c) {
  uint32_t k0 = uint32_t(key), k1 = uint32_t(key >> 32);
  for (int round = 0; round < 10; ++round) {
    uint64_t p0 = uint64_t(0xD2511F53u) * c[0];
    uint64_t p1 = uint64_t(0xCD9E8D57u) * c[2];
    c = {uint32_t(p1 >> 32) ^ c[1] ^ k0, uint32_t(p1),
         uint32_t(p0 >> 32) ^ c[3] ^ k1, uint32_t(p0)};
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return c;
}
