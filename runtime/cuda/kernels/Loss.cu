//===- Loss.cu - Cross-entropy from logits, mean squared error --*- C++ -*-===//
//
// Part of Ringi. Cross-entropy saves one log-sum-exp per row; its gradient is
// written over the logits. Means are summed in an order fixed by the shapes.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "BlockReduce.h"
#include "Vector.h"

#include "ringi/Program/KernelWorkspace.h"

namespace ringi::cuda {

namespace {

using program::ElementType;
using program::OpKind;
using runtime::OpCall;

inline constexpr int kLossThreads = 256;
inline constexpr LaunchShape kOneBlock{dim3(1), dim3(kLossThreads),
                                       kReduceFloats * sizeof(float)};

template <typename T>
__global__ void logSumExpKernel(const T *logits, float *lse, int64_t columns) {
  RINGI_SHARED_MEMORY(float, scratch);
  const T *in = logits + int64_t(blockIdx.x) * columns;
  float top = -INFINITY, sum = 0.0f;
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x) {
    float value = toFloat(in[j]);
    if (value > top) {
      sum *= expf(top - value);
      top = value;
    }
    sum += expf(value - top);
  }
  float rowTop = blockReduce(top, scratch, MaxOf());
  sum = blockReduce(top == -INFINITY ? 0.0f : sum * expf(top - rowTop), scratch,
                    SumOf());
  if (threadIdx.x == 0)
    lse[blockIdx.x] = rowTop + logf(sum);
}

/// Mean over rows of lse - logit[target], in one block.
template <typename T, typename Index>
__global__ void crossEntropyMeanKernel(const T *logits, const Index *targets,
                                       const float *lse, float *loss,
                                       int64_t rows, int64_t columns) {
  RINGI_SHARED_MEMORY(float, scratch);
  float sum = 0.0f;
  for (int64_t row = threadIdx.x; row < rows; row += blockDim.x) {
    // A target outside the vocabulary makes the loss NaN, as on the host.
    auto target = int64_t(targets[row]);
    sum += target >= 0 && target < columns
               ? lse[row] - toFloat(logits[row * columns + target])
               : NAN;
  }
  sum = blockReduce(sum, scratch, SumOf());
  if (threadIdx.x == 0)
    loss[0] = sum / float(rows);
}

template <typename T, int Width, typename Index>
__global__ void crossEntropyBackwardKernel(const float *dloss, const T *logits,
                                           const Index *targets,
                                           const float *lse, T *dlogits,
                                           int64_t elements, int64_t columns,
                                           float inverseRows) {
  int64_t i = globalThread() * Width;
  if (i >= elements)
    return;
  using V = Vector<T, Width>;
  V in = *reinterpret_cast<const V *>(logits + i), out;
  int64_t row = i / columns, column = i % columns;
  float scale = dloss[0] * inverseRows;
  for (int k = 0; k < Width; ++k) {
    float probability = expf(toFloat(in.element[k]) - lse[row]);
    float hit = column == int64_t(targets[row]) ? 1.0f : 0.0f;
    out.element[k] = fromFloat<T>((probability - hit) * scale);
    if (++column == columns) {
      column = 0;
      ++row;
    }
  }
  *reinterpret_cast<V *>(dlogits + i) = out;
}

/// One block per group; the group's squared differences in a fixed order.
template <typename T>
__global__ void msePartialsKernel(const T *prediction, const T *target,
                                  float *partials, int64_t elements,
                                  int64_t perGroup) {
  RINGI_SHARED_MEMORY(float, scratch);
  int64_t group = blockIdx.x;
  int64_t end =
      (group + 1) * perGroup < elements ? (group + 1) * perGroup : elements;
  float sum = 0.0f;
  for (int64_t i = group * perGroup + threadIdx.x; i < end; i += blockDim.x) {
    float d = toFloat(prediction[i]) - toFloat(target[i]);
    sum += d * d;
  }
  sum = blockReduce(sum, scratch, SumOf());
  if (threadIdx.x == 0)
    partials[group] = sum;
}

__global__ void mseMeanKernel(const float *partials, float *loss,
                              int64_t groups, int64_t elements) {
  float sum = 0.0f;
  for (int64_t group = 0; group < groups; ++group)
    sum += partials[group];
  loss[0] = sum / float(elements);
}

template <typename T>
__global__ void mseBackwardKernel(const float *dloss, const T *prediction,
                                  const T *target, T *dprediction,
                                  int64_t elements, float factor) {
  int64_t i = globalThread();
  if (i < elements)
    dprediction[i] = fromFloat<T>(
        dloss[0] * factor * (toFloat(prediction[i]) - toFloat(target[i])));
}

template <typename T, typename Index>
Launcher bindCrossEntropy(const OpCall &call) {
  const T *logits = pointer<T>(call.operands[0]);
  const Index *targets = pointer<Index>(call.operands[1]);
  auto *loss = pointer<float>(call.results[0]);
  auto *lse = pointer<float>(call.results[1]);
  int64_t rows = call.operands[0].rows(), columns = call.operands[0].columns();
  LaunchShape rowShape{dim3(unsigned(rows)), dim3(rowThreads(columns)),
                       kReduceFloats * sizeof(float)};
  return [=](cudaStream_t stream) {
    launch("log_sum_exp", logSumExpKernel<T>, rowShape, stream, logits, lse,
           columns);
    launch("cross_entropy", crossEntropyMeanKernel<T, Index>, kOneBlock, stream,
           logits, targets, lse, loss, rows, columns);
  };
}

template <typename T, typename Index>
Launcher bindCrossEntropyBackward(const OpCall &call) {
  const auto *dloss = pointer<float>(call.operands[0]);
  const T *logits = pointer<T>(call.operands[1]);
  const Index *targets = pointer<Index>(call.operands[2]);
  const auto *lse = pointer<float>(call.operands[3]);
  T *dlogits = pointer<T>(call.results[0]);
  int64_t n = call.operands[1].elements();
  int64_t columns = call.operands[1].columns();
  float inverseRows = 1.0f / float(call.operands[1].rows());
  if (canVectorize<T>(n, {logits, dlogits}))
    return [=](cudaStream_t stream) {
      constexpr int width = kVectorWidth<T>;
      launch("cross_entropy_backward",
             crossEntropyBackwardKernel<T, width, Index>, mapShape(n, width),
             stream, dloss, logits, targets, lse, dlogits, n, columns,
             inverseRows);
    };
  return [=](cudaStream_t stream) {
    launch("cross_entropy_backward", crossEntropyBackwardKernel<T, 1, Index>,
           mapShape(n, 1), stream, dloss, logits, targets, lse, dlogits, n,
           columns, inverseRows);
  };
}

template <typename T> Launcher bindMse(const OpCall &call) {
  const T *prediction = pointer<T>(call.operands[0]);
  const T *target = pointer<T>(call.operands[1]);
  auto *loss = pointer<float>(call.results[0]);
  auto *partials = static_cast<float *>(call.workspace);
  int64_t n = call.operands[0].elements();
  int64_t groups = program::reductionGroups(n, 1);
  int64_t perGroup = groups ? (n - 1) / groups + 1 : 0;
  LaunchShape shape{dim3(unsigned(groups)), dim3(kLossThreads),
                    kReduceFloats * sizeof(float)};
  return [=](cudaStream_t stream) {
    launch("mse_partials", msePartialsKernel<T>, shape, stream, prediction,
           target, partials, n, perGroup);
    launch("mse", mseMeanKernel, LaunchShape{dim3(1), dim3(1), 0}, stream,
           partials, loss, groups, n);
  };
}

template <typename T> Launcher bindMseBackward(const OpCall &call) {
  const auto *dloss = pointer<float>(call.operands[0]);
  const T *prediction = pointer<T>(call.operands[1]);
  const T *target = pointer<T>(call.operands[2]);
  T *dprediction = pointer<T>(call.results[0]);
  int64_t n = call.operands[1].elements();
  float factor = 2.0f / float(n);
  return [=](cudaStream_t stream) {
    launch("mse_backward", mseBackwardKernel<T>, mapShape(n, 1), stream, dloss,
           prediction, target, dprediction, n, factor);
  };
}

template <typename T> Launcher bindTyped(const OpCall &call) {
  bool wide = false;
  for (const runtime::TensorRef &operand : call.operands)
    wide |= operand.type == ElementType::I64;
  switch (call.kind) {
  case OpKind::CrossEntropy:
    return wide ? bindCrossEntropy<T, int64_t>(call)
                : bindCrossEntropy<T, int32_t>(call);
  case OpKind::CrossEntropyBackward:
    return wide ? bindCrossEntropyBackward<T, int64_t>(call)
                : bindCrossEntropyBackward<T, int32_t>(call);
  case OpKind::Mse:
    return bindMse<T>(call);
  default:
    return bindMseBackward<T>(call);
  }
}

} // namespace

Expected<Launcher> bindLoss(const OpCall &call) {
  bool backward = call.kind == OpKind::CrossEntropyBackward ||
                  call.kind == OpKind::MseBackward;
  return dispatchFloat(call, call.operands[backward ? 1 : 0].type,
                       [&](auto zero) -> Expected<Launcher> {
                         return bindTyped<decltype(zero)>(call);
                       });
}

} // namespace ringi::cuda
