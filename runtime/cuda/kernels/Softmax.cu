//===- Softmax.cu - Softmax over the last dimension -------------*- C++ -*-===//
//
// Part of Ringi. One block per row. The forward pass reads the row twice
// (maximum and sum together, rescaling as the maximum grows; then the result),
// the backward pass twice. Both may run in place.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "BlockReduce.h"

namespace ringi::cuda {

namespace {

using program::OpKind;
using runtime::OpCall;

/// Columns of row `row` that are not masked; queries are aligned to the last
/// keys.
__device__ __forceinline__ int64_t visibleColumns(int64_t row, int64_t queries,
                                                  int64_t columns,
                                                  bool causal) {
  if (!causal)
    return columns;
  int64_t visible = row % queries + columns - queries + 1;
  return visible < 0 ? 0 : visible < columns ? visible : columns;
}

template <typename T>
__global__ void softmaxKernel(const T *x, T *y, int64_t columns,
                              int64_t queries, bool causal) {
  RINGI_SHARED_MEMORY(float, scratch);
  int64_t row = blockIdx.x;
  const T *in = x + row * columns;
  T *out = y + row * columns;
  int64_t visible = visibleColumns(row, queries, columns, causal);

  float top = -INFINITY, sum = 0.0f;
  for (int64_t j = threadIdx.x; j < visible; j += blockDim.x) {
    float value = toFloat(in[j]);
    if (value > top) {
      sum *= expf(top - value);
      top = value;
    }
    sum += expf(value - top);
  }
  float rowTop = blockReduce(top, scratch, MaxOf());
  // A thread without a finite value adds nothing; -inf - -inf would be NaN.
  sum = blockReduce(top == -INFINITY ? 0.0f : sum * expf(top - rowTop), scratch,
                    SumOf());
  float scale = 1.0f / sum;
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x)
    out[j] = fromFloat<T>(j < visible ? expf(toFloat(in[j]) - rowTop) * scale
                                      : 0.0f);
}

template <typename T>
__global__ void softmaxBackwardKernel(const T *dy, const T *y, T *dx,
                                      int64_t columns) {
  RINGI_SHARED_MEMORY(float, scratch);
  int64_t start = int64_t(blockIdx.x) * columns;
  float dot = 0.0f;
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x)
    dot += toFloat(dy[start + j]) * toFloat(y[start + j]);
  dot = blockReduce(dot, scratch, SumOf());
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x)
    dx[start + j] =
        fromFloat<T>(toFloat(y[start + j]) * (toFloat(dy[start + j]) - dot));
}

} // namespace

Expected<Launcher> bindSoftmax(const OpCall &call) {
  const runtime::TensorRef &shape = call.results[0];
  int64_t rows = shape.rows(), columns = shape.columns();
  LaunchShape launchShape{dim3(unsigned(rows)), dim3(rowThreads(columns)),
                          kReduceFloats * sizeof(float)};
  return dispatchFloat(call, shape.type, [&](auto zero) -> Expected<Launcher> {
    using T = decltype(zero);
    const T *first = pointer<T>(call.operands[0]);
    T *result = pointer<T>(call.results[0]);
    if (call.kind == OpKind::Softmax) {
      bool causal = call.attributes->causal;
      int64_t queries = shape.rank > 1 ? shape.shape[shape.rank - 2] : 1;
      return Launcher([=](cudaStream_t stream) {
        launch("softmax", softmaxKernel<T>, launchShape, stream, first, result,
               columns, queries, causal);
      });
    }
    const T *y = pointer<T>(call.operands[1]);
    return Launcher([=](cudaStream_t stream) {
      launch("softmax_backward", softmaxBackwardKernel<T>, launchShape, stream,
             first, y, result, columns);
    });
  });
}

} // namespace ringi::cuda
