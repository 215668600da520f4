//===- OpProperties.cpp - What each op kind may do --------------*- C++ -*-===//
//
// Part of Ringi. Which kinds read indices, update parameters or run in
// place, and what a matmul costs.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/OpSignature.h"

using namespace ringi;
using namespace ringi::program;

int program::indexOperand(OpKind kind) {
  switch (kind) {
  case OpKind::Embedding:
    return 0;
  case OpKind::EmbeddingBackward:
  case OpKind::CrossEntropy:
    return 1;
  case OpKind::CrossEntropyBackward:
    return 2;
  default:
    return -1;
  }
}

bool program::isUpdate(OpKind kind) {
  return kind == OpKind::Sgd || kind == OpKind::Momentum ||
         kind == OpKind::AdamW;
}

int program::requiredInPlaceOperand(OpKind kind, size_t result) {
  if (!isUpdate(kind))
    return -1;
  // param, grad, buf | param, grad, m, v, step, lr, master.
  constexpr int operandOf[] = {0, 2, 3, 6};
  return result < 4 ? operandOf[result] : -1;
}

bool program::mayRunInPlace(OpKind kind, size_t operand, size_t result) {
  if (isUpdate(kind))
    return requiredInPlaceOperand(kind, result) == static_cast<int>(operand);
  if (result != 0)
    return false;
  switch (kind) {
  case OpKind::Scale:
  case OpKind::Relu:
  case OpKind::Gelu:
  case OpKind::Silu:
  case OpKind::Tanh:
  case OpKind::Sigmoid:
  case OpKind::Exp:
  case OpKind::Softmax:
  case OpKind::SoftmaxBackward:
  case OpKind::LayerNorm:
  case OpKind::LayerNormBackward:
  case OpKind::RmsNorm:
  case OpKind::RmsNormBackward:
  case OpKind::Dropout:
  case OpKind::DropoutBackward:
  case OpKind::DropoutApply:
  case OpKind::Cast:
    return operand == 0;
  case OpKind::Add:
  case OpKind::Mul:
  case OpKind::ReluBackward:
  case OpKind::GeluBackward:
  case OpKind::SiluBackward:
  case OpKind::TanhBackward:
  case OpKind::SigmoidBackward:
    return operand == 0 || operand == 1;
  case OpKind::CrossEntropyBackward:
  case OpKind::MseBackward:
    return operand == 1;
  default:
    return false;
  }
}

bool program::isProduct(OpKind kind) {
  return kind == OpKind::Matmul || kind == OpKind::MatmulGelu ||
         kind == OpKind::MatmulGeluBackward ||
         kind == OpKind::MatmulBiasGradient;
}

double program::matmulFlops(OpKind kind, const AttributesT &attributes,
                            const std::vector<TensorShape> &operands,
                            const std::vector<TensorShape> &results) {
  if (!isProduct(kind))
    return 0;
  double flops = 2;
  for (int64_t dimension : results[0].shape)
    flops *= static_cast<double>(dimension);
  const std::vector<int64_t> &a = operands[0].shape;
  const bool rowsFirst =
      attributes.transpose_a || kind == OpKind::MatmulBiasGradient;
  return flops * static_cast<double>(a[a.size() - (rowsFirst ? 2 : 1)]);
}
