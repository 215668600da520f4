//===- Random.cpp - Dropout from a counter-based generator -------*- C++
//-*-===//
//
// Part of Ringi. Philox4x32-10 (Salmon et al., "Parallel random numbers: as
// easy as 1, 2, 3", 2011). An element's word depends on seed, op id, step and
// index alone: no state, no order, the same bits on every device.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Parallel.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

struct Stream {
  uint32_t key0, key1, id, step;
  /// Keep when the word is at least this; 2^32 would keep nothing.
  uint64_t threshold;
};

Stream makeStream(const DropoutArgs &args) {
  uint64_t seed = 0, step = 0;
  std::memcpy(&seed, args.seed, sizeof(seed));
  std::memcpy(&step, args.step, sizeof(step));
  return {static_cast<uint32_t>(seed), static_cast<uint32_t>(seed >> 32),
          static_cast<uint32_t>(args.randomId), static_cast<uint32_t>(step),
          static_cast<uint64_t>(args.probability * 4294967296.0)};
}

/// Words of blocks [first / 4, first / 4 + kChunk / 4).
void randomWords(const Stream &stream, int64_t first, uint32_t *words) {
  constexpr int64_t kBlocks = kChunk / 4;
  RINGI_SIMD
  for (int64_t block = 0; block < kBlocks; ++block) {
    const uint64_t index =
        static_cast<uint64_t>(first / 4) + static_cast<uint64_t>(block);
    uint32_t c0 = static_cast<uint32_t>(index);
    uint32_t c1 = static_cast<uint32_t>(index >> 32);
    uint32_t c2 = stream.id, c3 = stream.step;
    uint32_t k0 = stream.key0, k1 = stream.key1;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const uint64_t p0 = uint64_t(0xd2511f53u) * c0;
      const uint64_t p1 = uint64_t(0xcd9e8d57u) * c2;
      c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<uint32_t>(p1);
      c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<uint32_t>(p0);
      k0 += 0x9e3779b9u;
      k1 += 0xbb67ae85u;
    }
    words[4 * block] = c0;
    words[4 * block + 1] = c1;
    words[4 * block + 2] = c2;
    words[4 * block + 3] = c3;
  }
}

template <typename S, typename Kept>
void apply(const DropoutArgs &args, int64_t first, int64_t count, Kept kept) {
  S from[kChunk], to[kChunk];
  const S *x = readChunk<S>(args.type, args.x, first, count, from);
  S *y = resultChunk<S>(args.type, args.out, first, to);
  const S keep = S(1 - args.probability);
  RINGI_SIMD
  for (int64_t i = 0; i < count; ++i) {
    const S scaled = x[i] / keep;
    y[i] = kept(i) ? scaled : S(0);
  }
  storeChunk<S>(args.type, y, args.out, first, count);
}

} // namespace

void dropout(const DropoutArgs &args, const Threads &threads) {
  if (args.mask) {
    parallelChunks(threads, args.count, 2, [&](int64_t first, int64_t count) {
      const int8_t *mask = static_cast<const int8_t *>(args.mask) + first;
      withStatistics(args.type, [&](auto zero) {
        apply<decltype(zero)>(args, first, count,
                              [=](int64_t i) { return mask[i] != 0; });
      });
    });
    return;
  }
  const Stream stream = makeStream(args);
  parallelChunks(threads, args.count, 16, [&](int64_t first, int64_t count) {
    uint32_t words[kChunk];
    randomWords(stream, first, words);
    if (!args.x) {
      int8_t *mask = static_cast<int8_t *>(args.out) + first;
      for (int64_t i = 0; i < count; ++i)
        mask[i] = words[i] >= stream.threshold;
      return;
    }
    withStatistics(args.type, [&](auto zero) {
      const uint32_t threshold = static_cast<uint32_t>(stream.threshold);
      apply<decltype(zero)>(args, first, count,
                            [&](int64_t i) { return words[i] >= threshold; });
    });
  });
}

} // namespace ringi::runtime::RINGI_ISA
