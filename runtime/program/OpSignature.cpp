//===- OpSignature.cpp - What each op kind takes and gives ------*- C++ -*-===//
//
// Part of Ringi. One function per family of ops; each line states one fact of
// docs/operations.md. The first fact that does not hold becomes the error.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/OpSignature.h"

#include <algorithm>
#include <cmath>

using namespace ringi;
using namespace ringi::program;

namespace {

using Shape = std::vector<int64_t>;

std::string text(const TensorShape &tensor) {
  return program::toString(
      tensor.type,
      std::vector<uint64_t>(tensor.shape.begin(), tensor.shape.end()));
}

/// The op under check. Every method is a no-op after the first failure, so
/// that the rules below read as plain lists; operands are looked at only after
/// count() held.
class Check {
public:
  Check(const AttributesT &attributes, const std::vector<TensorShape> &operands,
        const std::vector<TensorShape> &results)
      : attributes(attributes), operands(operands), results(results) {}

  const AttributesT &attributes;
  const std::vector<TensorShape> &operands, &results;
  std::string failure;

  bool ok() const { return failure.empty(); }
  void fail(const std::string &message) {
    if (ok())
      failure = message;
  }
  bool require(bool condition, const std::string &message) {
    if (!condition)
      fail(message);
    return ok();
  }

  bool count(size_t minOperands, size_t maxOperands, size_t resultCount) {
    std::string expected = std::to_string(minOperands);
    if (maxOperands != minOperands)
      expected += " to " + std::to_string(maxOperands);
    require(operands.size() >= minOperands && operands.size() <= maxOperands,
            "has " + std::to_string(operands.size()) + " operands, expected " +
                expected);
    return require(results.size() == resultCount,
                   "has " + std::to_string(results.size()) +
                       " results, expected " + std::to_string(resultCount));
  }
  bool count(size_t operandCount, size_t resultCount) {
    return count(operandCount, operandCount, resultCount);
  }

  bool operandIs(size_t i, const char *name, ElementType type,
                 const Shape &shape) {
    return is("operand", i, name, operands[i], {type, shape});
  }
  bool operandIs(size_t i, const char *name, const TensorShape &expected) {
    return is("operand", i, name, operands[i], expected);
  }
  bool resultIs(size_t i, const char *name, ElementType type,
                const Shape &shape) {
    return is("result", i, name, results[i], {type, shape});
  }
  bool resultIs(size_t i, const char *name, const TensorShape &expected) {
    return is("result", i, name, results[i], expected);
  }

  bool floating(size_t i, const char *name) {
    return require(isFloat(operands[i].type), place("operand", i, name) +
                                                  text(operands[i]) +
                                                  ", expected a float type");
  }
  bool rankAtLeast(size_t i, const char *name, size_t rank) {
    return require(operands[i].shape.size() >= rank,
                   place("operand", i, name) + text(operands[i]) +
                       ", expected rank " + std::to_string(rank) + " or more");
  }
  bool indices(size_t i, const char *name) {
    return require(operands[i].type == ElementType::I32 ||
                       operands[i].type == ElementType::I64,
                   place("operand", i, name) + text(operands[i]) +
                       ", expected i32 or i64");
  }
  bool inRange(const char *name, double value, double low, double high) {
    return require(value >= low && value <= high,
                   std::string("attribute ") + name + " is " +
                       std::to_string(value) + ", expected " +
                       std::to_string(low) + " to " + std::to_string(high));
  }
  bool finite(const char *name, double value) {
    return require(std::isfinite(value), std::string("attribute ") + name +
                                             " is " + std::to_string(value) +
                                             ", expected a finite number");
  }
  bool axisBelow(size_t rank) {
    return require(
        attributes.axis >= 0 && attributes.axis < static_cast<int64_t>(rank),
        "attribute axis is " + std::to_string(attributes.axis) +
            ", expected 0 to " + std::to_string(rank) + " (exclusive)");
  }
  /// `dims` ascending, distinct and below `rank`.
  bool dimsBelow(size_t rank) {
    int64_t previous = -1;
    for (int64_t dim : attributes.dims) {
      if (!require(dim > previous && dim < static_cast<int64_t>(rank),
                   "attribute dims has " + std::to_string(dim) +
                       ", expected ascending dimensions below " +
                       std::to_string(rank)))
        return false;
      previous = dim;
    }
    return ok();
  }

private:
  static std::string place(const char *what, size_t i, const char *name) {
    return std::string(what) + " " + std::to_string(i) + " (" + name + ") is ";
  }
  bool is(const char *what, size_t i, const char *name,
          const TensorShape &actual, const TensorShape &expected) {
    return require(
        actual.type == expected.type && actual.shape == expected.shape,
        place(what, i, name) + text(actual) + ", expected " + text(expected));
  }
};

Shape withoutLast(const Shape &shape) {
  return shape.empty() ? Shape() : Shape(shape.begin(), shape.end() - 1);
}
int64_t lastOf(const Shape &shape) { return shape.empty() ? 1 : shape.back(); }

bool isSuffix(const Shape &suffix, const Shape &shape) {
  return suffix.size() <= shape.size() &&
         std::equal(suffix.rbegin(), suffix.rend(), shape.rbegin());
}

void checkMatmul(Check &c) {
  if (!c.count(2, 3, 1) || !c.floating(0, "a") || !c.rankAtLeast(0, "a", 2) ||
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
  if (c.ok() && c.operands.size() == 3)
    c.operandIs(2, "bias", a.type, {n});
}

void checkBinary(Check &c) {
  if (!c.count(2, 1) || !c.floating(0, "a"))
    return;
  const TensorShape &a = c.operands[0], &b = c.operands[1];
  c.require(b.type == a.type && isSuffix(b.shape, a.shape),
            "operand 1 (b) is " + text(b) + ", expected " + text(a) +
                " or trailing dimensions of it");
  c.resultIs(0, "r", a);
}

void checkUnary(Check &c) {
  if (!c.count(1, 1) || !c.floating(0, "x"))
    return;
  c.resultIs(0, "y", c.operands[0]);
  c.finite("factor", c.attributes.factor);
}

/// dy and one saved tensor of the same shape.
void checkUnaryBackward(Check &c) {
  if (!c.count(2, 1) || !c.floating(0, "dy"))
    return;
  c.operandIs(1, "saved", c.operands[0]);
  c.resultIs(0, "dx", c.operands[0]);
}

void checkSoftmax(Check &c, bool backward) {
  if (!c.count(backward ? 2 : 1, 1) || !c.floating(0, "x"))
    return;
  if (!c.rankAtLeast(0, "x", c.attributes.causal ? 2 : 1))
    return;
  if (backward)
    c.operandIs(1, "y", c.operands[0]);
  c.resultIs(0, backward ? "dx" : "y", c.operands[0]);
}

void checkNorm(Check &c, bool isLayerNorm, bool backward) {
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

bool probability(Check &c) {
  return c.require(
      c.attributes.probability >= 0 && c.attributes.probability < 1,
      "attribute probability is " + std::to_string(c.attributes.probability) +
          ", expected 0 to 1 (exclusive)");
}

void checkDropout(Check &c) {
  if (!c.count(3, 1) || !c.floating(0, "x"))
    return;
  c.operandIs(1, "seed", ElementType::I64, {});
  c.operandIs(2, "step", ElementType::I64, {});
  c.resultIs(0, "y", c.operands[0]);
  probability(c);
}

void checkDropoutMask(Check &c) {
  if (!c.count(2, 1))
    return;
  c.operandIs(0, "seed", ElementType::I64, {});
  c.operandIs(1, "step", ElementType::I64, {});
  c.resultIs(0, "mask", ElementType::I8, c.results[0].shape);
  probability(c);
}

void checkDropoutApply(Check &c) {
  if (!c.count(2, 1) || !c.floating(0, "x"))
    return;
  c.operandIs(1, "mask", ElementType::I8, c.operands[0].shape);
  c.resultIs(0, "y", c.operands[0]);
  probability(c);
}

void checkEmbedding(Check &c) {
  if (!c.count(2, 1) || !c.indices(0, "ids") || !c.floating(1, "table"))
    return;
  const TensorShape &table = c.operands[1];
  if (!c.require(table.shape.size() == 2,
                 "operand 1 (table) is " + text(table) + ", expected rank 2"))
    return;
  Shape result = c.operands[0].shape;
  result.push_back(table.shape[1]);
  c.resultIs(0, "rows", table.type, result);
}

void checkEmbeddingBackward(Check &c) {
  if (!c.count(2, 1) || !c.floating(0, "dy") || !c.rankAtLeast(0, "dy", 1) ||
      !c.indices(1, "ids"))
    return;
  const TensorShape &dy = c.operands[0];
  c.operandIs(1, "ids", c.operands[1].type, withoutLast(dy.shape));
  const Shape &table = c.results[0].shape;
  c.resultIs(0, "dtable", dy.type,
             {table.empty() ? 1 : table[0], lastOf(dy.shape)});
}

void checkAttention(Check &c, bool backward) {
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

void checkTranspose(Check &c) {
  if (!c.count(1, 1))
    return;
  const TensorShape &x = c.operands[0];
  size_t rank = x.shape.size();
  const std::vector<int64_t> &dims = c.attributes.dims;
  Shape result;
  std::vector<bool> seen(rank);
  for (int64_t dim : dims) {
    if (dim < 0 || dim >= static_cast<int64_t>(rank) || seen[dim])
      break;
    seen[dim] = true;
    result.push_back(x.shape[dim]);
  }
  if (c.require(dims.size() == rank && result.size() == rank,
                "attribute dims is no permutation of the " +
                    std::to_string(rank) + " dimensions of " + text(x)))
    c.resultIs(0, "y", x.type, result);
}

/// `whole` and its part that starts at `start` along `axis`.
void checkSlice(Check &c, bool pad) {
  if (!c.count(1, 1))
    return;
  const TensorShape &whole = pad ? c.results[0] : c.operands[0];
  const TensorShape &part = pad ? c.operands[0] : c.results[0];
  if (!c.axisBelow(whole.shape.size()))
    return;
  size_t axis = c.attributes.axis;
  Shape expected = whole.shape;
  if (axis < part.shape.size())
    expected[axis] = part.shape[axis];
  if (pad)
    c.operandIs(0, "y", whole.type, expected);
  else
    c.resultIs(0, "y", whole.type, expected);
  if (!c.ok())
    return;
  c.require(c.attributes.start >= 0 &&
                c.attributes.start <= whole.shape[axis] - part.shape[axis],
            "takes " + std::to_string(part.shape[axis]) + " from " +
                std::to_string(c.attributes.start) + " of " +
                std::to_string(whole.shape[axis]) + " along axis " +
                std::to_string(axis));
}

void checkConcat(Check &c) {
  if (!c.require(!c.operands.empty(), "has 0 operands, expected 1 or more") ||
      !c.count(c.operands.size(), 1) ||
      !c.axisBelow(c.operands[0].shape.size()))
    return;
  size_t axis = c.attributes.axis;
  Shape result = c.operands[0].shape;
  result[axis] = 0;
  for (size_t i = 0; i < c.operands.size(); ++i) {
    Shape expected = c.operands[0].shape;
    if (axis < c.operands[i].shape.size())
      expected[axis] = c.operands[i].shape[axis];
    if (!c.operandIs(i, "part", c.operands[0].type, expected))
      return;
    if (!c.require(!__builtin_add_overflow(result[axis], expected[axis],
                                           &result[axis]),
                   "has a dimension that overflows"))
      return;
  }
  c.resultIs(0, "y", c.operands[0].type, result);
}

/// `whole` and `reduced`, which lacks `dims`.
void checkDims(Check &c, bool broadcast) {
  if (!c.count(1, 1) || !c.floating(0, "x"))
    return;
  const TensorShape &whole = broadcast ? c.results[0] : c.operands[0];
  if (!c.dimsBelow(whole.shape.size()))
    return;
  Shape reduced;
  for (size_t i = 0; i < whole.shape.size(); ++i)
    if (!std::binary_search(c.attributes.dims.begin(), c.attributes.dims.end(),
                            static_cast<int64_t>(i)))
      reduced.push_back(whole.shape[i]);
  if (broadcast)
    c.operandIs(0, "x", whole.type, reduced);
  else
    c.resultIs(0, "y", whole.type, reduced);
}

void checkCast(Check &c) {
  if (!c.count(1, 1))
    return;
  c.resultIs(0, "y", c.results[0].type, c.operands[0].shape);
}

void checkCrossEntropy(Check &c, bool backward) {
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

void checkMse(Check &c, bool backward) {
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

void checkFill(Check &c) {
  if (!c.count(0, 1))
    return;
  c.require(isFloat(c.results[0].type), "result 0 (y) is " +
                                            text(c.results[0]) +
                                            ", expected a float type");
}

void checkUpdate(Check &c, OpKind kind) {
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

void checkKind(Check &c, OpKind kind) {
  switch (kind) {
  case OpKind::Matmul:
    return checkMatmul(c);
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

} // namespace

Status program::checkSignature(OpKind kind, const AttributesT &attributes,
                               const std::vector<TensorShape> &operands,
                               const std::vector<TensorShape> &results) {
  Check check(attributes, operands, results);
  checkKind(check, kind);
  return check.ok() ? Status::success()
                    : Status(Error::badInput(check.failure));
}

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

double program::matmulFlops(OpKind kind, const AttributesT &attributes,
                            const std::vector<TensorShape> &operands,
                            const std::vector<TensorShape> &results) {
  if (kind != OpKind::Matmul)
    return 0;
  double flops = 2;
  for (int64_t dimension : results[0].shape)
    flops *= static_cast<double>(dimension);
  const std::vector<int64_t> &a = operands[0].shape;
  return flops *
         static_cast<double>(a[a.size() - (attributes.transpose_a ? 2 : 1)]);
}
