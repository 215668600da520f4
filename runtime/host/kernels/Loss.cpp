//===- Loss.cpp - Cross-entropy from logits and mean square error ---------===//
//
// Part of Ringi. Rows in parallel, then one scalar sum in a fixed order. A
// target outside the vocabulary makes the loss NaN and touches no foreign
// memory.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Math.h"
#include "Parallel.h"
#include "Sums.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

int64_t targetAt(const CrossEntropyArgs &args, int64_t row) {
  return args.targetType == DataType::I64
             ? static_cast<const int64_t *>(args.targets)[row]
             : static_cast<const int32_t *>(args.targets)[row];
}

template <typename S> S logSumExp(const CrossEntropyArgs &args, int64_t row) {
  const int64_t start = row * args.columns;
  S from[kChunk], to[kChunk];
  S top = S(-__builtin_inf());
  for (int64_t c = 0; c < args.columns; c += kChunk) {
    const int64_t size = least(kChunk, args.columns - c);
    top = largestOf<S>(
        readChunk<S>(args.type, args.logits, start + c, size, from), size, top);
  }
  S sum = 0;
  for (int64_t c = 0; c < args.columns; c += kChunk) {
    const int64_t size = least(kChunk, args.columns - c);
    const S *x = readChunk<S>(args.type, args.logits, start + c, size, from);
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      to[i] = expOf(x[i] - top);
    sum += sumOf<S>(to, size);
  }
  return top + logOf(sum);
}

template <typename S>
void forward(const CrossEntropyArgs &args, const Threads &threads) {
  S *lse = static_cast<S *>(args.lse);
  parallelFor(threads, args.rows, 16 * args.rows * args.columns,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t row = begin; row < end; ++row)
                  lse[row] = logSumExp<S>(args, row);
              });
  S total = 0;
  for (int64_t first = 0; first < args.rows; first += kChunk) {
    S part = 0;
    for (int64_t row = first; row < least(first + kChunk, args.rows); ++row) {
      const int64_t target = targetAt(args, row);
      part += target >= 0 && target < args.columns
                  ? lse[row] - readOne<S>(args.type, args.logits,
                                          row * args.columns + target)
                  : S(__builtin_nan(""));
    }
    total += part;
  }
  *static_cast<S *>(args.loss) = total / S(args.rows);
}

template <typename S>
void backward(const CrossEntropyArgs &args, const Threads &threads) {
  const S *lse = static_cast<const S *>(args.lse);
  const S scale = *static_cast<const S *>(args.dloss) / S(args.rows);
  parallelFor(threads, args.rows, 8 * args.rows * args.columns,
              [&](int64_t begin, int64_t end, int) {
                S from[kChunk], to[kChunk];
                for (int64_t row = begin; row < end; ++row) {
                  const int64_t target = targetAt(args, row);
                  for (int64_t c = 0; c < args.columns; c += kChunk) {
                    const int64_t first = row * args.columns + c;
                    const int64_t size = least(kChunk, args.columns - c);
                    const S *x =
                        readChunk<S>(args.type, args.logits, first, size, from);
                    S *dx = resultChunk<S>(args.type, args.dlogits, first, to);
                    // Copies: behind a reference they could be what dx
                    // overwrites.
                    const S top = lse[row], factor = scale;
                    // The target's entry is computed apart so that the rounding
                    // of the subtraction happens before scaling.
                    S at = 0;
                    if (target >= c && target < c + size)
                      at = (expOf(x[target - c] - top) - S(1)) * scale;
                    RINGI_SIMD
                    for (int64_t i = 0; i < size; ++i)
                      dx[i] = expOf(x[i] - top) * factor;
                    if (target >= c && target < c + size)
                      dx[target - c] = at;
                    storeChunk<S>(args.type, dx, args.dlogits, first, size);
                  }
                }
              });
}

template <typename S>
void squares(const MseArgs &args, const Threads &threads) {
  S *partial = static_cast<S *>(args.workspace);
  const int64_t perGroup =
      args.groups ? (args.count + args.groups - 1) / args.groups : 0;
  parallelFor(threads, args.groups, args.count,
              [&](int64_t begin, int64_t end, int) {
                S left[kChunk], right[kChunk];
                for (int64_t g = begin; g < end; ++g) {
                  const int64_t last = least((g + 1) * perGroup, args.count);
                  S sum = 0;
                  for (int64_t i = g * perGroup; i < last; i += kChunk) {
                    const int64_t size = least(kChunk, last - i);
                    sum += sumPairs<S>(
                        readChunk<S>(args.type, args.prediction, i, size, left),
                        readChunk<S>(args.type, args.target, i, size, right),
                        size, [](auto p, auto t) { return (p - t) * (p - t); });
                  }
                  partial[g] = sum;
                }
              });
  S total = 0;
  for (int64_t g = 0; g < args.groups; ++g)
    total += partial[g];
  *static_cast<S *>(args.loss) = total / S(args.count);
}

template <typename S>
void squaresBackward(const MseArgs &args, const Threads &threads) {
  const S scale = *static_cast<const S *>(args.dloss) * (S(2) / S(args.count));
  parallelChunks(threads, args.count, 1, [&](int64_t first, int64_t size) {
    S left[kChunk], right[kChunk], to[kChunk];
    const S *p = readChunk<S>(args.type, args.prediction, first, size, left);
    const S *t = readChunk<S>(args.type, args.target, first, size, right);
    S *dp = resultChunk<S>(args.type, args.dprediction, first, to);
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      dp[i] = (p[i] - t[i]) * scale;
    storeChunk<S>(args.type, dp, args.dprediction, first, size);
  });
}

} // namespace

void crossEntropy(const CrossEntropyArgs &args, const Threads &threads) {
  withStatistics(args.type,
                 [&](auto zero) { forward<decltype(zero)>(args, threads); });
}

void crossEntropyBackward(const CrossEntropyArgs &args,
                          const Threads &threads) {
  withStatistics(args.type,
                 [&](auto zero) { backward<decltype(zero)>(args, threads); });
}

void mse(const MseArgs &args, const Threads &threads) {
  withStatistics(args.type,
                 [&](auto zero) { squares<decltype(zero)>(args, threads); });
}

void mseBackward(const MseArgs &args, const Threads &threads) {
  withStatistics(args.type, [&](auto zero) {
    squaresBackward<decltype(zero)>(args, threads);
  });
}

} // namespace ringi::runtime::RINGI_ISA
