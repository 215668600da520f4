//===- Attention.h - What the attention kernels share -----------*- C++ -*-===//
//
// Part of Ringi. Arguments of fused attention and the helpers of the
// tensor-core kernels: a tile of rows in shared memory and the fragments read
// from it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_ATTENTION_H
#define RINGI_CUDA_KERNELS_ATTENTION_H

#include "Bind.h"
#include "WarpMatrix.h"

#include <cmath>

namespace ringi::cuda {

/// `heads` independent problems (batch x heads) of `seq` queries and `keys`
/// keys of `size` elements. The tile kernels take as many keys as queries.
struct AttentionShape {
  int heads, seq, keys, size;
  float factor;
  bool causal;
};

template <typename T> struct AttentionForwardArgs {
  const T *q, *k, *v;
  T *o;
  float *lse;
};

template <typename T> struct AttentionBackwardArgs {
  const T *dO, *q, *k, *v, *o;
  const float *lse;
  T *dq, *dk, *dv;
  /// Per query row the sum of dO * o: the workspace.
  float *delta;
};

/// One row per warp; any type, any head size up to kMaxRowSize.
template <typename T>
Launcher attentionRows(const AttentionForwardArgs<T> &args,
                       const AttentionShape &shape);
template <typename T>
Launcher attentionRowsBackward(const AttentionBackwardArgs<T> &args,
                               const AttentionShape &shape);
inline constexpr int kMaxRowSize = 256;

/// Tensor cores; 16-bit types, head sizes that are multiples of 8 up to 128,
/// operands aligned to 16 bytes, as many keys as queries, kMaxTileHeads heads.
template <typename T>
Launcher attentionTiles(const AttentionForwardArgs<T> &args,
                        const AttentionShape &shape);
template <typename T>
Launcher attentionTilesBackward(const AttentionBackwardArgs<T> &args,
                                const AttentionShape &shape);
inline constexpr int kMaxTileSize = 128;
/// One block row of the grid per head: what its second dimension holds.
inline constexpr int kMaxTileHeads = 65535;

/// delta[row] = sum(dO * o), one warp per row.
template <typename T>
void launchDelta(const AttentionBackwardArgs<T> &args,
                 const AttentionShape &shape, cudaStream_t stream);

inline constexpr float kLog2E = 1.4426950408889634f;
inline constexpr float kLn2 = 0.6931471805599453f;

/// Warps per block of the tile kernels; each owns 16 rows of the block's 64.
inline constexpr int kTileWarps = 4;
inline constexpr int kTileRows = kTileWarps * 16;

/// `Rows` rows of `Size` 16-bit elements in shared memory; the 16-byte padding
/// keeps eight rows of an 8x8 tile in different banks.
template <typename T, int Rows, int Size> struct SharedTile {
  static constexpr int kStride = Size + 8;
  static constexpr size_t kBytes = size_t(Rows) * kStride * sizeof(T);
  T *data;

  __device__ T *row(int r) const { return data + r * kStride; }

  /// Starts copying rows [first, first + Rows) of `source`; rows from
  /// `rowCount` on and columns from `columns` on are zero.
  __device__ void load(const T *source, int first, int rowCount,
                       int columns) const {
    constexpr int chunks = Size / 8;
    for (int i = int(threadIdx.x); i < Rows * chunks; i += kTileWarps * 32) {
      int r = i / chunks, c = i % chunks * 8;
      bool valid = first + r < rowCount && c < columns;
      const T *from =
          valid ? source + int64_t(first + r) * columns + c : source;
      copyAsync16(row(r) + c, from, valid);
    }
  }

  /// Rows [r, r + 16) and columns [k, k + 16) as a left operand.
  __device__ FragmentA left(int r, int k) const {
    int lane = int(threadIdx.x) % 32;
    FragmentA a;
    loadTiles(a.word, row(r + lane % 16) + k + lane / 16 * 8);
    return a;
  }

  /// Rows n .. n + 15 as 16 columns of a right operand (row * row products),
  /// k .. k + 15 as its rows: two fragments of 8 columns.
  __device__ void rightOfRows(FragmentB (&b)[2], int n, int k) const {
    int lane = int(threadIdx.x) % 32;
    uint32_t words[4];
    loadTiles(words, row(n + lane % 8 + lane / 16 * 8) + k + lane / 8 % 2 * 8);
    b[0] = {{words[0], words[1]}};
    b[1] = {{words[2], words[3]}};
  }

  /// Rows k .. k + 15 as the rows of a right operand, columns n .. n + 15: two
  /// fragments of 8 columns.
  __device__ void rightOfColumns(FragmentB (&b)[2], int k, int n) const {
    int lane = int(threadIdx.x) % 32;
    uint32_t words[4];
    loadTilesTransposed(words, row(k + lane % 16) + n + lane / 16 * 8);
    b[0] = {{words[0], words[1]}};
    b[1] = {{words[2], words[3]}};
  }
};

/// Two neighbouring 16x8 results as one 16x16 left operand.
template <typename T>
__device__ __forceinline__ FragmentA leftOfResults(const FragmentD &first,
                                                   const FragmentD &second) {
  return {{packHalves<T>(first.value[0], first.value[1]),
           packHalves<T>(first.value[2], first.value[3]),
           packHalves<T>(second.value[0], second.value[1]),
           packHalves<T>(second.value[2], second.value[3])}};
}

/// Writes a 16 x Size result (Size / 8 fragments) of one warp to rows from
/// `first` on, bounded by `rowCount` and `columns`.
template <typename T, int Size>
__device__ void storeRows(const FragmentD (&result)[Size / 8], T *target,
                          int first, int rowCount, int columns) {
  int lane = int(threadIdx.x) % 32;
  for (int n = 0; n < Size / 8; ++n) {
    int column = n * 8 + lane % 4 * 2;
    if (column >= columns)
      continue;
    for (int half = 0; half < 2; ++half) {
      int r = first + lane / 4 + half * 8;
      if (r < rowCount)
        *reinterpret_cast<uint32_t *>(target + int64_t(r) * columns + column) =
            packHalves<T>(result[n].value[2 * half],
                          result[n].value[2 * half + 1]);
    }
  }
}

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_ATTENTION_H
