//===- Kernels.cpp - Op kind to kernel family -------------------*- C++ -*-===//
//
// Part of Ringi. The table behind bindKernel.
//
//===----------------------------------------------------------------------===//

#include "Launcher.h"

namespace ringi::cuda {

Expected<Launcher> bindKernel(const runtime::OpCall &call) {
  using program::OpKind;
  switch (call.kind) {
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::Scale:
  case OpKind::Relu:
  case OpKind::ReluBackward:
  case OpKind::Gelu:
  case OpKind::GeluBackward:
  case OpKind::Silu:
  case OpKind::SiluBackward:
  case OpKind::Tanh:
  case OpKind::TanhBackward:
  case OpKind::Sigmoid:
  case OpKind::SigmoidBackward:
  case OpKind::Exp:
  case OpKind::Cast:
  case OpKind::Fill:
    return bindElementwise(call);
  case OpKind::Softmax:
  case OpKind::SoftmaxBackward:
    return bindSoftmax(call);
  case OpKind::LayerNorm:
  case OpKind::LayerNormBackward:
  case OpKind::RmsNorm:
  case OpKind::RmsNormBackward:
    return bindNorm(call);
  case OpKind::Dropout:
  case OpKind::DropoutBackward:
  case OpKind::DropoutMask:
  case OpKind::DropoutApply:
    return bindRandom(call);
  case OpKind::Embedding:
  case OpKind::EmbeddingBackward:
    return bindEmbedding(call);
  case OpKind::Attention:
  case OpKind::AttentionBackward:
    return bindAttention(call);
  case OpKind::Transpose:
  case OpKind::Slice:
  case OpKind::PadSlice:
  case OpKind::Concat:
  case OpKind::Broadcast:
    return bindDataMovement(call);
  case OpKind::ReduceSum:
    return bindReduce(call);
  case OpKind::CrossEntropy:
  case OpKind::CrossEntropyBackward:
  case OpKind::Mse:
  case OpKind::MseBackward:
    return bindLoss(call);
  case OpKind::Sgd:
  case OpKind::Momentum:
  case OpKind::AdamW:
    return bindUpdate(call);
  case OpKind::Matmul:
  case OpKind::MatmulGelu:
  case OpKind::MatmulGeluBackward:
  case OpKind::MatmulBiasGradient:
  case OpKind::Constant:
    break;
  }
  return Error::badInput(call.location +
                         ": the CUDA device has no kernel for '" +
                         program::EnumNameOpKind(call.kind) +
                         "'; run the program on the host device");
}

} // namespace ringi::cuda
