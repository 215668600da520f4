//===- Sums.h - Sums and maxima in a fixed order ----------------*- C++ -*-===//
//
// Part of Ringi. Four vectors of running sums, added in a fixed tree, then the
// elements that fill no vector: the order depends on the length alone.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_KERNELS_SUMS_H
#define RINGI_HOST_KERNELS_SUMS_H

#include "Convert.h"

namespace ringi::runtime::RINGI_ISA {

template <typename S> RINGI_ALWAYS_INLINE S addLanes(Vec<S> value) {
  S lanes[kLanes<S>];
  storeVec(lanes, value);
  for (int width = kLanes<S> / 2; width > 0; width /= 2)
    for (int i = 0; i < width; ++i)
      lanes[i] += lanes[i + width];
  return lanes[0];
}

/// Sum of term(a[i], b[i]). `term` takes vectors and scalars.
template <typename S, typename Term>
RINGI_ALWAYS_INLINE S sumPairs(const S *a, const S *b, int64_t count,
                               Term term) {
  constexpr int kWidth = kLanes<S>;
  Vec<S> sum[4] = {};
  int64_t i = 0;
  for (; i + 4 * kWidth <= count; i += 4 * kWidth)
#pragma GCC unroll 4
    for (int u = 0; u < 4; ++u)
      sum[u] += term(loadVec(a + i + u * kWidth), loadVec(b + i + u * kWidth));
  for (; i + kWidth <= count; i += kWidth)
    sum[0] += term(loadVec(a + i), loadVec(b + i));
  S total = addLanes<S>((sum[0] + sum[1]) + (sum[2] + sum[3]));
  for (; i < count; ++i)
    total += term(a[i], b[i]);
  return total;
}

template <typename S, typename Term>
RINGI_ALWAYS_INLINE S sumTerms(const S *a, int64_t count, Term term) {
  return sumPairs<S>(a, a, count, [&](auto x, auto) { return term(x); });
}

template <typename S> RINGI_ALWAYS_INLINE S sumOf(const S *a, int64_t count) {
  return sumTerms<S>(a, count, [](auto x) { return x; });
}

/// Largest element, at least `least`; NaN elements are passed over (they come
/// back through the exponential).
template <typename S>
RINGI_ALWAYS_INLINE S largestOf(const S *a, int64_t count, S lowest) {
  constexpr int kWidth = kLanes<S>;
  int64_t i = 0;
  if (count >= 2 * kWidth) {
    Vec<S> top[2] = {loadVec(a), loadVec(a + kWidth)};
    for (i = 2 * kWidth; i + 2 * kWidth <= count; i += 2 * kWidth)
#pragma GCC unroll 2
      for (int u = 0; u < 2; ++u) {
        const Vec<S> next = loadVec(a + i + u * kWidth);
        top[u] = next > top[u] ? next : top[u];
      }
    for (int u = 0; u < 2; ++u) {
      S lanes[kLanes<S>];
      storeVec(lanes, top[u]);
      for (int lane = 0; lane < kWidth; ++lane)
        lowest = lanes[lane] > lowest ? lanes[lane] : lowest;
    }
  }
  for (; i < count; ++i)
    lowest = a[i] > lowest ? a[i] : lowest;
  return lowest;
}

} // namespace ringi::runtime::RINGI_ISA

#endif // RINGI_HOST_KERNELS_SUMS_H
