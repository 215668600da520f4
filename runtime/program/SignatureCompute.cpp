//===- SignatureCompute.cpp - Ops that compute ------------------*- C++ -*-===//
//
// Part of Ringi. Matmul, attention, normalization and elementwise ops, forward
// and backward (docs/operations.md).
//
//===----------------------------------------------------------------------===//

#include "SignatureCheck.h"

#include <algorithm>

using namespace ringi;
using namespace ringi::program;

namespace {

bool isSuffix(const Shape &suffix, const Shape &shape) {
  return suffix.size() <= shape.size() &&
         std::equal(suffix.rbegin(), suffix.rend(), shape.rbegin());
}

/// Operands a and b; result 0 is their product.
void checkProduct(SignatureCheck &c) {
  if (!c.floating(0, "a") || !c.rankAtLeast(0, "a", 2) ||
      !c.rankAtLeast(1, "b", 2))
    return;
  const TensorShape &a = c.operands[0], &b = c.operands[1];
  size_t aRank = a.shape.size(), bRank = b.shape.size();
  bool transposeA = c.attributes.transpose_a;
  bool transposeB = c.attributes.transpose_b;
  int64_t m = a.shape[aRank - (transposeA ? 1 : 2)];
  int64_t k = a.shape[aRank - (transposeA ? 2 : 1)];
  int64_t bk = b.shape[bRank - (transposeB ? 1 : 2)];
  int64_t n = b.shape[bRank - (transposeB ? 2 : 1)];
  c.require(k == bk, "contracts " + std::to_string(k) + " columns of a with " +
                         std::to_string(bk) + " rows of b");
  c.require(b.type == a.type, "operand 1 (b) is " + text(b) +
                                  ", expected the element type of a, " +
                                  toString(a.type));
  bool sameBatch =
      aRank == bRank &&
      std::equal(a.shape.begin(), a.shape.end() - 2, b.shape.begin());
  c.require(sameBatch || bRank == 2,
            "operand 1 (b) is " + text(b) +
                ", expected rank 2 or the batch dimensions of " + text(a));
  c.require(sameBatch || !transposeA,
            "attribute transpose_a needs a of rank 2 when b has rank 2, a is " +
                text(a));
  Shape result(a.shape.begin(), a.shape.end() - 2);
  result.push_back(m);
  result.push_back(n);
  c.resultIs(0, "product", a.type, result);
}

/// The optional third operand: one number per column of the product.
void checkBias(SignatureCheck &c) {
  if (c.ok() && c.operands.size() == 3)
    c.operandIs(2, "bias", c.results[0].type, {lastOf(c.results[0].shape)});
}

} // namespace

void program::checkMatmul(SignatureCheck &c) {
  if (!c.count(2, 3, 1))
    return;
  checkProduct(c);
  checkBias(c);
}

void program::checkMatmulGelu(SignatureCheck &c) {
  if (!c.count(2, 3, 2))
    return;
  checkProduct(c);
  checkBias(c);
  c.resultIs(1, "preactivation", c.results[0]);
}

void program::checkMatmulGeluBackward(SignatureCheck &c) {
  if (!c.count(3, 1))
    return;
  checkProduct(c);
  c.operandIs(2, "preactivation", c.results[0]);
}

void program::checkMatmulBiasGradient(SignatureCheck &c) {
  if (!c.count(2, 2) || !c.floating(0, "a"))
    return;
  const TensorShape &a = c.operands[0], &b = c.operands[1];
  if (!c.require(a.shape.size() == 2 && b.shape.size() == 2,
                 "operands a and b are " + text(a) + " and " + text(b) +
                     ", expected rank 2"))
    return;
  c.operandIs(1, "b", a.type, {a.shape[0], b.shape[1]});
  c.resultIs(0, "product", a.type, {a.shape[1], b.shape[1]});
  c.resultIs(1, "bias gradient", a.type,
             {c.attributes.sum_a ? a.shape[1] : b.shape[1]});
}

void program::checkBinary(SignatureCheck &c) {
  if (!c.count(2, 1) || !c.floating(0, "a"))
    return;
  const TensorShape &a = c.operands[0], &b = c.operands[1];
  c.require(b.type == a.type && isSuffix(b.shape, a.shape),
            "operand 1 (b) is " + text(b) + ", expected " + text(a) +
                " or trailing dimensions of it");
  c.resultIs(0, "r", a);
}

void program::checkUnary(SignatureCheck &c) {
  if (!c.count(1, 1) || !c.floating(0, "x"))
    return;
  c.resultIs(0, "y", c.operands[0]);
  c.finite("factor", c.attributes.factor);
}

/// dy and one saved tensor of the same shape.
void program::checkUnaryBackward(SignatureCheck &c) {
  if (!c.count(2, 1) || !c.floating(0, "dy"))
    return;
  c.operandIs(1, "saved", c.operands[0]);
  c.resultIs(0, "dx", c.operands[0]);
}

void program::checkSoftmax(SignatureCheck &c, bool backward) {
  if (!c.count(backward ? 2 : 1, 1) || !c.floating(0, "x"))
    return;
  if (!c.rankAtLeast(0, "x", c.attributes.causal ? 2 : 1))
    return;
  if (backward)
    c.operandIs(1, "y", c.operands[0]);
  c.resultIs(0, backward ? "dx" : "y", c.operands[0]);
}

void program::checkNorm(SignatureCheck &c, bool isLayerNorm, bool backward) {
  size_t operandCount =
      backward ? (isLayerNorm ? 5 : 4) : (isLayerNorm ? 3 : 2);
  if (!c.count(operandCount, isLayerNorm ? 3 : 2) || !c.floating(0, "x") ||
      !c.rankAtLeast(0, "x", 1))
    return;
  const TensorShape &x = c.operands[0];
  TensorShape channel{x.type, {lastOf(x.shape)}};
  TensorShape rows{statisticsType(x.type), withoutLast(x.shape)};
  c.inRange("epsilon", c.attributes.epsilon, 0, 1);
  if (!backward) {
    c.operandIs(1, "gamma", channel);
    if (isLayerNorm)
      c.operandIs(2, "beta", channel);
    c.resultIs(0, "y", x);
    c.resultIs(1, isLayerNorm ? "mean" : "rstd", rows);
    if (isLayerNorm)
      c.resultIs(2, "rstd", rows);
    return;
  }
  c.operandIs(1, "x", x);
  c.operandIs(2, "gamma", channel);
  c.operandIs(3, isLayerNorm ? "mean" : "rstd", rows);
  if (isLayerNorm)
    c.operandIs(4, "rstd", rows);
  c.resultIs(0, "dx", x);
  c.resultIs(1, "dgamma", channel);
  if (isLayerNorm)
    c.resultIs(2, "dbeta", channel);
}

void program::checkAttention(SignatureCheck &c, bool backward) {
  if (!c.count(backward ? 6 : 3, backward ? 3 : 2))
    return;
  // do comes first in the backward op.
  size_t q = backward ? 1 : 0;
  const TensorShape &query = c.operands[q], &key = c.operands[q + 1];
  if (!c.floating(q, "q"))
    return;
  if (!c.require(query.shape.size() == 4 && key.shape.size() == 4,
                 "operands q and k are " + text(query) + " and " + text(key) +
                     ", expected rank 4"))
    return;
  Shape keyShape = query.shape;
  keyShape[2] = key.shape[2];
  c.operandIs(q + 1, "k", query.type, keyShape);
  c.operandIs(q + 2, "v", query.type, keyShape);
  c.finite("factor", c.attributes.factor);
  c.require(!c.attributes.causal || key.shape[2] >= query.shape[2],
            "attribute causal needs as many keys as queries or more, has " +
                std::to_string(key.shape[2]) + " keys and " +
                std::to_string(query.shape[2]) + " queries");
  TensorShape lse{statisticsType(query.type), withoutLast(query.shape)};
  if (!backward) {
    c.resultIs(0, "o", query);
    c.resultIs(1, "lse", lse);
    return;
  }
  c.operandIs(0, "do", query);
  c.operandIs(4, "o", query);
  c.operandIs(5, "lse", lse);
  c.resultIs(0, "dq", query);
  c.resultIs(1, "dk", key);
  c.resultIs(2, "dv", key);
}
