//===- Random.cpp - Dropout from a counter-based generator ----------------===//
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

constexpr uint32_t kMultiplier0 = 0xd2511f53u, kMultiplier1 = 0xcd9e8d57u;
constexpr uint32_t kWeyl0 = 0x9e3779b9u, kWeyl1 = 0xbb67ae85u;

/// Words of blocks [first / 4, first / 4 + kChunk / 4).
#if defined(__AVX2__)
void randomWords(const Stream &stream, int64_t first, uint32_t *words) {
  // A word sits in the low half of a 64-bit lane; what the products leave in
  // the high half is never read.
  constexpr int kGroups = 2;
  const __m256i multiplier0 = _mm256_set1_epi64x(kMultiplier0);
  const __m256i multiplier1 = _mm256_set1_epi64x(kMultiplier1);
  for (int64_t block = 0; block < kChunk / 4; block += 4 * kGroups) {
    __m256i c0[kGroups], c1[kGroups], c2[kGroups], c3[kGroups];
#pragma GCC unroll 2
    for (int g = 0; g < kGroups; ++g) {
      c0[g] = _mm256_add_epi64(_mm256_set1_epi64x(first / 4 + block + 4 * g),
                               _mm256_set_epi64x(3, 2, 1, 0));
      c1[g] = _mm256_srli_epi64(c0[g], 32);
      c2[g] = _mm256_set1_epi64x(stream.id);
      c3[g] = _mm256_set1_epi64x(stream.step);
    }
    uint32_t k0 = stream.key0, k1 = stream.key1;
#pragma GCC unroll 10
    for (int round = 0; round < 10; ++round) {
      const __m256i key0 = _mm256_set1_epi64x(k0);
      const __m256i key1 = _mm256_set1_epi64x(k1);
#pragma GCC unroll 2
      for (int g = 0; g < kGroups; ++g) {
        const __m256i p0 = _mm256_mul_epu32(c0[g], multiplier0);
        const __m256i p1 = _mm256_mul_epu32(c2[g], multiplier1);
        c0[g] = _mm256_xor_si256(
            _mm256_xor_si256(_mm256_srli_epi64(p1, 32), c1[g]), key0);
        c1[g] = p1;
        c2[g] = _mm256_xor_si256(
            _mm256_xor_si256(_mm256_srli_epi64(p0, 32), c3[g]), key1);
        c3[g] = p0;
      }
      k0 += kWeyl0;
      k1 += kWeyl1;
    }
#pragma GCC unroll 2
    for (int g = 0; g < kGroups; ++g) {
      // Words 0 and 1, and 2 and 3, of each block side by side.
      const __m256i low =
          _mm256_blend_epi32(c0[g], _mm256_slli_epi64(c1[g], 32), 0xaa);
      const __m256i high =
          _mm256_blend_epi32(c2[g], _mm256_slli_epi64(c3[g], 32), 0xaa);
      const __m256i even = _mm256_unpacklo_epi64(low, high);
      const __m256i odd = _mm256_unpackhi_epi64(low, high);
      __m256i *to = reinterpret_cast<__m256i *>(words + 4 * (block + 4 * g));
      _mm256_storeu_si256(to, _mm256_permute2x128_si256(even, odd, 0x20));
      _mm256_storeu_si256(to + 1, _mm256_permute2x128_si256(even, odd, 0x31));
    }
  }
}
#else
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
      const uint64_t p0 = uint64_t(kMultiplier0) * c0;
      const uint64_t p1 = uint64_t(kMultiplier1) * c2;
      c0 = static_cast<uint32_t>(p1 >> 32) ^ c1 ^ k0;
      c1 = static_cast<uint32_t>(p1);
      c2 = static_cast<uint32_t>(p0 >> 32) ^ c3 ^ k1;
      c3 = static_cast<uint32_t>(p0);
      k0 += kWeyl0;
      k1 += kWeyl1;
    }
    words[4 * block] = c0;
    words[4 * block + 1] = c1;
    words[4 * block + 2] = c2;
    words[4 * block + 3] = c3;
  }
}
#endif

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
