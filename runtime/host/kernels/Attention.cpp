//===- Attention.cpp - Attention without the quadratic matrix -------------===//
//
// Part of Ringi. Forward: online softmax over blocks of keys (Dao et al.,
// "FlashAttention", 2022), saving the output and the log-sum-exp of each row.
// Backward: probabilities are computed again per block from the log-sum-exp.
// For f32 and f64 one walk over key blocks makes all three gradients; 16-bit
// tensors cannot hold running sums, so dq gets a walk of its own. Block sizes
// are constants: the order of every sum depends on shapes only.
//
//===----------------------------------------------------------------------===//

#include "GemmTile.h"
#include "Kernels.h"
#include "Math.h"
#include "Parallel.h"
#include "Sums.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

constexpr int64_t kQueryBlock = 192, kKeyBlock = 256;

/// A thread's scratch behind the packing buffers.
template <typename S> struct Blocks {
  PackBuffers<S> pack;
  /// [kQueryBlock][kKeyBlock].
  S *scores, *gradients;
  /// [max block][width].
  S *first, *second;
  /// Running maximum and sum of a query block.
  S *top, *sum;
};

template <typename S> Blocks<S> makeBlocks(void *scratch) {
  constexpr int64_t kScores = kQueryBlock * kKeyBlock;
  constexpr int64_t kSums = kKeyBlock * kMaxAttentionWidth;
  static_assert(kPackBytes<S> + int64_t(sizeof(S)) * (2 * kScores + 2 * kSums +
                                                      2 * kQueryBlock) <=
                    kScratchBytes,
                "scratch too small for attention blocks");
  Blocks<S> blocks;
  blocks.pack = packBuffers<S>(scratch);
  S *next = reinterpret_cast<S *>(static_cast<char *>(scratch) + kPackBytes<S>);
  blocks.scores = next;
  blocks.gradients = next + kScores;
  blocks.first = next + 2 * kScores;
  blocks.second = next + 2 * kScores + kSums;
  blocks.top = next + 2 * kScores + 2 * kSums;
  blocks.sum = blocks.top + kQueryBlock;
  return blocks;
}

/// One pair of a query block and a key block of one matrix.
struct Pair {
  int64_t matrix, query, queries, key, keys;
};

/// How many of the pair's keys row `i` of its queries sees.
int64_t visibleKeys(const AttentionArgs &args, const Pair &pair, int64_t i) {
  if (!args.causal)
    return pair.keys;
  const int64_t seen = pair.query + i + args.keys - args.queries + 1 - pair.key;
  return seen < 0 ? 0 : least(seen, pair.keys);
}

MatrixView queryView(const AttentionArgs &args, const void *data,
                     const Pair &pair) {
  const MatrixView all = {args.type, data, args.width, 1};
  return offsetView(all, pair.matrix * args.queries + pair.query, 0);
}
MatrixView keyView(const AttentionArgs &args, const void *data,
                   const Pair &pair) {
  const MatrixView all = {args.type, data, args.width, 1};
  return offsetView(all, pair.matrix * args.keys + pair.key, 0);
}
MatrixView transposed(MatrixView view) {
  return {view.type, view.data, view.columnStride, view.rowStride};
}
template <typename S> MatrixView blockView(const S *data, int64_t stride) {
  return {sizeof(S) == 8 ? DataType::F64 : DataType::F32, data, stride, 1};
}

/// End of the keys that any row of a query block sees.
int64_t keysEnd(const AttentionArgs &args, int64_t query, int64_t queries) {
  return args.causal
             ? least(args.keys, query + queries + args.keys - args.queries)
             : args.keys;
}

template <typename S>
void storeRows(DataType type, const S *from, void *data, int64_t first,
               int64_t count) {
  if (sizeof(S) == static_cast<size_t>(bytesOf(type)))
    std::memcpy(static_cast<S *>(data) + first, from,
                sizeof(S) * static_cast<size_t>(count));
  else
    storeChunk<S>(type, from, data, first, count);
}

template <typename S>
void forwardBlock(const AttentionArgs &args, const Blocks<S> &blocks,
                  int64_t matrix, int64_t query) {
  const S factor = S(args.factor);
  Pair pair = {matrix, query, least(kQueryBlock, args.queries - query), 0, 0};
  const int64_t end = keysEnd(args, query, pair.queries);
  S *output = blocks.first;
  for (int64_t i = 0; i < pair.queries; ++i) {
    blocks.top[i] = S(-__builtin_inf());
    blocks.sum[i] = 0;
  }
  for (pair.key = 0; pair.key < end; pair.key += kKeyBlock) {
    pair.keys = least(kKeyBlock, end - pair.key);
    gemmTile<S>(blocks.pack, pair.queries, pair.keys, args.width,
                queryView(args, args.q, pair),
                transposed(keyView(args, args.k, pair)), blocks.scores,
                kKeyBlock, false);
    for (int64_t i = 0; i < pair.queries; ++i) {
      S *row = blocks.scores + i * kKeyBlock;
      const int64_t visible = visibleKeys(args, pair, i);
      RINGI_SIMD
      for (int64_t j = 0; j < visible; ++j)
        row[j] *= factor;
      const S before = blocks.top[i];
      const S top = largestOf<S>(row, visible, before);
      if (visible > 0) {
        RINGI_SIMD
        for (int64_t j = 0; j < visible; ++j)
          row[j] = expOf(row[j] - top);
      }
      for (int64_t j = visible; j < pair.keys; ++j)
        row[j] = 0;
      if (visible == 0)
        continue;
      const S shrink = pair.key ? expOf(before - top) : S(0);
      blocks.top[i] = top;
      blocks.sum[i] = blocks.sum[i] * shrink + sumOf<S>(row, visible);
      if (pair.key) {
        S *line = output + i * args.width;
        RINGI_SIMD
        for (int64_t d = 0; d < args.width; ++d)
          line[d] *= shrink;
      }
    }
    gemmTile<S>(blocks.pack, pair.queries, args.width, pair.keys,
                blockView(blocks.scores, kKeyBlock),
                keyView(args, args.v, pair), output, args.width, pair.key > 0);
  }
  const int64_t first = matrix * args.queries + query;
  for (int64_t i = 0; i < pair.queries; ++i) {
    S *line = output + i * args.width;
    const S scale = S(1) / blocks.sum[i];
    RINGI_SIMD
    for (int64_t d = 0; d < args.width; ++d)
      line[d] *= scale;
    static_cast<S *>(args.lse)[first + i] =
        blocks.top[i] + logOf(blocks.sum[i]);
  }
  storeRows<S>(args.type, output, args.o, first * args.width,
               pair.queries * args.width);
}

/// Probabilities of the pair into `scores`, their gradients times the score
/// factor into `gradients`.
template <typename S>
void probabilities(const AttentionArgs &args, const Blocks<S> &blocks,
                   const Pair &pair) {
  const S factor = S(args.factor);
  const int64_t first = pair.matrix * args.queries + pair.query;
  const S *lse = static_cast<const S *>(args.lse) + first;
  const S *delta = static_cast<const S *>(args.workspace) + first;
  gemmTile<S>(blocks.pack, pair.queries, pair.keys, args.width,
              queryView(args, args.q, pair),
              transposed(keyView(args, args.k, pair)), blocks.scores, kKeyBlock,
              false);
  gemmTile<S>(blocks.pack, pair.queries, pair.keys, args.width,
              queryView(args, args.dout, pair),
              transposed(keyView(args, args.v, pair)), blocks.gradients,
              kKeyBlock, false);
  for (int64_t i = 0; i < pair.queries; ++i) {
    S *p = blocks.scores + i * kKeyBlock;
    S *dp = blocks.gradients + i * kKeyBlock;
    const int64_t visible = visibleKeys(args, pair, i);
    const S shift = lse[i], mean = delta[i];
    RINGI_SIMD
    for (int64_t j = 0; j < visible; ++j) {
      p[j] = expOf(p[j] * factor - shift);
      dp[j] = p[j] * (dp[j] - mean) * factor;
    }
    for (int64_t j = visible; j < pair.keys; ++j)
      p[j] = dp[j] = 0;
  }
}

/// First query block that sees the key block at `key`, as a multiple of the
/// block size.
int64_t firstQuery(const AttentionArgs &args, int64_t key) {
  const int64_t first = args.causal ? key - (args.keys - args.queries) : 0;
  return first <= 0 ? 0 : first / kQueryBlock * kQueryBlock;
}

/// dk and dv of one key block; with a S-typed dq also its running sums.
template <typename S>
void keyGradients(const AttentionArgs &args, const Blocks<S> &blocks,
                  int64_t matrix, int64_t key, bool withQueries) {
  Pair pair = {matrix, 0, 0, key, least(kKeyBlock, args.keys - key)};
  const int64_t count = pair.keys * args.width;
  for (int64_t i = 0; i < count; ++i)
    blocks.first[i] = blocks.second[i] = 0;
  for (pair.query = firstQuery(args, key); pair.query < args.queries;
       pair.query += kQueryBlock) {
    pair.queries = least(kQueryBlock, args.queries - pair.query);
    probabilities<S>(args, blocks, pair);
    gemmTile<S>(blocks.pack, pair.keys, args.width, pair.queries,
                transposed(blockView(blocks.scores, kKeyBlock)),
                queryView(args, args.dout, pair), blocks.second, args.width,
                true);
    gemmTile<S>(blocks.pack, pair.keys, args.width, pair.queries,
                transposed(blockView(blocks.gradients, kKeyBlock)),
                queryView(args, args.q, pair), blocks.first, args.width, true);
    if (withQueries)
      gemmTile<S>(blocks.pack, pair.queries, args.width, pair.keys,
                  blockView(blocks.gradients, kKeyBlock),
                  keyView(args, args.k, pair),
                  static_cast<S *>(args.dq) +
                      (matrix * args.queries + pair.query) * args.width,
                  args.width, key > 0);
  }
  const int64_t first = (matrix * args.keys + key) * args.width;
  storeRows<S>(args.type, blocks.first, args.dk, first, count);
  storeRows<S>(args.type, blocks.second, args.dv, first, count);
}

template <typename S>
void queryGradients(const AttentionArgs &args, const Blocks<S> &blocks,
                    int64_t matrix, int64_t query) {
  Pair pair = {matrix, query, least(kQueryBlock, args.queries - query), 0, 0};
  const int64_t end = keysEnd(args, query, pair.queries);
  for (pair.key = 0; pair.key < end; pair.key += kKeyBlock) {
    pair.keys = least(kKeyBlock, end - pair.key);
    probabilities<S>(args, blocks, pair);
    gemmTile<S>(blocks.pack, pair.queries, args.width, pair.keys,
                blockView(blocks.gradients, kKeyBlock),
                keyView(args, args.k, pair), blocks.first, args.width,
                pair.key > 0);
  }
  storeRows<S>(args.type, blocks.first, args.dq,
               (matrix * args.queries + query) * args.width,
               pair.queries * args.width);
}

int64_t workOf(const AttentionArgs &args) {
  return args.matrices * args.queries * args.keys * args.width;
}

template <typename S>
void forward(const AttentionArgs &args, const Threads &threads) {
  const int64_t parts = (args.queries + kQueryBlock - 1) / kQueryBlock;
  parallelFor(threads, args.matrices * parts, workOf(args),
              [&](int64_t begin, int64_t end, int thread) {
                const Blocks<S> blocks = makeBlocks<S>(threads.scratch[thread]);
                for (int64_t index = begin; index < end; ++index)
                  forwardBlock<S>(args, blocks, index / parts,
                                  index % parts * kQueryBlock);
              });
}

template <typename S>
void backward(const AttentionArgs &args, const Threads &threads) {
  S *delta = static_cast<S *>(args.workspace);
  const int64_t rows = args.matrices * args.queries;
  parallelFor(
      threads, rows, rows * args.width, [&](int64_t begin, int64_t end, int) {
        S left[kMaxAttentionWidth], right[kMaxAttentionWidth];
        for (int64_t row = begin; row < end; ++row)
          delta[row] =
              sumPairs<S>(readChunk<S>(args.type, args.dout, row * args.width,
                                       args.width, left),
                          readChunk<S>(args.type, args.o, row * args.width,
                                       args.width, right),
                          args.width, [](auto a, auto b) { return a * b; });
      });
  const int64_t keyParts = (args.keys + kKeyBlock - 1) / kKeyBlock;
  const int64_t queryParts = (args.queries + kQueryBlock - 1) / kQueryBlock;
  if (sizeof(S) == static_cast<size_t>(bytesOf(args.type))) {
    // dq sums over key blocks in order, so a matrix belongs to one thread.
    parallelFor(
        threads, args.matrices, workOf(args),
        [&](int64_t begin, int64_t end, int thread) {
          const Blocks<S> blocks = makeBlocks<S>(threads.scratch[thread]);
          for (int64_t matrix = begin; matrix < end; ++matrix)
            for (int64_t part = 0; part < keyParts; ++part)
              keyGradients<S>(args, blocks, matrix, part * kKeyBlock, true);
        });
    return;
  }
  parallelFor(threads, args.matrices * keyParts, workOf(args),
              [&](int64_t begin, int64_t end, int thread) {
                const Blocks<S> blocks = makeBlocks<S>(threads.scratch[thread]);
                for (int64_t index = begin; index < end; ++index)
                  keyGradients<S>(args, blocks, index / keyParts,
                                  index % keyParts * kKeyBlock, false);
              });
  parallelFor(threads, args.matrices * queryParts, workOf(args),
              [&](int64_t begin, int64_t end, int thread) {
                const Blocks<S> blocks = makeBlocks<S>(threads.scratch[thread]);
                for (int64_t index = begin; index < end; ++index)
                  queryGradients<S>(args, blocks, index / queryParts,
                                    index % queryParts * kQueryBlock);
              });
}

} // namespace

void attention(const AttentionArgs &args, const Threads &threads) {
  withStatistics(args.type,
                 [&](auto zero) { forward<decltype(zero)>(args, threads); });
}

void attentionBackward(const AttentionArgs &args, const Threads &threads) {
  withStatistics(args.type,
                 [&](auto zero) { backward<decltype(zero)>(args, threads); });
}

} // namespace ringi::runtime::RINGI_ISA
