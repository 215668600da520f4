//===- Elementwise.cu - Maps over one or two tensors ------------*- C++ -*-===//
//
// Part of Ringi. Three kernels (map, map of two, cast) carry every elementwise
// op; results may be written over an operand, since each thread reads its
// elements before it writes them.
//
//===----------------------------------------------------------------------===//

#include "Activations.h"
#include "Bind.h"
#include "Vector.h"

namespace ringi::cuda {

namespace {

using program::OpKind;
using runtime::OpCall;

template <typename T, int Width, typename F>
__global__ void mapKernel(const T *x, T *y, int64_t elements, F f) {
  int64_t i = globalThread() * Width;
  if (i >= elements)
    return;
  using V = Vector<T, Width>;
  V in = *reinterpret_cast<const V *>(x + i), out;
  for (int k = 0; k < Width; ++k)
    out.element[k] = fromFloat<T>(f(toFloat(in.element[k])));
  *reinterpret_cast<V *>(y + i) = out;
}

/// `b` repeats with `period` elements (a suffix broadcast); period == elements
/// when both shapes are equal.
template <typename T, int Width, typename F>
__global__ void mapTwoKernel(const T *a, const T *b, T *y, int64_t elements,
                             int64_t period, F f) {
  int64_t i = globalThread() * Width;
  if (i >= elements)
    return;
  using V = Vector<T, Width>;
  int64_t j = period == elements ? i : i % period;
  V left = *reinterpret_cast<const V *>(a + i);
  V right = *reinterpret_cast<const V *>(b + j), out;
  for (int k = 0; k < Width; ++k)
    out.element[k] =
        fromFloat<T>(f(toFloat(left.element[k]), toFloat(right.element[k])));
  *reinterpret_cast<V *>(y + i) = out;
}

template <typename From, typename To>
__global__ void castKernel(const From *x, To *y, int64_t elements) {
  int64_t i = globalThread();
  if (i < elements)
    y[i] = fromFloat<To>(toFloat(x[i]));
}

template <typename T>
__global__ void fillKernel(T *y, int64_t elements, float value) {
  int64_t i = globalThread();
  if (i < elements)
    y[i] = fromFloat<T>(value);
}

template <typename F>
Expected<Launcher> bindMap(const OpCall &call, const char *name, F f) {
  return dispatchFloat(
      call, call.results[0].type, [&](auto zero) -> Expected<Launcher> {
        using T = decltype(zero);
        const T *x = pointer<T>(call.operands[0]);
        T *y = pointer<T>(call.results[0]);
        int64_t n = call.results[0].elements();
        if (canVectorize<T>(n, {x, y}))
          return Launcher([=](cudaStream_t stream) {
            constexpr int width = kVectorWidth<T>;
            launch(name, mapKernel<T, width, F>, mapShape(n, width), stream, x,
                   y, n, f);
          });
        return Launcher([=](cudaStream_t stream) {
          launch(name, mapKernel<T, 1, F>, mapShape(n, 1), stream, x, y, n, f);
        });
      });
}

template <typename F>
Expected<Launcher> bindMapTwo(const OpCall &call, const char *name, F f) {
  return dispatchFloat(
      call, call.results[0].type, [&](auto zero) -> Expected<Launcher> {
        using T = decltype(zero);
        const T *a = pointer<T>(call.operands[0]);
        const T *b = pointer<T>(call.operands[1]);
        T *y = pointer<T>(call.results[0]);
        int64_t n = call.results[0].elements();
        int64_t period = call.operands[1].elements();
        if (canVectorize<T>(n, {a, b, y}) && period % kVectorWidth<T> == 0)
          return Launcher([=](cudaStream_t stream) {
            constexpr int width = kVectorWidth<T>;
            launch(name, mapTwoKernel<T, width, F>, mapShape(n, width), stream,
                   a, b, y, n, period, f);
          });
        return Launcher([=](cudaStream_t stream) {
          launch(name, mapTwoKernel<T, 1, F>, mapShape(n, 1), stream, a, b, y,
                 n, period, f);
        });
      });
}

Expected<Launcher> bindCast(const OpCall &call) {
  return dispatchFloat(
      call, call.operands[0].type, [&](auto from) -> Expected<Launcher> {
        return dispatchFloat(call, call.results[0].type,
                             [&](auto to) -> Expected<Launcher> {
                               using From = decltype(from);
                               using To = decltype(to);
                               const From *x = pointer<From>(call.operands[0]);
                               To *y = pointer<To>(call.results[0]);
                               int64_t n = call.results[0].elements();
                               return Launcher([=](cudaStream_t stream) {
                                 launch("cast", castKernel<From, To>,
                                        mapShape(n, 1), stream, x, y, n);
                               });
                             });
      });
}

Expected<Launcher> bindFill(const OpCall &call) {
  return dispatchFloat(
      call, call.results[0].type, [&](auto zero) -> Expected<Launcher> {
        using T = decltype(zero);
        T *y = pointer<T>(call.results[0]);
        int64_t n = call.results[0].elements();
        auto value = float(call.attributes->factor);
        return Launcher([=](cudaStream_t stream) {
          launch("fill", fillKernel<T>, mapShape(n, 1), stream, y, n, value);
        });
      });
}

} // namespace

Expected<Launcher> bindElementwise(const OpCall &call) {
  switch (call.kind) {
  case OpKind::Add:
    return bindMapTwo(call, "add", AddTwo());
  case OpKind::Mul:
    return bindMapTwo(call, "mul", MulTwo());
  case OpKind::Scale:
    return bindMap(call, "scale", ScaleBy{float(call.attributes->factor)});
  case OpKind::Relu:
    return bindMap(call, "relu", Relu());
  case OpKind::ReluBackward:
    return bindMapTwo(call, "relu_backward", ReluBackward());
  case OpKind::Gelu:
    return call.attributes->approximate_tanh
               ? bindMap(call, "gelu_tanh", GeluTanh())
               : bindMap(call, "gelu", GeluErf());
  case OpKind::GeluBackward:
    return call.attributes->approximate_tanh
               ? bindMapTwo(call, "gelu_tanh_backward", GeluTanhBackward())
               : bindMapTwo(call, "gelu_backward", GeluErfBackward());
  case OpKind::Silu:
    return bindMap(call, "silu", Silu());
  case OpKind::SiluBackward:
    return bindMapTwo(call, "silu_backward", SiluBackward());
  case OpKind::Tanh:
    return bindMap(call, "tanh", Tanh());
  case OpKind::TanhBackward:
    return bindMapTwo(call, "tanh_backward", TanhBackward());
  case OpKind::Sigmoid:
    return bindMap(call, "sigmoid", Sigmoid());
  case OpKind::SigmoidBackward:
    return bindMapTwo(call, "sigmoid_backward", SigmoidBackward());
  case OpKind::Exp:
    return bindMap(call, "exp", Exp());
  case OpKind::Cast:
    return bindCast(call);
  case OpKind::Fill:
    return bindFill(call);
  default:
    return Error::badInput(call.location + ": '" +
                           program::EnumNameOpKind(call.kind) +
                           "' is not an elementwise op");
  }
}

} // namespace ringi::cuda
