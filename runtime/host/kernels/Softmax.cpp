//===- Softmax.cpp - Softmax over the last dimension ----------------------===//
//
// Part of Ringi. Three passes per row (maximum, sum of exponentials, result),
// so that 16-bit results are rounded once; a row belongs to one thread. A
// causal row ends at its last visible column.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Math.h"
#include "Parallel.h"
#include "Sums.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

int64_t visibleColumns(const SoftmaxArgs &args, int64_t row) {
  if (!args.causal)
    return args.columns;
  const int64_t last =
      row % args.matrixRows + args.columns - args.matrixRows + 1;
  return last < 0 ? 0 : least(last, args.columns);
}

void zeroFrom(const SoftmaxArgs &args, int64_t first, int64_t count) {
  if (count > 0)
    std::memset(static_cast<char *>(args.out) + first * bytesOf(args.type), 0,
                static_cast<size_t>(count * bytesOf(args.type)));
}

template <typename S> void softmaxRow(const SoftmaxArgs &args, int64_t row) {
  const int64_t start = row * args.columns;
  const int64_t visible = visibleColumns(args, row);
  S from[kChunk], to[kChunk];
  S top = S(-__builtin_inf());
  for (int64_t c = 0; c < visible; c += kChunk) {
    const int64_t size = least(kChunk, visible - c);
    top = largestOf<S>(readChunk<S>(args.type, args.x, start + c, size, from),
                       size, top);
  }
  S sum = 0;
  for (int64_t c = 0; c < visible; c += kChunk) {
    const int64_t size = least(kChunk, visible - c);
    const S *x = readChunk<S>(args.type, args.x, start + c, size, from);
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      to[i] = expOf(x[i] - top);
    sum += sumOf<S>(to, size);
  }
  const S scale = S(1) / sum;
  for (int64_t c = 0; c < visible; c += kChunk) {
    const int64_t size = least(kChunk, visible - c);
    const S *x = readChunk<S>(args.type, args.x, start + c, size, from);
    S *y = resultChunk<S>(args.type, args.out, start + c, to);
    // One chunk: its exponentials are still there.
    if (visible <= kChunk) {
      RINGI_SIMD
      for (int64_t i = 0; i < size; ++i)
        y[i] = to[i] * scale;
    } else {
      RINGI_SIMD
      for (int64_t i = 0; i < size; ++i)
        y[i] = expOf(x[i] - top) * scale;
    }
    storeChunk<S>(args.type, y, args.out, start + c, size);
  }
  zeroFrom(args, start + visible, args.columns - visible);
}

template <typename S>
void softmaxBackwardRow(const SoftmaxArgs &args, int64_t row) {
  const int64_t start = row * args.columns;
  const int64_t visible = visibleColumns(args, row);
  S left[kChunk], right[kChunk], to[kChunk];
  S dot = 0;
  for (int64_t c = 0; c < visible; c += kChunk) {
    const int64_t size = least(kChunk, visible - c);
    dot += sumPairs<S>(readChunk<S>(args.type, args.x, start + c, size, left),
                       readChunk<S>(args.type, args.y, start + c, size, right),
                       size, [](auto dy, auto y) { return dy * y; });
  }
  for (int64_t c = 0; c < visible; c += kChunk) {
    const int64_t size = least(kChunk, visible - c);
    const S *dy = readChunk<S>(args.type, args.x, start + c, size, left);
    const S *y = readChunk<S>(args.type, args.y, start + c, size, right);
    S *dx = resultChunk<S>(args.type, args.out, start + c, to);
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      dx[i] = y[i] * (dy[i] - dot);
    storeChunk<S>(args.type, dx, args.out, start + c, size);
  }
  zeroFrom(args, start + visible, args.columns - visible);
}

template <typename Row>
void forRows(const SoftmaxArgs &args, const Threads &threads, Row row) {
  parallelFor(threads, args.rows, 8 * args.rows * args.columns,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t r = begin; r < end; ++r)
                  row(r);
              });
}

} // namespace

void softmax(const SoftmaxArgs &args, const Threads &threads) {
  withStatistics(args.type, [&](auto zero) {
    forRows(args, threads,
            [&](int64_t row) { softmaxRow<decltype(zero)>(args, row); });
  });
}

void softmaxBackward(const SoftmaxArgs &args, const Threads &threads) {
  withStatistics(args.type, [&](auto zero) {
    forRows(args, threads, [&](int64_t row) {
      softmaxBackwardRow<decltype(zero)>(args, row);
    });
  });
}

} // namespace ringi::runtime::RINGI_ISA
