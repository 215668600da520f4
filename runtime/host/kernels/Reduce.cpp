//===- Reduce.cpp - Sums over any dimensions ------------------------------===//
//
// Part of Ringi. Two stages when the result is small (reductionGroups): groups
// of reduced terms into the workspace, then the groups in order. Vectors run
// along the last dimension, whether it is kept or reduced.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Parallel.h"
#include "Sums.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

int64_t offsetOf(const int64_t *shape, const int64_t *stride, int rank,
                 int64_t index) {
  int64_t offset = 0;
  for (int d = rank - 1; d >= 0; --d) {
    offset += index % shape[d] * stride[d];
    index /= shape[d];
  }
  return offset;
}

int64_t keptOffset(const ReduceArgs &args, int64_t index) {
  return offsetOf(args.keptShape, args.keptStride, args.keptRank, index);
}
int64_t reducedOffset(const ReduceArgs &args, int64_t index) {
  return offsetOf(args.reducedShape, args.reducedStride, args.reducedRank,
                  index);
}

/// Sums of terms [first, last) for `size` neighbours of the kept dimension.
template <typename S>
void sumAcross(const ReduceArgs &args, int64_t base, int64_t size,
               int64_t first, int64_t last, S *sum) {
  S from[kChunk];
  for (int64_t i = 0; i < size; ++i)
    sum[i] = 0;
  for (int64_t r = first; r < last; ++r) {
    const S *x = readChunk<S>(args.type, args.x, base + reducedOffset(args, r),
                              size, from);
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      sum[i] += x[i];
  }
}

/// Sum of terms [first, last) for one result, along runs of the innermost
/// reduced dimension.
template <typename S>
S sumAlong(const ReduceArgs &args, int64_t base, int64_t first, int64_t last) {
  S from[kChunk];
  const int inner = args.reducedRank - 1;
  const int64_t width = inner >= 0 ? args.reducedShape[inner] : 1;
  const bool contiguous = inner < 0 || args.reducedStride[inner] == 1;
  S sum = 0;
  for (int64_t r = first; r < last;) {
    const int64_t at = base + reducedOffset(args, r);
    if (!contiguous) {
      sum += readOne<S>(args.type, args.x, at);
      ++r;
      continue;
    }
    const int64_t run = least(least(kChunk, width - r % width), last - r);
    sum += sumOf<S>(readChunk<S>(args.type, args.x, at, run, from), run);
    r += run;
  }
  return sum;
}

template <typename S>
void reduce(const ReduceArgs &args, const Threads &threads) {
  const int64_t perGroup =
      args.groups ? (args.reduced + args.groups - 1) / args.groups : 0;
  const int inner = args.keptRank - 1;
  const bool across = inner >= 0 && args.keptStride[inner] == 1;
  const int64_t width = across ? args.keptShape[inner] : 1;
  const int64_t pieces = (width + kChunk - 1) / kChunk;
  const int64_t lines = args.kept / width;
  const bool split = args.groups > 1;
  S *partial = static_cast<S *>(args.workspace);

  const auto item = [&](int64_t index) {
    const int64_t group = index / (lines * pieces);
    const int64_t line = index / pieces % lines;
    const int64_t start = index % pieces * kChunk;
    const int64_t size = least(kChunk, width - start);
    const int64_t first = group * perGroup;
    const int64_t last = least(first + perGroup, args.reduced);
    const int64_t place = line * width + start;
    const int64_t base = keptOffset(args, place);
    S to[kChunk];
    S *sum = split ? partial + group * args.kept + place
                   : resultChunk<S>(args.type, args.y, place, to);
    if (across)
      sumAcross<S>(args, base, size, first, last, sum);
    else
      sum[0] = sumAlong<S>(args, base, first, last);
    if (!split)
      storeChunk<S>(args.type, sum, args.y, place, size);
  };
  parallelFor(threads, most(args.groups, 1) * lines * pieces,
              args.kept * args.reduced, [&](int64_t begin, int64_t end, int) {
                for (int64_t index = begin; index < end; ++index)
                  item(index);
              });
  if (!split)
    return;
  parallelChunks(threads, args.kept, args.groups,
                 [&](int64_t first, int64_t size) {
                   S to[kChunk];
                   S *sum = resultChunk<S>(args.type, args.y, first, to);
                   for (int64_t i = 0; i < size; ++i)
                     sum[i] = 0;
                   for (int64_t g = 0; g < args.groups; ++g) {
                     const S *line = partial + g * args.kept + first;
                     RINGI_SIMD
                     for (int64_t i = 0; i < size; ++i)
                       sum[i] += line[i];
                   }
                   storeChunk<S>(args.type, sum, args.y, first, size);
                 });
}

} // namespace

void reduceSum(const ReduceArgs &args, const Threads &threads) {
  if (args.kept == 0)
    return;
  withStatistics(args.type,
                 [&](auto zero) { reduce<decltype(zero)>(args, threads); });
}

} // namespace ringi::runtime::RINGI_ISA
