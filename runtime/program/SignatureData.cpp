//===- SignatureData.cpp - Ops that move data -------------------*- C++ -*-===//
//
// Part of Ringi. Embedding, dropout, slices, transposes, reductions and casts
// (docs/operations.md).
//
//===----------------------------------------------------------------------===//

#include "SignatureCheck.h"

using namespace ringi;
using namespace ringi::program;

namespace {

bool probability(SignatureCheck &c) {
  return c.require(
      c.attributes.probability >= 0 && c.attributes.probability < 1,
      "attribute probability is " + numberText(c.attributes.probability) +
          ", expected 0 to 1 (exclusive)");
}

/// Masks are drawn from the low 32 bits: a larger id would be another's.
bool randomId(SignatureCheck &c) {
  return c.require(c.attributes.random_id <= UINT32_MAX,
                   "attribute random_id is " +
                       std::to_string(int64_t(c.attributes.random_id)) +
                       ", expected 0 to " + std::to_string(UINT32_MAX));
}

} // namespace

void program::checkDropout(SignatureCheck &c) {
  if (!c.count(3, 1) || !c.floating(0, "x"))
    return;
  c.operandIs(1, "seed", ElementType::I64, {});
  c.operandIs(2, "step", ElementType::I64, {});
  c.resultIs(0, "y", c.operands[0]);
  probability(c);
  randomId(c);
}

void program::checkDropoutMask(SignatureCheck &c) {
  if (!c.count(2, 1))
    return;
  c.operandIs(0, "seed", ElementType::I64, {});
  c.operandIs(1, "step", ElementType::I64, {});
  c.resultIs(0, "mask", ElementType::I8, c.results[0].shape);
  probability(c);
  randomId(c);
}

void program::checkDropoutApply(SignatureCheck &c) {
  if (!c.count(2, 1) || !c.floating(0, "x"))
    return;
  c.operandIs(1, "mask", ElementType::I8, c.operands[0].shape);
  c.resultIs(0, "y", c.operands[0]);
  probability(c);
}

void program::checkEmbedding(SignatureCheck &c) {
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

void program::checkEmbeddingBackward(SignatureCheck &c) {
  if (!c.count(2, 1) || !c.floating(0, "dy") || !c.rankAtLeast(0, "dy", 1) ||
      !c.indices(1, "ids"))
    return;
  const TensorShape &dy = c.operands[0];
  c.operandIs(1, "ids", c.operands[1].type, withoutLast(dy.shape));
  const Shape &table = c.results[0].shape;
  c.resultIs(0, "dtable", dy.type,
             {table.empty() ? 1 : table[0], lastOf(dy.shape)});
}

void program::checkTranspose(SignatureCheck &c) {
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
void program::checkSlice(SignatureCheck &c, bool pad) {
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

void program::checkConcat(SignatureCheck &c) {
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
void program::checkDims(SignatureCheck &c, bool broadcast) {
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

void program::checkCast(SignatureCheck &c) {
  if (!c.count(1, 1))
    return;
  c.resultIs(0, "y", c.results[0].type, c.operands[0].shape);
}

void program::checkFill(SignatureCheck &c) {
  if (!c.count(0, 1))
    return;
  c.require(isFloat(c.results[0].type), "result 0 (y) is " +
                                            text(c.results[0]) +
                                            ", expected a float type");
}
