//===- Math.h - Exponential and what is built from it -----------*- C++ -*-===//
//
// Part of Ringi. f32 functions are branch-free polynomials that the compiler
// vectorises; their error against f64 is stated and tested. f64 is libm.
// Polynomials: Chebyshev fits made with mpmath's chebyfit.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_KERNELS_MATH_H
#define RINGI_HOST_KERNELS_MATH_H

#include "Convert.h"

#include <math.h>

namespace ringi::runtime::RINGI_ISA {

/// e^r for |r| <= 0.35: 1 + r + r^2 p(r).
RINGI_ALWAYS_INLINE float expReduced(float r) {
  float p = 0x1.6d15f8p-10f;
  p = p * r + 0x1.12105cp-7f;
  p = p * r + 0x1.555516p-5f;
  p = p * r + 0x1.5554d8p-3f;
  p = p * r + 0.5f;
  return (p * r) * r + r + 1.0f;
}

/// Within 1.5 ulp; subnormal results and infinities as in libm.
RINGI_ALWAYS_INLINE float expOf(float x) {
  // Beyond these the result is infinite or zero. NaN fails both comparisons.
  x = x > 89.0f ? 89.0f : x;
  x = x < -105.0f ? -105.0f : x;
  // Adding 1.5 * 2^23 leaves round(x / ln 2) in the low bits.
  constexpr float kRound = 0x1.8p23f;
  const float shifted = x * 0x1.715476p+0f + kRound;
  const float n = shifted - kRound;
  const int32_t exponent =
      static_cast<int32_t>(bitsOf(shifted) - bitsOf(kRound));
  // ln 2 in two parts, the first short enough for n * part to be exact.
  const float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  // 2^exponent in two factors: it may be subnormal or above the largest float.
  const int32_t half = exponent >> 1;
  const float low = floatOf(static_cast<uint32_t>(half + 127) << 23);
  const float high =
      floatOf(static_cast<uint32_t>(exponent - half + 127) << 23);
  return expReduced(r) * low * high;
}
RINGI_ALWAYS_INLINE double expOf(double x) { return ::exp(x); }

RINGI_ALWAYS_INLINE float tanhOf(float x) { return ::tanhf(x); }
RINGI_ALWAYS_INLINE double tanhOf(double x) { return ::tanh(x); }
RINGI_ALWAYS_INLINE float logOf(float x) { return ::logf(x); }
RINGI_ALWAYS_INLINE double logOf(double x) { return ::log(x); }
RINGI_ALWAYS_INLINE float rootOf(float x) { return __builtin_sqrtf(x); }
RINGI_ALWAYS_INLINE double rootOf(double x) { return __builtin_sqrt(x); }
RINGI_ALWAYS_INLINE float magnitudeOf(float x) { return __builtin_fabsf(x); }
RINGI_ALWAYS_INLINE double magnitudeOf(double x) { return __builtin_fabs(x); }

template <typename S> RINGI_ALWAYS_INLINE S clamp(S x, S low, S high) {
  x = x > high ? high : x;
  return x < low ? low : x;
}

template <typename S> RINGI_ALWAYS_INLINE S sigmoidOf(S x) {
  return S(1) / (S(1) + expOf(-x));
}

/// Distribution and density of the standard normal; density without its
/// 1/sqrt(2 pi) until the end.
template <typename S> struct Normal {
  S distribution, density;
};

/// Both within 4 ulp for |x| < 13, 2 ulp for |x| <= 0.8. The tail is
/// exp(-x^2/2) times a polynomial, so it keeps its relative accuracy; near zero
/// the distribution is 1/2 plus an odd polynomial.
RINGI_ALWAYS_INLINE Normal<float> normalOf(float x) {
  float a = magnitudeOf(x);
  a = a > 14.5f ? 14.5f : a;
  // x^2 = h^2 + (a - h)(a + h) with h^2 exact: exp of a rounded square would be
  // wrong by x^2/2 ulp.
  const float h = floatOf(bitsOf(a) & 0xfffff000u);
  const float gauss =
      expOf(-0.5f * h * h) * expReduced(-0.5f * ((a - h) * (a + h)));
  // (1 + 2t) exp(t^2) erfc(t), t = a / sqrt 2, as a polynomial in
  // (t - 2) / (t + 2).
  const float t = a * 0x1.6a09e6p-1f;
  const float q = (t - 2.0f) / (t + 2.0f);
  float p = 2.2995684544349176e-05f;
  p = p * q - 0.00037028098097698287f;
  p = p * q - 0.0012509537116935784f;
  p = p * q + 0.0012801680595224962f;
  p = p * q + 0.008638507089749795f;
  p = p * q - 0.008047373480710511f;
  p = p * q - 0.05420541611159653f;
  p = p * q + 0.1640535936103536f;
  p = p * q - 0.16603132430782913f;
  p = p * q - 0.09276391569663531f;
  p = p * q + 1.2769783914894055f;
  const float tail = 0.5f * gauss * p / (1.0f + 2.0f * t);
  const float z = x * x;
  float c = 4.769279034611653e-07f;
  c = c * z - 9.062471601708049e-06f;
  c = c * z + 0.00011503931146249807f;
  c = c * z - 0.001187115475497053f;
  c = c * z + 0.009973502117336792f;
  c = c * z - 0.06649037473105192f;
  c = c * z + 0.3989422803164354f;
  const float outer = x > 0.0f ? 1.0f - tail : tail;
  return {a <= 0.8f ? 0.5f + x * c : outer, gauss * 0x1.988454p-2f};
}
RINGI_ALWAYS_INLINE Normal<double> normalOf(double x) {
  return {0.5 * ::erfc(-x * 0.70710678118654752440),
          0.39894228040143267794 * ::exp(-0.5 * x * x)};
}

/// Beyond this the Gaussian's tail is zero in S: keeps infinity times zero out.
template <typename S>
inline constexpr S kGeluReach = sizeof(S) == 8 ? S(40) : S(15);

template <typename S> RINGI_ALWAYS_INLINE S geluErf(S x) {
  const S reach = kGeluReach<S>;
  return (x < -reach ? -reach : x) * normalOf(x).distribution;
}
template <typename S> RINGI_ALWAYS_INLINE S geluErfSlope(S x) {
  const Normal<S> normal = normalOf(x);
  return normal.distribution +
         clamp<S>(x, -kGeluReach<S>, kGeluReach<S>) * normal.density;
}

/// 2 sqrt(2/pi) and the cubic's factor: 0.5 (1 + tanh u) = sigmoid(2u).
template <typename S>
inline constexpr S kTwoRootTwoOverPi = S(1.59576912160573071176);
template <typename S> inline constexpr S kGeluCubic = S(0.044715);

template <typename S> RINGI_ALWAYS_INLINE S geluTanh(S x) {
  const S reach = kGeluReach<S>;
  const S bounded = x < -reach ? -reach : x;
  return bounded * sigmoidOf(kTwoRootTwoOverPi<S> * bounded *
                             (S(1) + kGeluCubic<S> * bounded * bounded));
}
template <typename S> RINGI_ALWAYS_INLINE S geluTanhSlope(S x) {
  const S b = clamp<S>(x, -kGeluReach<S>, kGeluReach<S>);
  const S s =
      sigmoidOf(kTwoRootTwoOverPi<S> * b * (S(1) + kGeluCubic<S> * b * b));
  return s + b * s * (S(1) - s) * kTwoRootTwoOverPi<S> *
                 (S(1) + S(3) * kGeluCubic<S> * b * b);
}

template <typename S>
inline constexpr S kSiluReach = sizeof(S) == 8 ? S(800) : S(110);
template <typename S> RINGI_ALWAYS_INLINE S siluOf(S x) {
  return (x < -kSiluReach<S> ? -kSiluReach<S> : x) * sigmoidOf(x);
}
template <typename S> RINGI_ALWAYS_INLINE S siluSlope(S x) {
  const S b = clamp<S>(x, -kSiluReach<S>, kSiluReach<S>);
  const S s = sigmoidOf(b);
  return s + b * s * (S(1) - s);
}

} // namespace ringi::runtime::RINGI_ISA

#endif // RINGI_HOST_KERNELS_MATH_H
