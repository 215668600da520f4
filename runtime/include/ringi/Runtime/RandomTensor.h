//===- RandomTensor.h - Random data as a function of its place --*- C++ -*-===//
//
// Part of Ringi. Element i of a random tensor is a function of (key, stream,
// step, i): words by Philox4x32-10 (Salmon et al. 2011), normal numbers by Box
// and Muller (1958) in double precision. Logarithm, sine and cosine are written
// out in operations that IEEE 754 rounds, so that the host and a GPU give the
// same bits; a compiler must not fuse them (-ffp-contract=off).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_RANDOMTENSOR_H
#define RINGI_RUNTIME_RANDOMTENSOR_H

#include "ringi/Program/StepProgram.h"

#include <cmath>
#include <cstring>

#ifdef __CUDACC__
#define RINGI_EVERYWHERE __host__ __device__
#else
#define RINGI_EVERYWHERE
#endif

namespace ringi::runtime {

/// What a random tensor is: Ones, Normal (deviation `scale`), Uniform (half
/// width `scale`) or Tokens (below `scale`).
struct RandomTensor {
  program::Initializer initializer = program::Initializer::Normal;
  double scale = 1;
  program::ElementType type = program::ElementType::F32;
  uint64_t key = 0;
  uint32_t stream = 0;
};

/// Numbers of four neighbouring elements.
struct RandomNumbers {
  double value[4];
};

namespace random {

// A GPU's compiler fuses a multiplication and an addition where it sees them.
RINGI_EVERYWHERE inline double times(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dmul_rn(a, b);
#else
  return a * b;
#endif
}
RINGI_EVERYWHERE inline double plus(double a, double b) {
#ifdef __CUDA_ARCH__
  return __dadd_rn(a, b);
#else
  return a + b;
#endif
}

/// c[0] + x * (c[1] + x * ...).
template <int Count>
RINGI_EVERYWHERE inline double polynomial(double x, const double (&c)[Count]) {
  double sum = c[Count - 1];
  for (int i = Count - 2; i >= 0; --i)
    sum = plus(times(sum, x), c[i]);
  return sum;
}

/// (0, 1).
RINGI_EVERYWHERE inline double unit(uint32_t word) {
  return times(plus(double(word), 0.5), 1.0 / 4294967296.0);
}

/// Natural logarithm of a normal number in (0, 1), within 2 units in the last
/// place: x = 2^e * m, ln m = 2 artanh((m - 1) / (m + 1)).
RINGI_EVERYWHERE inline double logarithm(double x) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof(bits));
  int exponent = int(bits >> 52) - 1023;
  bits = (bits & 0xFFFFFFFFFFFFFull) | 0x3FF0000000000000ull;
  double m;
  memcpy(&m, &bits, sizeof(m));
  if (m > 1.4142135623730951) {
    m = times(m, 0.5);
    ++exponent;
  }
  const double s = plus(m, -1.0) / plus(m, 1.0);
  const double series[] = {2.0,        2.0 / 3.0,  2.0 / 5.0,  2.0 / 7.0,
                           2.0 / 9.0,  2.0 / 11.0, 2.0 / 13.0, 2.0 / 15.0,
                           2.0 / 17.0, 2.0 / 19.0, 2.0 / 21.0};
  return plus(times(double(exponent), 0.6931471805599453),
              times(s, polynomial(times(s, s), series)));
}

/// Cosine and sine of 2 * pi * turns, turns in (0, 1), within 1e-16: Taylor
/// series in a quarter turn around the nearest multiple of one.
RINGI_EVERYWHERE inline void turn(double turns, double &cosine, double &sine) {
  const double quarters = times(turns, 4.0);
  const int nearest = int(plus(quarters, 0.5));
  const double x = times(plus(quarters, -double(nearest)), 1.5707963267948966);
  const double square = times(x, x);
  const double sines[] = {1.0,
                          -1.0 / 6.0,
                          1.0 / 120.0,
                          -1.0 / 5040.0,
                          1.0 / 362880.0,
                          -1.0 / 39916800.0,
                          1.0 / 6227020800.0,
                          -1.0 / 1307674368000.0,
                          1.0 / 355687428096000.0};
  const double cosines[] = {1.0,
                            -1.0 / 2.0,
                            1.0 / 24.0,
                            -1.0 / 720.0,
                            1.0 / 40320.0,
                            -1.0 / 3628800.0,
                            1.0 / 479001600.0,
                            -1.0 / 87178291200.0,
                            1.0 / 20922789888000.0};
  const double s = times(x, polynomial(square, sines));
  const double c = polynomial(square, cosines);
  const bool swapped = nearest & 1;
  cosine = swapped ? s : c;
  sine = swapped ? c : s;
  if ((nearest + 1) & 2)
    cosine = -cosine;
  if (nearest & 2)
    sine = -sine;
}

} // namespace random

/// Numbers of four elements from their four words, before they are rounded to
/// the tensor's type. Initialisers of no random numbers give zeros.
RINGI_EVERYWHERE inline RandomNumbers randomNumbers(const RandomTensor &tensor,
                                                    const uint32_t *words) {
  RandomNumbers result{};
  for (int j = 0; j < 4; ++j) {
    switch (tensor.initializer) {
    case program::Initializer::Ones:
      result.value[j] = 1;
      break;
    case program::Initializer::Uniform:
      result.value[j] = random::times(
          tensor.scale, random::plus(2 * random::unit(words[j]), -1.0));
      break;
    case program::Initializer::Tokens:
      result.value[j] = double((words[j] * uint64_t(tensor.scale)) >> 32);
      break;
    case program::Initializer::Normal:
      if (j % 2 == 0) {
        double cosine, sine;
        random::turn(random::unit(words[j + 1]), cosine, sine);
        const double radius = random::times(
            tensor.scale,
            sqrt(random::times(-2.0,
                               random::logarithm(random::unit(words[j])))));
        result.value[j] = random::times(radius, cosine);
        result.value[j + 1] = random::times(radius, sine);
      }
      break;
    default:
      break;
    }
  }
  return result;
}

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_RANDOMTENSOR_H
