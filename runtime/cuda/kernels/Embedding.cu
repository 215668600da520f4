//===- Embedding.cu - Row look-up and its deterministic backward-*- C++ -*-===//
//
// Part of Ringi. The backward pass adds the rows of one id in position order
// without atomics: positions are sorted by id in the workspace (a counting sort
// in which each id's thread scans all ids), then one block per table row adds.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "Vector.h"

namespace ringi::cuda {

namespace {

using program::ElementType;
using program::OpKind;
using runtime::OpCall;

inline constexpr int kSortThreads = 256;
inline constexpr int kScanThreads = 1024;
inline constexpr int kRowThreads = 128;

template <typename T, typename Index>
__global__ void embeddingKernel(const Index *ids, const T *table, T *y,
                                int64_t elements, int64_t columns,
                                int64_t vocabulary) {
  int64_t i = globalThread();
  if (i >= elements)
    return;
  // An id outside the table reads NaN, as on the host.
  auto id = int64_t(ids[i / columns]);
  y[i] = id >= 0 && id < vocabulary ? table[id * columns + i % columns]
                                    : fromFloat<T>(NAN);
}

/// Calls `visit(position)` for each position whose id is `id`, ascending. All
/// threads of the block take part in staging tiles of ids.
template <typename Index, typename Visit>
__device__ void scanIds(const Index *ids, int64_t count, int32_t id,
                        int32_t *tile, Visit visit) {
  for (int64_t base = 0; base < count; base += kSortThreads) {
    int64_t mine = base + threadIdx.x;
    auto own = mine < count ? int64_t(ids[mine]) : -1;
    tile[threadIdx.x] = own == int32_t(own) ? int32_t(own) : -1;
    __syncthreads();
    for (int k = 0; k < kSortThreads; ++k)
      if (tile[k] == id)
        visit(base + k);
    __syncthreads();
  }
}

template <typename Index>
__global__ void countKernel(const Index *ids, int64_t count, int32_t vocabulary,
                            int32_t *starts) {
  RINGI_SHARED_MEMORY(int32_t, tile);
  auto id = int32_t(globalThread());
  int32_t found = 0;
  scanIds(ids, count, id, tile, [&](int64_t) { ++found; });
  if (id < vocabulary)
    starts[id] = found;
}

/// Counts become starts: an exclusive scan by one block, each thread over a
/// contiguous chunk.
__global__ void scanKernel(int32_t *starts, int32_t vocabulary) {
  RINGI_SHARED_MEMORY(int32_t, sums);
  auto thread = int32_t(threadIdx.x);
  int32_t chunk = (vocabulary + kScanThreads - 1) / kScanThreads;
  int32_t begin = thread * chunk < vocabulary ? thread * chunk : vocabulary;
  int32_t end = begin + chunk < vocabulary ? begin + chunk : vocabulary;
  int32_t sum = 0;
  for (int32_t i = begin; i < end; ++i)
    sum += starts[i];
  sums[thread] = sum;
  __syncthreads();
  if (thread == 0) {
    int32_t running = 0;
    for (int t = 0; t < kScanThreads; ++t) {
      int32_t own = sums[t];
      sums[t] = running;
      running += own;
    }
    starts[vocabulary] = running;
  }
  __syncthreads();
  int32_t running = sums[thread];
  for (int32_t i = begin; i < end; ++i) {
    int32_t own = starts[i];
    starts[i] = running;
    running += own;
  }
}

template <typename Index>
__global__ void placeKernel(const Index *ids, int64_t count, int32_t vocabulary,
                            const int32_t *starts, int32_t *order) {
  RINGI_SHARED_MEMORY(int32_t, tile);
  auto id = int32_t(globalThread());
  int32_t next = id < vocabulary ? starts[id] : 0;
  scanIds(ids, count, id, tile, [&](int64_t position) {
    if (id < vocabulary)
      order[next++] = int32_t(position);
  });
}

template <typename T>
__global__ void gatherRowsKernel(const T *dy, const int32_t *starts,
                                 const int32_t *order, T *dtable,
                                 int64_t columns) {
  int64_t id = blockIdx.x;
  int32_t begin = starts[id], end = starts[id + 1];
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x) {
    float sum = 0.0f;
    for (int32_t k = begin; k < end; ++k)
      sum += toFloat(dy[int64_t(order[k]) * columns + j]);
    dtable[id * columns + j] = fromFloat<T>(sum);
  }
}

template <typename T, typename Index> Launcher bindForward(const OpCall &call) {
  const Index *ids = pointer<Index>(call.operands[0]);
  const T *table = pointer<T>(call.operands[1]);
  T *y = pointer<T>(call.results[0]);
  int64_t n = call.results[0].elements(), columns = call.results[0].columns();
  int64_t vocabulary = call.operands[1].shape[0];
  return [=](cudaStream_t stream) {
    launch("embedding", embeddingKernel<T, Index>, mapShape(n, 1), stream, ids,
           table, y, n, columns, vocabulary);
  };
}

template <typename T, typename Index>
Launcher bindBackward(const OpCall &call) {
  const T *dy = pointer<T>(call.operands[0]);
  const Index *ids = pointer<Index>(call.operands[1]);
  T *dtable = pointer<T>(call.results[0]);
  int64_t count = call.operands[1].elements();
  auto vocabulary = int32_t(call.results[0].shape[0]);
  int64_t columns = call.results[0].columns();
  auto *starts = static_cast<int32_t *>(call.workspace);
  int32_t *order = starts + vocabulary + 1;
  LaunchShape sortShape{
      dim3(unsigned((vocabulary + kSortThreads - 1) / kSortThreads)),
      dim3(kSortThreads), kSortThreads * sizeof(int32_t)};
  LaunchShape scanShape{dim3(1), dim3(kScanThreads),
                        kScanThreads * sizeof(int32_t)};
  LaunchShape gatherShape{dim3(unsigned(vocabulary)), dim3(kRowThreads), 0};
  return [=](cudaStream_t stream) {
    launch("embedding_count", countKernel<Index>, sortShape, stream, ids, count,
           vocabulary, starts);
    launch("embedding_scan", scanKernel, scanShape, stream, starts, vocabulary);
    launch("embedding_place", placeKernel<Index>, sortShape, stream, ids, count,
           vocabulary, starts, order);
    launch("embedding_gather", gatherRowsKernel<T>, gatherShape, stream, dy,
           starts, order, dtable, columns);
  };
}

} // namespace

Expected<Launcher> bindEmbedding(const OpCall &call) {
  bool backward = call.kind == OpKind::EmbeddingBackward;
  bool wide = call.operands[backward ? 1 : 0].type == ElementType::I64;
  return dispatchFloat(call, call.results[0].type,
                       [&](auto zero) -> Expected<Launcher> {
                         using T = decltype(zero);
                         if (backward)
                           return wide ? bindBackward<T, int64_t>(call)
                                       : bindBackward<T, int32_t>(call);
                         return wide ? bindForward<T, int64_t>(call)
                                     : bindForward<T, int32_t>(call);
                       });
}

} // namespace ringi::cuda
