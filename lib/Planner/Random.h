//===- Random.h - Random numbers equal on every platform --------*- C++ -*-===//
//
// Part of Ringi. SplitMix64 (Steele, Lea, Flood 2014): searches draw from it,
// so that a seed gives the same plan with every standard library.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_RANDOM_H
#define RINGI_LIB_PLANNER_RANDOM_H

#include <cstdint>

namespace ringi::planner {

class Random {
public:
  explicit Random(uint64_t seed) : state(seed) {
    // The streams of neighbouring states are one stream; scatter the seeds.
    state = next() ^ (seed << 32);
  }

  uint64_t next() {
    uint64_t z = (state += kGolden);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }
  /// Uniform in [0, bound), bound >= 1.
  int32_t below(int64_t bound) {
    return int32_t(((next() >> 32) * uint64_t(bound)) >> 32);
  }
  /// Uniform in [0, 1).
  double unit() { return double(next() >> 11) * 0x1p-53; }

private:
  static constexpr uint64_t kGolden = 0x9E3779B97F4A7C15ull;
  uint64_t state;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_RANDOM_H
