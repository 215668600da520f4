//===- SignatureTraining.cpp - Losses and updates ---------------*- C++ -*-===//
//
// Part of Ringi. Cross-entropy, squared error and the
// optimizers (docs/operations.md).
//
//===----------------------------------------------------------------------===//

#include "SignatureCheck.h"

using namespace ringi;
using namespace ringi::program;

void program::checkCrossEntropy(SignatureCheck &c, bool backward) {
  if (!c.count(backward ? 4 : 2, backward ? 1 : 2))
    return;
  size_t l = backward ? 1 : 0;
  if (!c.floating(l, "logits") || !c.rankAtLeast(l, "logits", 1) ||
      !c.indices(l + 1, "targets"))
    return;
  const TensorShape &logits = c.operands[l];
  Shape rows = withoutLast(logits.shape);
  ElementType statistics = statisticsType(logits.type);
  c.operandIs(l + 1, "targets", c.operands[l + 1].type, rows);
  if (!backward) {
    c.resultIs(0, "loss", statistics, {});
    c.resultIs(1, "lse", statistics, rows);
    return;
  }
  c.operandIs(0, "dloss", statistics, {});
  c.operandIs(3, "lse", statistics, rows);
  c.resultIs(0, "dlogits", logits);
}

void program::checkMse(SignatureCheck &c, bool backward) {
  if (!c.count(backward ? 3 : 2, 1))
    return;
  size_t p = backward ? 1 : 0;
  if (!c.floating(p, "prediction"))
    return;
  const TensorShape &prediction = c.operands[p];
  ElementType statistics = statisticsType(prediction.type);
  c.operandIs(p + 1, "target", prediction);
  if (!backward) {
    c.resultIs(0, "loss", statistics, {});
    return;
  }
  c.operandIs(0, "dloss", statistics, {});
  c.resultIs(0, "dprediction", prediction);
}

void program::checkUpdate(SignatureCheck &c, OpKind kind) {
  bool isAdamW = kind == OpKind::AdamW, isSgd = kind == OpKind::Sgd;
  size_t operandCount = isAdamW ? 6 : (isSgd ? 3 : 4);
  bool hasMaster = isAdamW && c.operands.size() == 7;
  size_t resultCount = isAdamW ? (hasMaster ? 4 : 3) : (isSgd ? 1 : 2);
  if (!c.count(operandCount, operandCount + isAdamW, resultCount) ||
      !c.floating(0, "param"))
    return;
  const TensorShape &param = c.operands[0];
  TensorShape state{statisticsType(param.type), param.shape};
  c.operandIs(1, "grad", param);
  c.resultIs(0, "param'", param);
  c.finite("weight_decay", c.attributes.weight_decay);
  if (!isSgd) {
    c.operandIs(2, isAdamW ? "m" : "buf", state);
    c.resultIs(1, isAdamW ? "m'" : "buf'", state);
  }
  if (isAdamW) {
    c.operandIs(3, "v", state);
    c.resultIs(2, "v'", state);
    c.operandIs(4, "step", ElementType::I64, {});
    c.inRange("beta1", c.attributes.beta1, 0, 1);
    c.inRange("beta2", c.attributes.beta2, 0, 1);
    c.inRange("epsilon", c.attributes.epsilon, 0, 1);
    if (hasMaster) {
      c.operandIs(6, "master", state);
      c.resultIs(3, "master'", state);
    }
  } else {
    c.inRange("momentum", c.attributes.momentum, 0, 1);
  }
  c.operandIs(isAdamW ? 5 : (isSgd ? 2 : 3), "lr", state.type, {});
}
