//===- AttentionRows.cu - Attention one row per warp ------------*- C++ -*-===//
//
// Part of Ringi. The path for f32 and for head sizes that tensor-core tiles do
// not take: every lane holds each 32nd element of its row. Correct for any size
// up to kMaxRowSize, not fast.
//
//===----------------------------------------------------------------------===//

#include "Attention.h"
#include "BlockReduce.h"

namespace ringi::cuda {

namespace {

inline constexpr int kPerLane = kMaxRowSize / 32;
inline constexpr int kRowWarps = 4;

/// The elements of one row that a lane holds; zero beyond `size`.
struct LaneRow {
  float value[kPerLane];

  __device__ void clear() {
    for (int i = 0; i < kPerLane; ++i)
      value[i] = 0.0f;
  }
  template <typename T> __device__ void load(const T *row, int size) {
    int lane = int(threadIdx.x) % 32;
    for (int i = 0; i < kPerLane; ++i)
      value[i] = lane + 32 * i < size ? toFloat(row[lane + 32 * i]) : 0.0f;
  }
  template <typename T>
  __device__ void store(T *row, int size, float factor) const {
    int lane = int(threadIdx.x) % 32;
    for (int i = 0; i < kPerLane; ++i)
      if (lane + 32 * i < size)
        row[lane + 32 * i] = fromFloat<T>(value[i] * factor);
  }
  __device__ float dot(const LaneRow &other) const {
    float sum = 0.0f;
    for (int i = 0; i < kPerLane; ++i)
      sum += value[i] * other.value[i];
    return warpReduce(sum, SumOf());
  }
  __device__ void add(const LaneRow &other, float factor) {
    for (int i = 0; i < kPerLane; ++i)
      value[i] += factor * other.value[i];
  }
};

/// The row of the running warp, or -1 beyond the end.
__device__ __forceinline__ int64_t warpRow(int64_t rows) {
  int64_t row = int64_t(blockIdx.x) * kRowWarps + threadIdx.x / 32;
  return row < rows ? row : -1;
}

/// How many keys query `row` sees; queries are aligned to the last keys.
__device__ __forceinline__ int visibleKeys(int64_t row,
                                           const AttentionShape &shape) {
  return shape.causal ? int(row % shape.seq) + 1 + shape.keys - shape.seq
                      : shape.keys;
}

template <typename T>
__global__ void forwardRowsKernel(AttentionForwardArgs<T> args,
                                  AttentionShape shape) {
  int64_t row = warpRow(int64_t(shape.heads) * shape.seq);
  if (row < 0)
    return;
  int64_t head = row / shape.seq * shape.keys;
  int visible = visibleKeys(row, shape);
  LaneRow q, k, v, out;
  q.load(args.q + row * shape.size, shape.size);
  out.clear();
  float top = -INFINITY, sum = 0.0f;
  for (int j = 0; j < visible; ++j) {
    k.load(args.k + (head + j) * shape.size, shape.size);
    v.load(args.v + (head + j) * shape.size, shape.size);
    float score = q.dot(k) * shape.factor;
    float newTop = fmaxf(top, score);
    float rescale = expf(top - newTop), weight = expf(score - newTop);
    sum = sum * rescale + weight;
    for (float &element : out.value)
      element *= rescale;
    out.add(v, weight);
    top = newTop;
  }
  out.store(args.o + row * shape.size, shape.size, 1.0f / sum);
  if (threadIdx.x % 32 == 0)
    args.lse[row] = top + logf(sum);
}

template <typename T>
__global__ void deltaKernel(AttentionBackwardArgs<T> args,
                            AttentionShape shape) {
  int64_t row = warpRow(int64_t(shape.heads) * shape.seq);
  if (row < 0)
    return;
  LaneRow slope, out;
  slope.load(args.dO + row * shape.size, shape.size);
  out.load(args.o + row * shape.size, shape.size);
  float sum = slope.dot(out);
  if (threadIdx.x % 32 == 0)
    args.delta[row] = sum;
}

template <typename T>
__global__ void queryRowsKernel(AttentionBackwardArgs<T> args,
                                AttentionShape shape) {
  int64_t row = warpRow(int64_t(shape.heads) * shape.seq);
  if (row < 0)
    return;
  int64_t head = row / shape.seq * shape.keys;
  int visible = visibleKeys(row, shape);
  LaneRow q, slope, k, v, dq;
  q.load(args.q + row * shape.size, shape.size);
  slope.load(args.dO + row * shape.size, shape.size);
  dq.clear();
  for (int j = 0; j < visible; ++j) {
    k.load(args.k + (head + j) * shape.size, shape.size);
    v.load(args.v + (head + j) * shape.size, shape.size);
    float p = expf(q.dot(k) * shape.factor - args.lse[row]);
    dq.add(k, p * (slope.dot(v) - args.delta[row]) * shape.factor);
  }
  dq.store(args.dq + row * shape.size, shape.size, 1.0f);
}

template <typename T>
__global__ void keyRowsKernel(AttentionBackwardArgs<T> args,
                              AttentionShape shape) {
  int64_t row = warpRow(int64_t(shape.heads) * shape.keys);
  if (row < 0)
    return;
  int64_t head = row / shape.keys * shape.seq;
  // The first query that sees this key.
  int first =
      shape.causal ? int(row % shape.keys) - (shape.keys - shape.seq) : 0;
  LaneRow k, v, q, slope, dk, dv;
  k.load(args.k + row * shape.size, shape.size);
  v.load(args.v + row * shape.size, shape.size);
  dk.clear();
  dv.clear();
  for (int64_t i = head + (first > 0 ? first : 0); i < head + shape.seq; ++i) {
    q.load(args.q + i * shape.size, shape.size);
    slope.load(args.dO + i * shape.size, shape.size);
    float p = expf(q.dot(k) * shape.factor - args.lse[i]);
    dv.add(slope, p);
    dk.add(q, p * (slope.dot(v) - args.delta[i]) * shape.factor);
  }
  dk.store(args.dk + row * shape.size, shape.size, 1.0f);
  dv.store(args.dv + row * shape.size, shape.size, 1.0f);
}

/// One warp per query (or key) of every head.
LaunchShape rowsShape(const AttentionShape &shape, int perHead) {
  int64_t rows = int64_t(shape.heads) * perHead;
  return {dim3(unsigned((rows + kRowWarps - 1) / kRowWarps)),
          dim3(kRowWarps * 32), 0};
}

} // namespace

template <typename T>
Launcher attentionRows(const AttentionForwardArgs<T> &args,
                       const AttentionShape &shape) {
  return [=](cudaStream_t stream) {
    launch("attention_rows", forwardRowsKernel<T>, rowsShape(shape, shape.seq),
           stream, args, shape);
  };
}

template <typename T>
void launchDelta(const AttentionBackwardArgs<T> &args,
                 const AttentionShape &shape, cudaStream_t stream) {
  launch("attention_delta", deltaKernel<T>, rowsShape(shape, shape.seq), stream,
         args, shape);
}

template <typename T>
Launcher attentionRowsBackward(const AttentionBackwardArgs<T> &args,
                               const AttentionShape &shape) {
  return [=](cudaStream_t stream) {
    launchDelta(args, shape, stream);
    launch("attention_rows_query", queryRowsKernel<T>,
           rowsShape(shape, shape.seq), stream, args, shape);
    launch("attention_rows_key", keyRowsKernel<T>, rowsShape(shape, shape.keys),
           stream, args, shape);
  };
}

#define RINGI_INSTANTIATE(T)                                                   \
  template Launcher attentionRows(const AttentionForwardArgs<T> &,             \
                                  const AttentionShape &);                     \
  template Launcher attentionRowsBackward(const AttentionBackwardArgs<T> &,    \
                                          const AttentionShape &);             \
  template void launchDelta(const AttentionBackwardArgs<T> &,                  \
                            const AttentionShape &, cudaStream_t);
RINGI_INSTANTIATE(float)
RINGI_INSTANTIATE(BFloat16)
RINGI_INSTANTIATE(Float16)
#undef RINGI_INSTANTIATE

} // namespace ringi::cuda
