//===- GemmTile.h - One thread's packed matrix product ----------*- C++ -*-===//
//
// Part of Ringi. The product under every GEMM and attention block: operands of
// any stored type and layout are packed, converted to S, into panels of a fixed
// height and width; a register tile walks them. Each result element is the sum,
// in ascending order, of partial sums over kDepth consecutive k, each added up
// in order with fused multiply-adds: the bits depend on k alone, not on the
// tiling of m and n. After Goto and van de Geijn, "Anatomy of high-performance
// matrix multiplication" (2008), and Van Zee and van de Geijn, "BLIS" (2015).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_KERNELS_GEMMTILE_H
#define RINGI_HOST_KERNELS_GEMMTILE_H

#include "Convert.h"

namespace ringi::runtime::RINGI_ISA {

// Register tile: rows by vectors. 12 accumulators of 16 registers, or 28 of 32.
#if defined(__AVX512F__)
inline constexpr int kTileRows = 14;
#else
inline constexpr int kTileRows = 6;
#endif
inline constexpr int kTileVectors = 2;
template <typename S>
inline constexpr int kTileColumns = kTileVectors * kLanes<S>;

/// k per partial sum: a panel of B stays in the first-level cache.
template <typename S>
inline constexpr int64_t kDepth = sizeof(S) == 8 ? 192 : 384;
/// Rows of A packed at a time (with kDepth: the second-level cache).
inline constexpr int64_t kPackedRows = kTileRows == 14 ? 112 : 96;
/// Columns of B packed at a time.
template <typename S>
inline constexpr int64_t kPackedColumns = sizeof(S) == 8 ? 512 : 1024;

/// A matrix in memory: element (i, j) is data[i * rowStride + j *
/// columnStride]; one of the two strides is 1.
struct MatrixView {
  DataType type;
  const void *data;
  int64_t rowStride, columnStride;
};

RINGI_ALWAYS_INLINE MatrixView offsetView(MatrixView view, int64_t row,
                                          int64_t column) {
  view.data =
      static_cast<const char *>(view.data) +
      bytesOf(view.type) * (row * view.rowStride + column * view.columnStride);
  return view;
}

template <typename S> struct PackBuffers {
  S *a, *b;
};
template <typename S>
inline constexpr int64_t kPackBytes =
    int64_t(sizeof(S)) * kDepth<S> * (kPackedRows + kPackedColumns<S>);

/// Carves the two packing buffers off the front of a thread's scratch.
template <typename S> RINGI_KERNEL PackBuffers<S> packBuffers(void *scratch) {
  S *a = static_cast<S *>(scratch);
  return {a, a + kDepth<S> * kPackedRows};
}

/// c (+)= a * b for one register tile. `a` is a packed panel
/// [depth][kTileRows], or with kDirect the rows themselves, `lda` apart.
template <typename S, bool kDirect>
RINGI_KERNEL void registerTile(int64_t depth, const S *__restrict a,
                               int64_t lda, const S *__restrict b,
                               S *__restrict c, int64_t ldc, bool add) {
  constexpr int kWidth = kLanes<S>;
  Vec<S> sum[kTileRows][kTileVectors];
#pragma GCC unroll 16
  for (int i = 0; i < kTileRows; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < kTileVectors; ++j)
      sum[i][j] = Vec<S>{};
  for (int64_t p = 0; p < depth; ++p) {
    Vec<S> right[kTileVectors];
#pragma GCC unroll 2
    for (int j = 0; j < kTileVectors; ++j)
      right[j] = loadVec(b + j * kWidth);
#pragma GCC unroll 16
    for (int i = 0; i < kTileRows; ++i)
#pragma GCC unroll 2
      for (int j = 0; j < kTileVectors; ++j)
        sum[i][j] += (kDirect ? a[i * lda] : a[i]) * right[j];
    a += kDirect ? 1 : kTileRows;
    b += kTileVectors * kWidth;
  }
#pragma GCC unroll 16
  for (int i = 0; i < kTileRows; ++i)
#pragma GCC unroll 2
    for (int j = 0; j < kTileVectors; ++j) {
      S *to = c + i * ldc + j * kWidth;
      storeVec(to, add ? loadVec(to) + sum[i][j] : sum[i][j]);
    }
}

/// Packs `count` lines that lie side by side in memory, `across` elements
/// between one k and the next. Several panels at a time: longer reads, and the
/// stride between them defeats the hardware's prefetching.
template <typename S, int kWidth>
RINGI_KERNEL void packSideBySide(const MatrixView &view, int64_t across,
                                 int64_t count, int64_t depth, S *to) {
  constexpr int64_t kGroup = kWidth >= 16 ? 4 : 8;
  constexpr int64_t kAhead = 8;
  const int64_t size = bytesOf(view.type);
  for (int64_t first = 0; first < count; first += kGroup * kWidth) {
    const int64_t lines = least(kGroup * kWidth, count - first);
    for (int64_t p = 0; p < depth; ++p) {
      const char *next = static_cast<const char *>(view.data) +
                         size * (first + (p + kAhead) * across);
      if (p + kAhead < depth)
        for (int64_t byte = 0; byte < lines * size; byte += 64)
          __builtin_prefetch(next + byte);
      S buffer[kGroup * kWidth];
      const S *from =
          readChunk<S>(view.type, view.data, first + p * across, lines, buffer);
      for (int64_t start = 0; start < lines; start += kWidth) {
        S *line = to + (first + start) * depth + p * kWidth;
        if (lines - start >= kWidth) {
          std::memcpy(line, from + start, sizeof(S) * kWidth);
          continue;
        }
        for (int64_t i = 0; i < kWidth; ++i)
          line[i] = start + i < lines ? from[start + i] : S(0);
      }
    }
  }
}

/// Copies a [count x depth] strip whose lines are contiguous along k (or have
/// any strides) into a panel [depth][kWidth], zero-filled from `count` on.
/// `along` is the stride between lines, `across` the stride along k.
template <typename S, int kWidth>
RINGI_KERNEL void packPanel(const MatrixView &view, int64_t along,
                            int64_t across, int64_t count, int64_t depth,
                            S *to) {
  // Each line is contiguous along k: blocks of k are read from all lines and
  // written transposed.
  constexpr int64_t kBlock = 16;
  S buffer[kWidth][kBlock];
  for (int64_t first = 0; first < depth; first += kBlock) {
    const int64_t size = least(kBlock, depth - first);
    const S *lines[kWidth];
    for (int64_t i = 0; i < kWidth; ++i) {
      if (i < count && across == 1) {
        lines[i] = readChunk<S>(view.type, view.data, i * along + first, size,
                                buffer[i]);
        continue;
      }
      for (int64_t p = 0; p < size; ++p)
        buffer[i][p] = i < count ? readOne<S>(view.type, view.data,
                                              i * along + (first + p) * across)
                                 : S(0);
      lines[i] = buffer[i];
    }
    S *block = to + first * kWidth;
    if (size == kBlock) {
      for (int64_t p = 0; p < kBlock; ++p)
        for (int i = 0; i < kWidth; ++i)
          block[p * kWidth + i] = lines[i][p];
    } else {
      for (int64_t p = 0; p < size; ++p)
        for (int i = 0; i < kWidth; ++i)
          block[p * kWidth + i] = lines[i][p];
    }
  }
}

template <typename S>
RINGI_KERNEL void packA(const MatrixView &a, int64_t rows, int64_t depth,
                        S *to) {
  if (a.rowStride == 1)
    return packSideBySide<S, kTileRows>(a, a.columnStride, rows, depth, to);
  for (int64_t i = 0; i < rows; i += kTileRows)
    packPanel<S, kTileRows>(offsetView(a, i, 0), a.rowStride, a.columnStride,
                            least(kTileRows, rows - i), depth, to + i * depth);
}

template <typename S>
RINGI_KERNEL void packB(const MatrixView &b, int64_t columns, int64_t depth,
                        S *to) {
  constexpr int kWidth = kTileColumns<S>;
  if (b.columnStride == 1)
    return packSideBySide<S, kWidth>(b, b.rowStride, columns, depth, to);
  for (int64_t j = 0; j < columns; j += kWidth)
    packPanel<S, kWidth>(offsetView(b, 0, j), b.columnStride, b.rowStride,
                         least(kWidth, columns - j), depth, to + j * depth);
}

/// c[rows x columns] (+)= a * packed b; `a` as registerTile takes it, but with
/// kDirect `rows` must be a multiple of kTileRows.
template <typename S, bool kDirect>
RINGI_KERNEL void multiplyPacked(int64_t rows, int64_t columns, int64_t depth,
                                 const S *a, int64_t lda, const S *b, S *c,
                                 int64_t ldc, bool add) {
  constexpr int kWidth = kTileColumns<S>;
  for (int64_t j = 0; j < columns; j += kWidth) {
    for (int64_t i = 0; i < rows; i += kTileRows) {
      S *to = c + i * ldc + j;
      const S *strip = a + i * (kDirect ? lda : depth);
      const int64_t height = least(kTileRows, rows - i);
      const int64_t width = least(kWidth, columns - j);
      if (height == kTileRows && width == kWidth) {
        registerTile<S, kDirect>(depth, strip, lda, b + j * depth, to, ldc,
                                 add);
        continue;
      }
      S edge[kTileRows * kWidth];
      registerTile<S, kDirect>(depth, strip, lda, b + j * depth, edge, kWidth,
                               false);
      for (int64_t r = 0; r < height; ++r)
        for (int64_t s = 0; s < width; ++s)
          to[r * ldc + s] = add ? to[r * ldc + s] + edge[r * kWidth + s]
                                : edge[r * kWidth + s];
    }
  }
}

/// c[m x n] (+)= a * b on the calling thread.
template <typename S>
RINGI_KERNEL void gemmTile(PackBuffers<S> buffers, int64_t m, int64_t n,
                           int64_t k, const MatrixView &a, const MatrixView &b,
                           S *c, int64_t ldc, bool add) {
  if (k == 0 && !add) {
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j)
        c[i * ldc + j] = 0;
    return;
  }
  // Rows of S are read where they are when too few columns would pay for
  // packing them.
  constexpr int64_t kFewColumns = 256;
  const bool direct =
      n <= kFewColumns && a.columnStride == 1 &&
      a.type == (sizeof(S) == 8 ? DataType::F64 : DataType::F32);
  const int64_t directRows = direct ? m / kTileRows * kTileRows : 0;
  for (int64_t j = 0; j < n; j += kPackedColumns<S>) {
    const int64_t columns = least(kPackedColumns<S>, n - j);
    for (int64_t p = 0; p < k; p += kDepth<S>) {
      const int64_t depth = least(kDepth<S>, k - p);
      const bool sum = add || p > 0;
      packB<S>(offsetView(b, p, j), columns, depth, buffers.b);
      if (directRows)
        multiplyPacked<S, true>(directRows, columns, depth,
                                static_cast<const S *>(a.data) + p, a.rowStride,
                                buffers.b, c + j, ldc, sum);
      for (int64_t i = directRows; i < m; i += kPackedRows) {
        const int64_t rows = least(kPackedRows, m - i);
        packA<S>(offsetView(a, i, p), rows, depth, buffers.a);
        multiplyPacked<S, false>(rows, columns, depth, buffers.a, 0, buffers.b,
                                 c + i * ldc + j, ldc, sum);
      }
    }
  }
}

} // namespace ringi::runtime::RINGI_ISA

#endif // RINGI_HOST_KERNELS_GEMMTILE_H
