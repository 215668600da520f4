//===- Embedding.cpp - Rows of a table and their gradient -----------------===//
//
// Part of Ringi. The gradient sorts positions by id (counting sort in the
// workspace) and adds the rows of one id in position order, in S, rounded once:
// no atomics. An id outside the table reads NaN and receives no gradient, so
// that bad tokens are loud and touch no foreign memory.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Parallel.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

int64_t idAt(const EmbeddingArgs &args, int64_t position) {
  return args.idType == DataType::I64
             ? static_cast<const int64_t *>(args.ids)[position]
             : static_cast<const int32_t *>(args.ids)[position];
}

bool inTable(const EmbeddingArgs &args, int64_t id) {
  return id >= 0 && id < args.vocabulary;
}

template <typename S>
void fillRow(const EmbeddingArgs &args, int64_t row, S value) {
  S to[kChunk];
  for (int64_t i = 0; i < kChunk; ++i)
    to[i] = value;
  for (int64_t c = 0; c < args.columns; c += kChunk) {
    const int64_t size = least(kChunk, args.columns - c);
    S *out = resultChunk<S>(args.type, args.out, row * args.columns + c, to);
    if (out != to)
      std::memcpy(out, to, sizeof(S) * static_cast<size_t>(size));
    storeChunk<S>(args.type, to, args.out, row * args.columns + c, size);
  }
}

/// Counting sort. Afterwards start[id] .. start[id + 1] are the places in
/// `order` of the positions of `id`, ascending; positions of no id come last.
void sortPositions(const EmbeddingArgs &args, int32_t *start, int32_t *order) {
  for (int64_t id = 0; id <= args.vocabulary; ++id)
    start[id] = 0;
  int32_t outside = 0;
  for (int64_t p = 0; p < args.positions; ++p) {
    const int64_t id = idAt(args, p);
    if (inTable(args, id))
      ++start[id];
    else
      ++outside;
  }
  // Each entry becomes the end of its id's places ...
  int32_t sum = 0;
  for (int64_t id = 0; id < args.vocabulary; ++id) {
    sum += start[id];
    start[id] = sum;
  }
  start[args.vocabulary] = sum;
  // ... and walks back to their start as positions are put down from the last.
  int32_t last = static_cast<int32_t>(args.positions);
  for (int64_t p = args.positions - 1; p >= 0; --p) {
    const int64_t id = idAt(args, p);
    order[inTable(args, id) ? --start[id] : --last] = static_cast<int32_t>(p);
  }
}

template <typename S>
void gradientRow(const EmbeddingArgs &args, int64_t id, const int32_t *start,
                 const int32_t *order) {
  S sum[kChunk], from[kChunk];
  for (int64_t c = 0; c < args.columns; c += kChunk) {
    const int64_t size = least(kChunk, args.columns - c);
    for (int64_t i = 0; i < size; ++i)
      sum[i] = 0;
    for (int32_t at = start[id]; at < start[id + 1]; ++at) {
      const S *dy = readChunk<S>(args.type, args.dy,
                                 order[at] * args.columns + c, size, from);
      RINGI_SIMD
      for (int64_t i = 0; i < size; ++i)
        sum[i] += dy[i];
    }
    const int64_t first = id * args.columns + c;
    S *out = resultChunk<S>(args.type, args.out, first, sum);
    if (out != sum)
      std::memcpy(out, sum, sizeof(S) * static_cast<size_t>(size));
    storeChunk<S>(args.type, sum, args.out, first, size);
  }
}

} // namespace

void embedding(const EmbeddingArgs &args, const Threads &threads) {
  const int64_t rowBytes = args.columns * bytesOf(args.type);
  parallelFor(threads, args.positions, args.positions * args.columns,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t p = begin; p < end; ++p) {
                  const int64_t id = idAt(args, p);
                  if (inTable(args, id))
                    std::memcpy(static_cast<char *>(args.out) + p * rowBytes,
                                static_cast<const char *>(args.table) +
                                    id * rowBytes,
                                static_cast<size_t>(rowBytes));
                  else
                    withStatistics(args.type, [&](auto zero) {
                      using S = decltype(zero);
                      fillRow<S>(args, p, S(__builtin_nan("")));
                    });
                }
              });
}

void embeddingBackward(const EmbeddingArgs &args, const Threads &threads) {
  int32_t *start = static_cast<int32_t *>(args.workspace);
  int32_t *order = start + args.vocabulary + 1;
  sortPositions(args, start, order);
  parallelFor(threads, args.vocabulary,
              (args.positions + args.vocabulary) * args.columns,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t id = begin; id < end; ++id)
                  withStatistics(args.type, [&](auto zero) {
                    gradientRow<decltype(zero)>(args, id, start, order);
                  });
              });
}

} // namespace ringi::runtime::RINGI_ISA
