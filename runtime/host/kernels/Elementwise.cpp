//===- Elementwise.cpp - One result element per operand element -----------===//
//
// Part of Ringi. Activations, their derivatives, add, mul, scale and fill. Work
// is cut into chunks of fixed size, so an element meets the same instruction
// whatever the number of threads.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Math.h"
#include "Parallel.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

template <typename S, typename Function>
void unary(const ElementwiseArgs &args, const Threads &threads, int64_t work,
           Function function) {
  parallelChunks(threads, args.count, work, [&](int64_t first, int64_t count) {
    S from[kChunk], to[kChunk];
    const S *a = readChunk<S>(args.type, args.a, first, count, from);
    S *out = resultChunk<S>(args.type, args.out, first, to);
    RINGI_SIMD
    for (int64_t i = 0; i < count; ++i)
      out[i] = function(a[i]);
    storeChunk<S>(args.type, out, args.out, first, count);
  });
}

template <typename S, typename Function>
void binary(const ElementwiseArgs &args, const Threads &threads, int64_t work,
            Function function) {
  parallelChunks(threads, args.count, work, [&](int64_t first, int64_t count) {
    S left[kChunk], right[kChunk], to[kChunk];
    const S *a = readChunk<S>(args.type, args.a, first, count, left);
    S *out = resultChunk<S>(args.type, args.out, first, to);
    // A run of b ends where b starts over.
    for (int64_t done = 0; done < count;) {
      const int64_t at = (first + done) % args.period;
      const int64_t run = least(count - done, args.period - at);
      const S *b = readChunk<S>(args.type, args.b, at, run, right);
      if (args.period == 1) {
        const S only = b[0];
        RINGI_SIMD
        for (int64_t i = 0; i < count; ++i)
          out[i] = function(a[i], only);
        break;
      }
      const S *part = a + done;
      S *result = out + done;
      RINGI_SIMD
      for (int64_t i = 0; i < run; ++i)
        result[i] = function(part[i], b[i]);
      done += run;
    }
    storeChunk<S>(args.type, out, args.out, first, count);
  });
}

/// Rough work per element: a load, or a polynomial.
constexpr int64_t kCheap = 1, kCostly = 8;

template <typename S>
void dispatch(const ElementwiseArgs &args, const Threads &threads) {
  const S factor = S(args.factor);
  switch (args.op) {
  case ElementwiseOp::Add:
    return binary<S>(args, threads, kCheap, [](S a, S b) { return a + b; });
  case ElementwiseOp::Mul:
    return binary<S>(args, threads, kCheap, [](S a, S b) { return a * b; });
  case ElementwiseOp::Scale:
    return unary<S>(args, threads, kCheap, [=](S a) { return a * factor; });
  case ElementwiseOp::Relu:
    // NaN stays: it is not below zero.
    return unary<S>(args, threads, kCheap,
                    [](S a) { return a <= S(0) ? S(0) : a; });
  case ElementwiseOp::ReluBackward:
    return binary<S>(args, threads, kCheap,
                     [](S dy, S y) { return y > S(0) ? dy : S(0); });
  case ElementwiseOp::GeluErf:
    return unary<S>(args, threads, kCostly, [](S a) { return geluErf(a); });
  case ElementwiseOp::GeluErfBackward:
    return binary<S>(args, threads, kCostly,
                     [](S dy, S x) { return dy * geluErfSlope(x); });
  case ElementwiseOp::GeluTanh:
    return unary<S>(args, threads, kCostly, [](S a) { return geluTanh(a); });
  case ElementwiseOp::GeluTanhBackward:
    return binary<S>(args, threads, kCostly,
                     [](S dy, S x) { return dy * geluTanhSlope(x); });
  case ElementwiseOp::Silu:
    return unary<S>(args, threads, kCostly, [](S a) { return siluOf(a); });
  case ElementwiseOp::SiluBackward:
    return binary<S>(args, threads, kCostly,
                     [](S dy, S x) { return dy * siluSlope(x); });
  case ElementwiseOp::Tanh:
    return unary<S>(args, threads, kCostly, [](S a) { return tanhOf(a); });
  case ElementwiseOp::TanhBackward:
    return binary<S>(args, threads, kCheap,
                     [](S dy, S y) { return dy * (S(1) - y * y); });
  case ElementwiseOp::Sigmoid:
    return unary<S>(args, threads, kCostly, [](S a) { return sigmoidOf(a); });
  case ElementwiseOp::SigmoidBackward:
    return binary<S>(args, threads, kCheap,
                     [](S dy, S y) { return dy * y * (S(1) - y); });
  case ElementwiseOp::Exp:
    return unary<S>(args, threads, kCostly, [](S a) { return expOf(a); });
  case ElementwiseOp::Fill:
    return;
  }
}

template <typename S>
void fill(const ElementwiseArgs &args, const Threads &threads) {
  parallelChunks(threads, args.count, kCheap,
                 [&](int64_t first, int64_t count) {
                   S to[kChunk];
                   S *out = resultChunk<S>(args.type, args.out, first, to);
                   for (int64_t i = 0; i < count; ++i)
                     out[i] = S(args.factor);
                   storeChunk<S>(args.type, out, args.out, first, count);
                 });
}

} // namespace

void elementwise(const ElementwiseArgs &args, const Threads &threads) {
  withStatistics(args.type, [&](auto zero) {
    using S = decltype(zero);
    if (args.op == ElementwiseOp::Fill)
      fill<S>(args, threads);
    else
      dispatch<S>(args, threads);
  });
}

} // namespace ringi::runtime::RINGI_ISA
