//===- OpSignature.cpp - What each op kind takes and gives ------*- C++ -*-===//
//
// Part of Ringi. Sends an op to the rule of its family. The first fact
// that does not hold becomes the error.
//
//===----------------------------------------------------------------------===//

#include "SignatureCheck.h"

using namespace ringi;
using namespace ringi::program;

static void checkKind(SignatureCheck &c, OpKind kind) {
  switch (kind) {
  case OpKind::Matmul:
    return checkMatmul(c);
  case OpKind::MatmulGelu:
    return checkMatmulGelu(c);
  case OpKind::MatmulGeluBackward:
    return checkMatmulGeluBackward(c);
  case OpKind::MatmulBiasGradient:
    return checkMatmulBiasGradient(c);
  case OpKind::Add:
  case OpKind::Mul:
    return checkBinary(c);
  case OpKind::Scale:
  case OpKind::Relu:
  case OpKind::Gelu:
  case OpKind::Silu:
  case OpKind::Tanh:
  case OpKind::Sigmoid:
  case OpKind::Exp:
    return checkUnary(c);
  case OpKind::ReluBackward:
  case OpKind::GeluBackward:
  case OpKind::SiluBackward:
  case OpKind::TanhBackward:
  case OpKind::SigmoidBackward:
    return checkUnaryBackward(c);
  case OpKind::Softmax:
  case OpKind::SoftmaxBackward:
    return checkSoftmax(c, kind == OpKind::SoftmaxBackward);
  case OpKind::LayerNorm:
  case OpKind::LayerNormBackward:
    return checkNorm(c, true, kind == OpKind::LayerNormBackward);
  case OpKind::RmsNorm:
  case OpKind::RmsNormBackward:
    return checkNorm(c, false, kind == OpKind::RmsNormBackward);
  case OpKind::Dropout:
  case OpKind::DropoutBackward:
    return checkDropout(c);
  case OpKind::DropoutMask:
    return checkDropoutMask(c);
  case OpKind::DropoutApply:
    return checkDropoutApply(c);
  case OpKind::Embedding:
    return checkEmbedding(c);
  case OpKind::EmbeddingBackward:
    return checkEmbeddingBackward(c);
  case OpKind::Attention:
  case OpKind::AttentionBackward:
    return checkAttention(c, kind == OpKind::AttentionBackward);
  case OpKind::Transpose:
    return checkTranspose(c);
  case OpKind::Slice:
  case OpKind::PadSlice:
    return checkSlice(c, kind == OpKind::PadSlice);
  case OpKind::Concat:
    return checkConcat(c);
  case OpKind::Broadcast:
  case OpKind::ReduceSum:
    return checkDims(c, kind == OpKind::Broadcast);
  case OpKind::Cast:
    return checkCast(c);
  case OpKind::CrossEntropy:
  case OpKind::CrossEntropyBackward:
    return checkCrossEntropy(c, kind == OpKind::CrossEntropyBackward);
  case OpKind::Mse:
  case OpKind::MseBackward:
    return checkMse(c, kind == OpKind::MseBackward);
  case OpKind::Fill:
    return checkFill(c);
  case OpKind::Sgd:
  case OpKind::Momentum:
  case OpKind::AdamW:
    return checkUpdate(c, kind);
  case OpKind::Constant:
    return c.fail("is a constant, which is no execution; make it an input with "
                  "initializer data");
  }
  c.fail("has no known kind (" + std::to_string(int(kind)) + ")");
}

Status program::checkSignature(OpKind kind, const AttributesT &attributes,
                               const std::vector<TensorShape> &operands,
                               const std::vector<TensorShape> &results) {
  SignatureCheck check(attributes, operands, results);
  checkKind(check, kind);
  return check.ok() ? Status::success()
                    : Status(Error::badInput(check.failure));
}
