//===- Norm.cu - Layer norm and RMS norm ------------------------*- C++ -*-===//
//
// Part of Ringi. Forward: one block per row, statistics in two passes.
// Backward: parameter gradients first (partial sums per group of rows in the
// workspace, then the groups in order), the input gradient last, since it may
// be written over dy.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "BlockReduce.h"

#include "ringi/Program/KernelWorkspace.h"

namespace ringi::cuda {

namespace {

using program::OpKind;
using runtime::OpCall;

/// `Centered` tells layer norm (mean, rstd, beta) from RMS norm (rstd only).
template <typename T, bool Centered>
__global__ void normKernel(const T *x, const T *gamma, const T *beta, T *y,
                           float *mean, float *rstd, int64_t columns,
                           float epsilon) {
  RINGI_SHARED_MEMORY(float, scratch);
  int64_t row = blockIdx.x;
  const T *in = x + row * columns;
  T *out = y + row * columns;
  float center = 0.0f;
  if (Centered) {
    for (int64_t j = threadIdx.x; j < columns; j += blockDim.x)
      center += toFloat(in[j]);
    center = blockReduce(center, scratch, SumOf()) / float(columns);
  }
  float squares = 0.0f;
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x) {
    float d = toFloat(in[j]) - center;
    squares += d * d;
  }
  squares = blockReduce(squares, scratch, SumOf());
  float scale = 1.0f / sqrtf(squares / float(columns) + epsilon);
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x) {
    float value = (toFloat(in[j]) - center) * scale * toFloat(gamma[j]);
    if (Centered)
      value += toFloat(beta[j]);
    out[j] = fromFloat<T>(value);
  }
  if (threadIdx.x == 0) {
    if (Centered)
      mean[row] = center;
    rstd[row] = scale;
  }
}

inline constexpr int kColumnThreads = 128;

/// Partial gradients of gamma (and beta) over one group of rows: one thread per
/// column, rows in order.
template <typename T, bool Centered>
__global__ void normPartialsKernel(const T *dy, const T *x, const float *mean,
                                   const float *rstd, float *partials,
                                   int64_t rows, int64_t columns,
                                   int64_t perGroup) {
  int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= columns)
    return;
  int64_t group = blockIdx.y, groups = gridDim.y;
  int64_t end = (group + 1) * perGroup < rows ? (group + 1) * perGroup : rows;
  float dgamma = 0.0f, dbeta = 0.0f;
  for (int64_t row = group * perGroup; row < end; ++row) {
    float slope = toFloat(dy[row * columns + column]);
    float center = Centered ? mean[row] : 0.0f;
    dgamma += slope * (toFloat(x[row * columns + column]) - center) * rstd[row];
    dbeta += slope;
  }
  partials[group * columns + column] = dgamma;
  if (Centered)
    partials[(groups + group) * columns + column] = dbeta;
}

template <typename T, bool Centered>
__global__ void normGatherKernel(const float *partials, T *dgamma, T *dbeta,
                                 int64_t columns, int64_t groups) {
  int64_t column = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= columns)
    return;
  float gammaSum = 0.0f, betaSum = 0.0f;
  for (int64_t group = 0; group < groups; ++group) {
    gammaSum += partials[group * columns + column];
    if (Centered)
      betaSum += partials[(groups + group) * columns + column];
  }
  dgamma[column] = fromFloat<T>(gammaSum);
  if (Centered)
    dbeta[column] = fromFloat<T>(betaSum);
}

template <typename T, bool Centered>
__global__ void normInputKernel(const T *dy, const T *x, const T *gamma,
                                const float *mean, const float *rstd, T *dx,
                                int64_t columns) {
  RINGI_SHARED_MEMORY(float, scratch);
  int64_t row = blockIdx.x, start = row * columns;
  float center = Centered ? mean[row] : 0.0f, scale = rstd[row];
  float slopeSum = 0.0f, projection = 0.0f;
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x) {
    float slope = toFloat(dy[start + j]) * toFloat(gamma[j]);
    slopeSum += slope;
    projection += slope * (toFloat(x[start + j]) - center) * scale;
  }
  projection = blockReduce(projection, scratch, SumOf()) / float(columns);
  slopeSum = Centered ? blockReduce(slopeSum, scratch, SumOf()) / float(columns)
                      : 0.0f;
  for (int64_t j = threadIdx.x; j < columns; j += blockDim.x) {
    float slope = toFloat(dy[start + j]) * toFloat(gamma[j]);
    float normal = (toFloat(x[start + j]) - center) * scale;
    dx[start + j] =
        fromFloat<T>((slope - slopeSum - normal * projection) * scale);
  }
}

LaunchShape rowShape(const runtime::TensorRef &tensor) {
  return {dim3(unsigned(tensor.rows())), dim3(rowThreads(tensor.columns())),
          kReduceFloats * sizeof(float)};
}

template <typename T, bool Centered> Launcher bindForward(const OpCall &call) {
  const T *x = pointer<T>(call.operands[0]);
  const T *gamma = pointer<T>(call.operands[1]);
  const T *beta = Centered ? pointer<T>(call.operands[2]) : nullptr;
  T *y = pointer<T>(call.results[0]);
  float *mean = Centered ? pointer<float>(call.results[1]) : nullptr;
  float *rstd = pointer<float>(call.results[Centered ? 2 : 1]);
  int64_t columns = call.operands[0].columns();
  auto epsilon = float(call.attributes->epsilon);
  LaunchShape shape = rowShape(call.operands[0]);
  return [=](cudaStream_t stream) {
    launch("norm", normKernel<T, Centered>, shape, stream, x, gamma, beta, y,
           mean, rstd, columns, epsilon);
  };
}

template <typename T, bool Centered> Launcher bindBackward(const OpCall &call) {
  const T *dy = pointer<T>(call.operands[0]);
  const T *x = pointer<T>(call.operands[1]);
  const T *gamma = pointer<T>(call.operands[2]);
  const float *mean = Centered ? pointer<float>(call.operands[3]) : nullptr;
  const float *rstd = pointer<float>(call.operands[Centered ? 4 : 3]);
  T *dx = pointer<T>(call.results[0]);
  T *dgamma = pointer<T>(call.results[1]);
  T *dbeta = Centered ? pointer<T>(call.results[2]) : nullptr;
  auto *partials = static_cast<float *>(call.workspace);
  int64_t rows = call.operands[0].rows(), columns = call.operands[0].columns();
  int64_t groups = program::reductionGroups(rows, columns);
  int64_t perGroup = groups ? (rows - 1) / groups + 1 : 0;
  auto blocks = unsigned((columns + kColumnThreads - 1) / kColumnThreads);
  LaunchShape partialShape{dim3(blocks, unsigned(groups)), dim3(kColumnThreads),
                           0};
  LaunchShape gatherShape{dim3(blocks), dim3(kColumnThreads), 0};
  LaunchShape inputShape = rowShape(call.operands[0]);
  return [=](cudaStream_t stream) {
    launch("norm_backward_partials", normPartialsKernel<T, Centered>,
           partialShape, stream, dy, x, mean, rstd, partials, rows, columns,
           perGroup);
    launch("norm_backward_gather", normGatherKernel<T, Centered>, gatherShape,
           stream, partials, dgamma, dbeta, columns, groups);
    launch("norm_backward_input", normInputKernel<T, Centered>, inputShape,
           stream, dy, x, gamma, mean, rstd, dx, columns);
  };
}

} // namespace

Expected<Launcher> bindNorm(const OpCall &call) {
  return dispatchFloat(call, call.results[0].type,
                       [&](auto zero) -> Expected<Launcher> {
                         using T = decltype(zero);
                         switch (call.kind) {
                         case OpKind::LayerNorm:
                           return bindForward<T, true>(call);
                         case OpKind::RmsNorm:
                           return bindForward<T, false>(call);
                         case OpKind::LayerNormBackward:
                           return bindBackward<T, true>(call);
                         default:
                           return bindBackward<T, false>(call);
                         }
                       });
}

} // namespace ringi::cuda
