//===- SignatureCheck.h - The op under check --------------------*- C++ -*-===//
//
// Part of Ringi. What the rules of all op families are written
// with, and the rules by family.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_PROGRAM_SIGNATURECHECK_H
#define RINGI_RUNTIME_PROGRAM_SIGNATURECHECK_H

#include "ringi/Program/OpSignature.h"
#include "ringi/Support/NumberText.h"

#include <cmath>
#include <string>
#include <vector>

namespace ringi::program {

using Shape = std::vector<int64_t>;

inline Shape withoutLast(const Shape &shape) {
  return shape.empty() ? Shape() : Shape(shape.begin(), shape.end() - 1);
}
inline int64_t lastOf(const Shape &shape) {
  return shape.empty() ? 1 : shape.back();
}
inline std::string text(const TensorShape &tensor) {
  return program::toString(
      tensor.type,
      std::vector<uint64_t>(tensor.shape.begin(), tensor.shape.end()));
}

/// The op under check. Every method is a no-op after the first failure, so
/// that the rules below read as plain lists; operands are looked at only after
/// count() held.
class SignatureCheck {
public:
  SignatureCheck(const AttributesT &attributes,
                 const std::vector<TensorShape> &operands,
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
                       numberText(value) + ", expected " + numberText(low) +
                       " to " + numberText(high));
  }
  bool finite(const char *name, double value) {
    return require(std::isfinite(value), std::string("attribute ") + name +
                                             " is " + numberText(value) +
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

// One rule per family; each line of it states one fact of docs/operations.md.
void checkMatmul(SignatureCheck &c);
void checkMatmulGelu(SignatureCheck &c);
void checkMatmulGeluBackward(SignatureCheck &c);
void checkMatmulBiasGradient(SignatureCheck &c);
void checkBinary(SignatureCheck &c);
void checkUnary(SignatureCheck &c);
void checkUnaryBackward(SignatureCheck &c);
void checkSoftmax(SignatureCheck &c, bool backward);
void checkNorm(SignatureCheck &c, bool isLayerNorm, bool backward);
void checkAttention(SignatureCheck &c, bool backward);
void checkDropout(SignatureCheck &c);
void checkDropoutMask(SignatureCheck &c);
void checkDropoutApply(SignatureCheck &c);
void checkEmbedding(SignatureCheck &c);
void checkEmbeddingBackward(SignatureCheck &c);
void checkTranspose(SignatureCheck &c);
void checkSlice(SignatureCheck &c, bool pad);
void checkConcat(SignatureCheck &c);
void checkDims(SignatureCheck &c, bool broadcast);
void checkCast(SignatureCheck &c);
void checkFill(SignatureCheck &c);
void checkCrossEntropy(SignatureCheck &c, bool backward);
void checkMse(SignatureCheck &c, bool backward);
void checkUpdate(SignatureCheck &c, OpKind kind);

} // namespace ringi::program

#endif // RINGI_RUNTIME_PROGRAM_SIGNATURECHECK_H
