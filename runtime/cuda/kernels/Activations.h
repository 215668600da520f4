//===- Activations.h - Scalar formulas of the elementwise ops ---*- C++ -*-===//
//
// Part of Ringi. One functor per formula of docs/operations.md, computed in
// f32. Unary functors take x; backward functors take (dy, saved).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_ACTIVATIONS_H
#define RINGI_CUDA_KERNELS_ACTIVATIONS_H

#include "../Portable.h"

#include <cmath>

namespace ringi::cuda {

struct ScaleBy {
  float factor;
  __device__ float operator()(float x) const { return x * factor; }
};

struct Identity {
  __device__ float operator()(float x) const { return x; }
};

struct Relu {
  __device__ float operator()(float x) const { return x < 0.0f ? 0.0f : x; }
};

struct ReluBackward {
  __device__ float operator()(float dy, float y) const {
    return y > 0.0f ? dy : 0.0f;
  }
};

inline constexpr float kInvSqrt2 = 0.70710678118654752f;
inline constexpr float kInvSqrt2Pi = 0.39894228040143268f;
inline constexpr float kSqrt2OverPi = 0.79788456080286536f;
inline constexpr float kGeluCubic = 0.044715f;

struct GeluErf {
  __device__ float operator()(float x) const {
    return 0.5f * x * (1.0f + erff(x * kInvSqrt2));
  }
};

struct GeluErfBackward {
  __device__ float operator()(float dy, float x) const {
    float cdf = 0.5f * (1.0f + erff(x * kInvSqrt2));
    float pdf = kInvSqrt2Pi * expf(-0.5f * x * x);
    return dy * (cdf + x * pdf);
  }
};

struct GeluTanh {
  __device__ float operator()(float x) const {
    float inner = kSqrt2OverPi * (x + kGeluCubic * x * x * x);
    return 0.5f * x * (1.0f + tanhf(inner));
  }
};

struct GeluTanhBackward {
  __device__ float operator()(float dy, float x) const {
    float inner = kSqrt2OverPi * (x + kGeluCubic * x * x * x);
    float t = tanhf(inner);
    float slope = kSqrt2OverPi * (1.0f + 3.0f * kGeluCubic * x * x);
    return dy * (0.5f * (1.0f + t) + 0.5f * x * (1.0f - t * t) * slope);
  }
};

__device__ __forceinline__ float logistic(float x) {
  return 1.0f / (1.0f + expf(-x));
}

struct Silu {
  __device__ float operator()(float x) const { return x * logistic(x); }
};

struct SiluBackward {
  __device__ float operator()(float dy, float x) const {
    float s = logistic(x);
    return dy * s * (1.0f + x * (1.0f - s));
  }
};

struct Tanh {
  __device__ float operator()(float x) const { return tanhf(x); }
};

struct TanhBackward {
  __device__ float operator()(float dy, float y) const {
    return dy * (1.0f - y * y);
  }
};

struct Sigmoid {
  __device__ float operator()(float x) const { return logistic(x); }
};

struct SigmoidBackward {
  __device__ float operator()(float dy, float y) const {
    return dy * y * (1.0f - y);
  }
};

struct Exp {
  __device__ float operator()(float x) const { return expf(x); }
};

struct AddTwo {
  __device__ float operator()(float a, float b) const { return a + b; }
};

struct MulTwo {
  __device__ float operator()(float a, float b) const { return a * b; }
};

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_ACTIVATIONS_H
