//===- Update.cpp - Optimizer updates in place ----------------------------===//
//
// Part of Ringi. SGD, momentum and AdamW (Loshchilov and Hutter, "Decoupled
// weight decay regularization", 2019) as docs/operations.md writes them, in S.
//
//===----------------------------------------------------------------------===//

#include "Kernels.h"
#include "Math.h"
#include "Parallel.h"

namespace ringi::runtime::RINGI_ISA {

namespace {

template <typename S> struct Chunk {
  const S *param, *grad;
  S *newParam;
};

/// Calls body(first, size, chunk): with a master copy the master is the
/// parameter and is then rounded into it.
template <typename S, typename Body>
void forChunks(const UpdateArgs &args, const Threads &threads, int64_t work,
               Body body) {
  parallelChunks(threads, args.count, work, [&](int64_t first, int64_t size) {
    S left[kChunk], right[kChunk], to[kChunk];
    Chunk<S> chunk;
    chunk.param = args.master
                      ? static_cast<const S *>(args.master) + first
                      : readChunk<S>(args.type, args.param, first, size, left);
    chunk.grad = readChunk<S>(args.type, args.grad, first, size, right);
    S *direct = resultChunk<S>(args.type, args.newParam, first, to);
    chunk.newParam =
        args.newMaster ? static_cast<S *>(args.newMaster) + first : direct;
    body(first, size, chunk);
    if (direct != to && direct != chunk.newParam)
      std::memcpy(direct, chunk.newParam,
                  sizeof(S) * static_cast<size_t>(size));
    storeChunk<S>(args.type, chunk.newParam, args.newParam, first, size);
  });
}

template <typename S> void sgd(const UpdateArgs &args, const Threads &threads) {
  const S rate = *static_cast<const S *>(args.rate);
  const S decay = S(args.weightDecay);
  forChunks<S>(args, threads, 1, [&](int64_t, int64_t size, const Chunk<S> &c) {
    RINGI_SIMD
    for (int64_t i = 0; i < size; ++i)
      c.newParam[i] = c.param[i] - rate * (c.grad[i] + decay * c.param[i]);
  });
}

template <typename S>
void momentum(const UpdateArgs &args, const Threads &threads) {
  const S rate = *static_cast<const S *>(args.rate);
  const S decay = S(args.weightDecay), mu = S(args.momentum);
  const S ahead = args.nesterov ? S(1) : S(0);
  forChunks<S>(
      args, threads, 1, [&](int64_t first, int64_t size, const Chunk<S> &c) {
        const S *buffer = static_cast<const S *>(args.state0) + first;
        S *newBuffer = static_cast<S *>(args.newState0) + first;
        RINGI_SIMD
        for (int64_t i = 0; i < size; ++i) {
          const S gradient = c.grad[i] + decay * c.param[i];
          const S moved = mu * buffer[i] + gradient;
          const S direction = ahead != S(0) ? gradient + mu * moved : moved;
          newBuffer[i] = moved;
          c.newParam[i] = c.param[i] - rate * direction;
        }
      });
}

template <typename S>
void adamw(const UpdateArgs &args, const Threads &threads) {
  int64_t step = 0;
  std::memcpy(&step, args.step, sizeof(step));
  const S rate = *static_cast<const S *>(args.rate);
  const S beta1 = S(args.beta1), beta2 = S(args.beta2);
  const S rest1 = S(1 - args.beta1), rest2 = S(1 - args.beta2);
  const S epsilon = S(args.epsilon), decay = S(args.weightDecay);
  const double t = static_cast<double>(step);
  const S correction1 = S(1 - ::pow(args.beta1, t));
  const S correction2 = rootOf(S(1 - ::pow(args.beta2, t)));
  const S stepSize = rate / correction1;
  forChunks<S>(
      args, threads, 4, [&](int64_t first, int64_t size, const Chunk<S> &c) {
        const S *m = static_cast<const S *>(args.state0) + first;
        const S *v = static_cast<const S *>(args.state1) + first;
        S *newM = static_cast<S *>(args.newState0) + first;
        S *newV = static_cast<S *>(args.newState1) + first;
        RINGI_SIMD
        for (int64_t i = 0; i < size; ++i) {
          const S gradient = c.grad[i];
          const S decayed = c.param[i] - rate * decay * c.param[i];
          const S first = beta1 * m[i] + rest1 * gradient;
          const S second = beta2 * v[i] + rest2 * (gradient * gradient);
          newM[i] = first;
          newV[i] = second;
          c.newParam[i] =
              decayed -
              stepSize * first / (rootOf(second) / correction2 + epsilon);
        }
      });
}

} // namespace

void update(const UpdateArgs &args, const Threads &threads) {
  withStatistics(args.type, [&](auto zero) {
    using S = decltype(zero);
    switch (args.rule) {
    case UpdateRule::Sgd:
      return sgd<S>(args, threads);
    case UpdateRule::Momentum:
      return momentum<S>(args, threads);
    case UpdateRule::AdamW:
      return adamw<S>(args, threads);
    }
  });
}

} // namespace ringi::runtime::RINGI_ISA
