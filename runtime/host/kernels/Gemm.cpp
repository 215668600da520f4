//===- Gemm.cpp - The ref GEMM provider -----------------------------------===//
//
// Part of Ringi. Cuts every product of the batch into rectangles, gives each
// thread a contiguous range of them and lets GemmTile.h do the work. Results of
// 16 bits are accumulated in a f32 tile of the thread's scratch and rounded
// once, after the bias.
//
//===----------------------------------------------------------------------===//

#include "GemmTile.h"
#include "Kernels.h"
#include "Parallel.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

/// The rectangles of one product.
struct Grid {
  int64_t tileRows, tileColumns, rows, columns;
  int64_t perMatrix() const { return rows * columns; }
};

int64_t divideUp(int64_t a, int64_t b) { return (a + b - 1) / b; }
int64_t roundUp(int64_t a, int64_t b) { return divideUp(a, b) * b; }

/// As few rectangles as give every thread one: packing is cheapest for large
/// ones. `largest*` cap them at what the scratch holds.
template <typename S>
Grid makeGrid(const GemmArgs &args, int threads, int64_t largestRows,
              int64_t largestColumns) {
  int64_t rowParts = divideUp(args.m, largestRows);
  int64_t columnParts = divideUp(args.n, largestColumns);
  // Shares of equal size: the number of rectangles is a multiple of the threads
  // or large compared with them.
  while (args.batch * rowParts * columnParts < threads) {
    const bool canRows = args.m > rowParts * kTileRows;
    const bool canColumns = args.n > columnParts * kTileColumns<S>;
    if (!canRows && !canColumns)
      break;
    const bool wide = args.n / columnParts >= args.m / rowParts;
    if ((wide && canColumns) || !canRows)
      ++columnParts;
    else
      ++rowParts;
  }
  const int64_t total = args.batch * rowParts * columnParts;
  if (total % threads && total < 8 * threads)
    (args.m >= args.n ? rowParts : columnParts) *= threads;
  Grid grid;
  grid.tileRows = roundUp(divideUp(args.m, rowParts), kTileRows);
  grid.tileColumns = roundUp(divideUp(args.n, columnParts), kTileColumns<S>);
  grid.rows = divideUp(args.m, grid.tileRows);
  grid.columns = divideUp(args.n, grid.tileColumns);
  return grid;
}

template <typename S>
void addBias(const GemmArgs &args, S *c, int64_t ldc, int64_t rows,
             int64_t column, int64_t columns) {
  if (!args.bias)
    return;
  for (int64_t first = 0; first < columns; first += kChunk) {
    const int64_t size = least(kChunk, columns - first);
    S buffer[kChunk];
    const S *bias =
        readChunk<S>(args.type, args.bias, column + first, size, buffer);
    for (int64_t i = 0; i < rows; ++i) {
      S *line = c + i * ldc + first;
      RINGI_SIMD
      for (int64_t j = 0; j < size; ++j)
        line[j] += bias[j];
    }
  }
}

template <typename S>
void multiply(const GemmArgs &args, const Threads &threads) {
  if (args.m == 0 || args.n == 0 || args.batch == 0)
    return;
  const bool direct = sizeof(S) == bytesOf(args.type);
  // 16-bit results: a f32 tile behind the packing buffers.
  constexpr int64_t kTileBytes = kScratchBytes - kPackBytes<S>;
  constexpr int64_t kSumColumns = kPackedColumns<S>;
  constexpr int64_t kSumRows =
      kTileBytes / int64_t(sizeof(S)) / kSumColumns / kTileRows * kTileRows;
  static_assert(kSumRows >= 4 * kTileRows, "scratch too small for the tiles");
  constexpr int64_t kAny = int64_t(1) << 40;
  const Grid grid = makeGrid<S>(args, threads.count, direct ? kAny : kSumRows,
                                direct ? kAny : kSumColumns);

  const auto rectangle = [&](int64_t index, int thread) {
    const int64_t matrix = index / grid.perMatrix();
    const int64_t place = index % grid.perMatrix();
    const int64_t row = place / grid.columns * grid.tileRows;
    const int64_t column = place % grid.columns * grid.tileColumns;
    const int64_t rows = least(grid.tileRows, args.m - row);
    const int64_t columns = least(grid.tileColumns, args.n - column);
    const MatrixView a = {args.type, args.a, args.transposeA ? 1 : args.k,
                          args.transposeA ? args.m : 1};
    const MatrixView b = {args.type, args.b, args.transposeB ? 1 : args.n,
                          args.transposeB ? args.k : 1};
    const int64_t size = bytesOf(args.type);
    MatrixView aPart = offsetView(a, row, 0), bPart = offsetView(b, 0, column);
    aPart.data =
        static_cast<const char *>(aPart.data) + size * matrix * args.aStride;
    bPart.data =
        static_cast<const char *>(bPart.data) + size * matrix * args.bStride;
    const int64_t first = matrix * args.m * args.n + row * args.n + column;
    void *scratch = threads.scratch[thread];
    const PackBuffers<S> buffers = packBuffers<S>(scratch);
    if (direct) {
      S *c = static_cast<S *>(args.c) + first;
      gemmTile<S>(buffers, rows, columns, args.k, aPart, bPart, c, args.n,
                  false);
      addBias<S>(args, c, args.n, rows, column, columns);
      return;
    }
    S *sums =
        reinterpret_cast<S *>(static_cast<char *>(scratch) + kPackBytes<S>);
    gemmTile<S>(buffers, rows, columns, args.k, aPart, bPart, sums, columns,
                false);
    addBias<S>(args, sums, columns, rows, column, columns);
    for (int64_t i = 0; i < rows; ++i)
      storeChunk<S>(args.type, sums + i * columns, args.c, first + i * args.n,
                    columns);
  };
  parallelFor(threads, args.batch * grid.perMatrix(),
              args.batch * args.m * args.n * (args.k + 1),
              [&](int64_t begin, int64_t end, int thread) {
                for (int64_t index = begin; index < end; ++index)
                  rectangle(index, thread);
              });
}

} // namespace

void gemm(const GemmArgs &args, const Threads &threads) {
  withStatistics(args.type,
                 [&](auto zero) { multiply<decltype(zero)>(args, threads); });
}

} // namespace ringi::runtime::RINGI_ISA
