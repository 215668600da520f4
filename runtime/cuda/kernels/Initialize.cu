//===- Initialize.cu - Random parameters on the device ----------*- C++ -*-===//
//
// Part of Ringi. What the host's initialiser writes, bit for bit: weights of a
// large model would take it seconds. Four elements per thread: one Philox
// block.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"
#include "Philox.h"
#include "Vector.h"

#include "ringi/Runtime/RandomTensor.h"

namespace ringi::cuda {

namespace {

using program::ElementType;
using runtime::RandomTensor;

inline constexpr int kPerThread = 4;

template <typename T> __device__ __forceinline__ T fromDouble(double value) {
  return fromFloat<T>(float(value));
}
template <> __device__ __forceinline__ double fromDouble<double>(double value) {
  return value;
}

template <typename T>
__global__ void initializeKernel(T *target, RandomTensor tensor,
                                 int64_t elements) {
  int64_t block = globalThread(), first = block * kPerThread;
  if (first >= elements)
    return;
  uint32_t words[4];
  RandomStream stream{uint32_t(tensor.key), uint32_t(tensor.key >> 32),
                      tensor.stream, 0};
  randomWords(stream, uint64_t(block), words);
  runtime::RandomNumbers numbers = runtime::randomNumbers(tensor, words);
  for (int k = 0; k < kPerThread && first + k < elements; ++k)
    target[first + k] = fromDouble<T>(numbers.value[k]);
}

template <typename T>
Launcher bindTyped(void *target, const RandomTensor &tensor, int64_t elements) {
  auto *typed = static_cast<T *>(target);
  return [=](cudaStream_t stream) {
    launch("initialize", initializeKernel<T>, mapShape(elements, kPerThread),
           stream, typed, tensor, elements);
  };
}

} // namespace

Expected<Launcher> bindInitializer(void *target, const RandomTensor &tensor,
                                   int64_t elements) {
  switch (tensor.type) {
  case ElementType::F64:
    return bindTyped<double>(target, tensor, elements);
  case ElementType::F32:
    return bindTyped<float>(target, tensor, elements);
  case ElementType::BF16:
    return bindTyped<BFloat16>(target, tensor, elements);
  case ElementType::F16:
    return bindTyped<Float16>(target, tensor, elements);
  default:
    return Error::badInput(std::string("the CUDA device makes no random ") +
                           program::EnumNameElementType(tensor.type) +
                           "; make it on the host");
  }
}

} // namespace ringi::cuda
