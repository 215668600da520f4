//===- Random.cu - Dropout and its stored mask ------------------*- C++ -*-===//
//
// Part of Ringi. A mask is a function of seed, random id, step and element
// index, so the backward op and every clone draw the same one. Four elements
// per thread: one Philox block.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "Philox.h"
#include "Vector.h"

namespace ringi::cuda {

namespace {

using program::OpKind;
using runtime::OpCall;

inline constexpr int kPerThread = 4;

/// The word from which on an element is kept; 2^32 keeps none.
uint64_t keepThreshold(double probability) {
  return uint64_t(probability * 4294967296.0);
}

template <typename T>
__global__ void dropoutKernel(const T *x, T *y, const int64_t *seed,
                              const int64_t *step, int64_t elements,
                              uint32_t id, uint64_t threshold, float keep) {
  int64_t block = globalThread(), first = block * kPerThread;
  if (first >= elements)
    return;
  uint32_t words[4];
  randomWords(makeStream(seed, step, id), uint64_t(block), words);
  for (int k = 0; k < kPerThread && first + k < elements; ++k)
    y[first + k] = fromFloat<T>(
        words[k] >= threshold ? toFloat(x[first + k]) / keep : 0.0f);
}

__global__ void dropoutMaskKernel(int8_t *mask, const int64_t *seed,
                                  const int64_t *step, int64_t elements,
                                  uint32_t id, uint64_t threshold) {
  int64_t block = globalThread(), first = block * kPerThread;
  if (first >= elements)
    return;
  uint32_t words[4];
  randomWords(makeStream(seed, step, id), uint64_t(block), words);
  for (int k = 0; k < kPerThread && first + k < elements; ++k)
    mask[first + k] = words[k] >= threshold;
}

template <typename T>
__global__ void dropoutApplyKernel(const T *x, const int8_t *mask, T *y,
                                   int64_t elements, float keep) {
  int64_t i = globalThread();
  if (i < elements)
    y[i] = fromFloat<T>(mask[i] ? toFloat(x[i]) / keep : 0.0f);
}

Launcher bindMask(const OpCall &call) {
  const auto *seed = pointer<int64_t>(call.operands[0]);
  const auto *step = pointer<int64_t>(call.operands[1]);
  auto *mask = pointer<int8_t>(call.results[0]);
  int64_t n = call.results[0].elements();
  auto id = uint32_t(call.attributes->random_id);
  uint64_t threshold = keepThreshold(call.attributes->probability);
  return [=](cudaStream_t stream) {
    launch("dropout_mask", dropoutMaskKernel, mapShape(n, kPerThread), stream,
           mask, seed, step, n, id, threshold);
  };
}

template <typename T> Launcher bindTyped(const OpCall &call) {
  const T *x = pointer<T>(call.operands[0]);
  T *y = pointer<T>(call.results[0]);
  int64_t n = call.results[0].elements();
  auto keep = 1.0f - float(call.attributes->probability);
  if (call.kind == OpKind::DropoutApply) {
    const auto *mask = pointer<int8_t>(call.operands[1]);
    return [=](cudaStream_t stream) {
      launch("dropout_apply", dropoutApplyKernel<T>, mapShape(n, 1), stream, x,
             mask, y, n, keep);
    };
  }
  const auto *seed = pointer<int64_t>(call.operands[1]);
  const auto *step = pointer<int64_t>(call.operands[2]);
  auto id = uint32_t(call.attributes->random_id);
  uint64_t threshold = keepThreshold(call.attributes->probability);
  return [=](cudaStream_t stream) {
    launch("dropout", dropoutKernel<T>, mapShape(n, kPerThread), stream, x, y,
           seed, step, n, id, threshold, keep);
  };
}

} // namespace

Expected<Launcher> bindRandom(const OpCall &call) {
  if (call.kind == OpKind::DropoutMask)
    return bindMask(call);
  return dispatchFloat(call, call.results[0].type,
                       [&](auto zero) -> Expected<Launcher> {
                         return bindTyped<decltype(zero)>(call);
                       });
}

} // namespace ringi::cuda
