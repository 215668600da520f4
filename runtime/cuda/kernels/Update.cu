//===- Update.cu - SGD, momentum and AdamW in place -------------*- C++ -*-===//
//
// Part of Ringi. Step number and learning rate are read from the arena, so that
// a captured graph serves every step. State is f32; a parameter in bf16 or f16
// is rounded once per update, from its f32 master copy when there is one.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "Vector.h"

#include <cmath>

namespace ringi::cuda {

namespace {

using program::OpKind;
using runtime::OpCall;

struct AdamSettings {
  float beta1, beta2, epsilon, weightDecay;
};

/// Elements per thread of adamw: its bias corrections are powers in double
/// precision, which one thread of a block computes for all of its elements.
inline constexpr int kAdamElements = 8;

template <typename T>
__global__ void sgdKernel(T *parameter, const T *gradient, const float *rate,
                          int64_t elements, float weightDecay) {
  int64_t i = globalThread();
  if (i >= elements)
    return;
  float p = toFloat(parameter[i]);
  parameter[i] =
      fromFloat<T>(p - rate[0] * (toFloat(gradient[i]) + weightDecay * p));
}

template <typename T>
__global__ void momentumKernel(T *parameter, const T *gradient, float *buffer,
                               const float *rate, int64_t elements,
                               float momentum, float weightDecay,
                               bool nesterov) {
  int64_t i = globalThread();
  if (i >= elements)
    return;
  float p = toFloat(parameter[i]);
  float slope = toFloat(gradient[i]) + weightDecay * p;
  float moved = momentum * buffer[i] + slope;
  buffer[i] = moved;
  float direction = nesterov ? slope + momentum * moved : moved;
  parameter[i] = fromFloat<T>(p - rate[0] * direction);
}

template <typename T>
__global__ void adamwKernel(T *parameter, const T *gradient, float *first,
                            float *second, const int64_t *step,
                            const float *rate, float *master, int64_t elements,
                            AdamSettings settings) {
  RINGI_SHARED_MEMORY(float, corrections);
  if (threadIdx.x == 0) {
    auto t = double(step[0]);
    corrections[0] = float(1.0 - pow(double(settings.beta1), t));
    corrections[1] = float(sqrt(1.0 - pow(double(settings.beta2), t)));
  }
  __syncthreads();
  float correction1 = corrections[0], correction2 = corrections[1];
  int64_t start = int64_t(blockIdx.x) * blockDim.x * kAdamElements;
  for (int k = 0; k < kAdamElements; ++k) {
    int64_t i = start + k * int64_t(blockDim.x) + threadIdx.x;
    if (i >= elements)
      return;
    float g = toFloat(gradient[i]);
    float p = master ? master[i] : toFloat(parameter[i]);
    float m = settings.beta1 * first[i] + (1.0f - settings.beta1) * g;
    float v = settings.beta2 * second[i] + (1.0f - settings.beta2) * g * g;
    first[i] = m;
    second[i] = v;
    p -= rate[0] * settings.weightDecay * p;
    p -=
        rate[0] / correction1 * m / (sqrtf(v) / correction2 + settings.epsilon);
    if (master)
      master[i] = p;
    parameter[i] = fromFloat<T>(p);
  }
}

template <typename T> Launcher bindTyped(const OpCall &call) {
  T *parameter = pointer<T>(call.results[0]);
  const T *gradient = pointer<T>(call.operands[1]);
  int64_t n = call.results[0].elements();
  const program::AttributesT &attributes = *call.attributes;
  auto weightDecay = float(attributes.weight_decay);
  LaunchShape shape = mapShape(n, 1);
  if (call.kind == OpKind::Sgd) {
    const auto *rate = pointer<float>(call.operands[2]);
    return [=](cudaStream_t stream) {
      launch("sgd", sgdKernel<T>, shape, stream, parameter, gradient, rate, n,
             weightDecay);
    };
  }
  if (call.kind == OpKind::Momentum) {
    auto *buffer = pointer<float>(call.results[1]);
    const auto *rate = pointer<float>(call.operands[3]);
    auto momentum = float(attributes.momentum);
    bool nesterov = attributes.nesterov;
    return [=](cudaStream_t stream) {
      launch("momentum", momentumKernel<T>, shape, stream, parameter, gradient,
             buffer, rate, n, momentum, weightDecay, nesterov);
    };
  }
  auto *first = pointer<float>(call.results[1]);
  auto *second = pointer<float>(call.results[2]);
  const auto *step = pointer<int64_t>(call.operands[4]);
  const auto *rate = pointer<float>(call.operands[5]);
  float *master =
      call.results.size() > 3 ? pointer<float>(call.results[3]) : nullptr;
  AdamSettings settings{float(attributes.beta1), float(attributes.beta2),
                        float(attributes.epsilon), weightDecay};
  shape = mapShape(n, kAdamElements);
  shape.sharedBytes = 2 * sizeof(float);
  return [=](cudaStream_t stream) {
    launch("adamw", adamwKernel<T>, shape, stream, parameter, gradient, first,
           second, step, rate, master, n, settings);
  };
}

} // namespace

Expected<Launcher> bindUpdate(const OpCall &call) {
  return dispatchFloat(call, call.results[0].type,
                       [&](auto zero) -> Expected<Launcher> {
                         return bindTyped<decltype(zero)>(call);
                       });
}

} // namespace ringi::cuda
