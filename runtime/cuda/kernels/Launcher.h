//===- Launcher.h - From an op call to a launcher ---------------*- C++ -*-===//
//
// Part of Ringi. Each family checks types and shapes once, chooses its kernel
// and launch shape, and returns a launcher that only launches. A family that
// does not know the op kind is never asked; bindKernel dispatches.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_LAUNCHER_H
#define RINGI_CUDA_KERNELS_LAUNCHER_H

#include "../Portable.h"

#include "ringi/Runtime/Device.h"

#include <functional>

namespace ringi::cuda {

/// Launches one bound op on a stream.
using Launcher = std::function<void(cudaStream_t)>;

/// Add, mul, scale, activations and their backward, cast, fill.
Expected<Launcher> bindElementwise(const runtime::OpCall &call);
/// Dropout, its backward, mask and apply.
Expected<Launcher> bindRandom(const runtime::OpCall &call);
/// Softmax and its backward.
Expected<Launcher> bindSoftmax(const runtime::OpCall &call);
/// Layer norm, RMS norm and their backward.
Expected<Launcher> bindNorm(const runtime::OpCall &call);
/// Cross-entropy, MSE and their backward.
Expected<Launcher> bindLoss(const runtime::OpCall &call);
/// Embedding and its backward.
Expected<Launcher> bindEmbedding(const runtime::OpCall &call);
/// Fused attention and its backward.
Expected<Launcher> bindAttention(const runtime::OpCall &call);
/// Transpose, slice, pad_slice, concat, broadcast.
Expected<Launcher> bindDataMovement(const runtime::OpCall &call);
/// reduce_sum.
Expected<Launcher> bindReduce(const runtime::OpCall &call);
/// SGD, momentum, AdamW.
Expected<Launcher> bindUpdate(const runtime::OpCall &call);

/// Random floats at step 0, the host's bits. Of f64 too, which no op computes
/// in, as the tensor may be none's operand.
Expected<Launcher> bindInitializer(void *target,
                                   const runtime::RandomTensor &tensor,
                                   int64_t elements);

/// Every kind but products, which the GEMM provider of the device binds.
Expected<Launcher> bindKernel(const runtime::OpCall &call);

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_LAUNCHER_H
