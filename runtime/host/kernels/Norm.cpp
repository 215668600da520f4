//===- Norm.cpp - Layer norm and root-mean-square norm --------------------===//
//
// Part of Ringi. Statistics in two passes per row. Parameter gradients in two
// stages: one row of partial sums per group of rows (reductionGroups, so the
// grouping depends on shapes only), then the groups in order.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Math.h"
#include "Parallel.h"
#include "Sums.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

template <typename S> void normRow(const NormArgs &args, int64_t row) {
  const int64_t start = row * args.columns;
  S from[kChunk], scale[kChunk], shift[kChunk], to[kChunk];
  const auto chunks = [&](auto body) {
    for (int64_t c = 0; c < args.columns; c += kChunk) {
      const int64_t size = least(kChunk, args.columns - c);
      body(c, size, readChunk<S>(args.type, args.x, start + c, size, from));
    }
  };
  S mean = 0;
  if (args.mean) {
    chunks(
        [&](int64_t, int64_t size, const S *x) { mean += sumOf<S>(x, size); });
    mean /= S(args.columns);
    static_cast<S *>(args.mean)[row] = mean;
  }
  S square = 0;
  chunks([&](int64_t, int64_t size, const S *x) {
    square +=
        sumTerms<S>(x, size, [=](auto v) { return (v - mean) * (v - mean); });
  });
  const S rstd = S(1) / rootOf(square / S(args.columns) + S(args.epsilon));
  static_cast<S *>(args.rstd)[row] = rstd;
  chunks([&](int64_t c, int64_t size, const S *x) {
    const S *gamma = readChunk<S>(args.type, args.gamma, c, size, scale);
    S *y = resultChunk<S>(args.type, args.y, start + c, to);
    if (args.beta) {
      const S *beta = readChunk<S>(args.type, args.beta, c, size, shift);
      RINGI_SIMD
      for (int64_t i = 0; i < size; ++i)
        y[i] = (x[i] - mean) * rstd * gamma[i] + beta[i];
    } else {
      RINGI_SIMD
      for (int64_t i = 0; i < size; ++i)
        y[i] = x[i] * rstd * gamma[i];
    }
    storeChunk<S>(args.type, y, args.y, start + c, size);
  });
}

/// Adds the row's terms to the group's partial sums, then writes dx, which may
/// lie over dy.
template <typename S>
void normBackwardRow(const NormArgs &args, int64_t row, S *dgamma, S *dbeta) {
  const int64_t start = row * args.columns;
  const S mean = args.mean ? static_cast<const S *>(args.mean)[row] : S(0);
  const S rstd = static_cast<const S *>(args.rstd)[row];
  S left[kChunk], right[kChunk], scale[kChunk], to[kChunk];
  const auto chunks = [&](auto body) {
    for (int64_t c = 0; c < args.columns; c += kChunk) {
      const int64_t size = least(kChunk, args.columns - c);
      body(c, size, readChunk<S>(args.type, args.dy, start + c, size, left),
           readChunk<S>(args.type, args.x, start + c, size, right),
           readChunk<S>(args.type, args.gamma, c, size, scale));
    }
  };
  // Sums over the row of g = dy * gamma and of g * normalized x.
  S sum = 0, dot = 0;
  chunks([&](int64_t c, int64_t size, const S *dy, const S *x, const S *gamma) {
    S *gammaSum = dgamma + c;
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      gammaSum[i] += dy[i] * ((x[i] - mean) * rstd);
    if (dbeta) {
      S *betaSum = dbeta + c;
      RINGI_SIMD
      for (int64_t i = 0; i < size; ++i)
        betaSum[i] += dy[i];
      sum += sumPairs<S>(dy, gamma, size, [](auto a, auto b) { return a * b; });
    }
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      to[i] = dy[i] * gamma[i];
    dot += sumPairs<S>(to, x, size,
                       [=](auto a, auto b) { return a * ((b - mean) * rstd); });
  });
  const S meanSum = sum / S(args.columns), meanDot = dot / S(args.columns);
  // By value: behind a reference they could be what dx overwrites.
  chunks([&, mean, rstd, meanSum, meanDot](int64_t c, int64_t size, const S *dy,
                                           const S *x, const S *gamma) {
    S *dx = resultChunk<S>(args.type, args.dx, start + c, to);
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      dx[i] =
          rstd * (dy[i] * gamma[i] - meanSum - (x[i] - mean) * rstd * meanDot);
    storeChunk<S>(args.type, dx, args.dx, start + c, size);
  });
}

/// Second stage: the groups' partial sums in order.
template <typename S>
void addGroups(const NormArgs &args, const S *partial, void *result,
               int64_t first, int64_t size) {
  S to[kChunk];
  for (int64_t i = 0; i < size; ++i)
    to[i] = 0;
  for (int64_t g = 0; g < args.groups; ++g) {
    const S *line = partial + g * args.columns + first;
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      to[i] += line[i];
  }
  if (sizeof(S) == static_cast<size_t>(bytesOf(args.type)))
    std::memcpy(static_cast<S *>(result) + first, to,
                sizeof(S) * static_cast<size_t>(size));
  else
    storeChunk<S>(args.type, to, result, first, size);
}

template <typename S>
void backward(const NormArgs &args, const Threads &threads) {
  S *gammaSums = static_cast<S *>(args.workspace);
  S *betaSums = args.dbeta ? gammaSums + args.groups * args.columns : nullptr;
  const int64_t perGroup =
      args.groups ? (args.rows + args.groups - 1) / args.groups : 0;
  parallelFor(threads, args.groups, 8 * args.rows * args.columns,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t g = begin; g < end; ++g) {
                  S *dgamma = gammaSums + g * args.columns;
                  S *dbeta = betaSums ? betaSums + g * args.columns : nullptr;
                  for (int64_t i = 0; i < args.columns; ++i)
                    dgamma[i] = 0;
                  for (int64_t i = 0; dbeta && i < args.columns; ++i)
                    dbeta[i] = 0;
                  const int64_t last = least((g + 1) * perGroup, args.rows);
                  for (int64_t row = g * perGroup; row < last; ++row)
                    normBackwardRow<S>(args, row, dgamma, dbeta);
                }
              });
  parallelChunks(threads, args.columns, 2 * args.groups,
                 [&](int64_t first, int64_t size) {
                   addGroups<S>(args, gammaSums, args.dgamma, first, size);
                   if (betaSums)
                     addGroups<S>(args, betaSums, args.dbeta, first, size);
                 });
}

} // namespace

void norm(const NormArgs &args, const Threads &threads) {
  withStatistics(args.type, [&](auto zero) {
    parallelFor(threads, args.rows, 4 * args.rows * args.columns,
                [&](int64_t begin, int64_t end, int) {
                  for (int64_t row = begin; row < end; ++row)
                    normRow<decltype(zero)>(args, row);
                });
  });
}

void normBackward(const NormArgs &args, const Threads &threads) {
  withStatistics(args.type,
                 [&](auto zero) { backward<decltype(zero)>(args, threads); });
}

} // namespace ringi::runtime::RINGI_ISA
