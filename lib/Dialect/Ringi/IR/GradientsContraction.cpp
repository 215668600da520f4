//===- GradientsContraction.cpp - Gradients of matrix products ----------===//
//
// Part of Ringi. Matrix products, attention and embedding.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace ringi;

/// All rows of `value` as one matrix.
static Value asMatrix(OpBuilder &builder, Location loc, Value value) {
  RankedTensorType type = tensorType(value);
  if (type.getRank() == 2)
    return value;
  int64_t columns = type.getShape().back();
  int64_t rows = columns == 0 ? 0 : type.getNumElements() / columns;
  return ReshapeOp::create(builder, loc, withShape(type, {rows, columns}),
                           value);
}

static Value multiply(OpBuilder &builder, Location loc, Value a,
                      bool transposeA, Value b, bool transposeB) {
  return MatmulOp::create(builder, loc, a, b, Value(), transposeA, transposeB);
}

void MatmulOp::getSavedValues(Flags needed, ValueList &values) {
  if (needed[0])
    values.push_back(getB());
  if (needed[1])
    values.push_back(getA());
}

LogicalResult MatmulOp::buildBackward(OpBuilder &builder,
                                      ArrayRef<Value> resultGradients,
                                      Flags needed, Saved saved,
                                      ValueList &operandGradients) {
  Value dy = resultGradients[0];
  Location loc = getLoc();
  Value da, db, dbias;
  // The weight's gradient first: it frees the activation a before da exists.
  if (needed[1]) {
    Value a = saved(getA()), rows = dy;
    if (tensorType(getB()).getRank() == 2) {
      a = asMatrix(builder, loc, a);
      rows = asMatrix(builder, loc, dy);
    }
    db = getTransposeB()
             ? multiply(builder, loc, rows, true, a, getTransposeA())
             : multiply(builder, loc, a, !getTransposeA(), rows, false);
  }
  if (getBias() && needed[2])
    dbias = sumToShape(builder, loc, dy, getBias());
  if (needed[0]) {
    Value b = saved(getB());
    da = getTransposeA()
             ? multiply(builder, loc, b, getTransposeB(), dy, true)
             : multiply(builder, loc, dy, false, b, !getTransposeB());
  }
  operandGradients.append({da, db});
  if (getBias())
    operandGradients.push_back(dbias);
  return success();
}

void AttentionOp::getSavedValues(Flags needed, ValueList &values) {
  values.append({getQ(), getK(), getV(), getOutput(), getLse()});
}

LogicalResult AttentionOp::buildBackward(OpBuilder &builder,
                                         ArrayRef<Value> resultGradients,
                                         Flags needed, Saved saved,
                                         ValueList &operandGradients) {
  FailureOr<Value> dy = onlyFirstGradient(*this, resultGradients, "output");
  if (failed(dy))
    return failure();
  auto backward = AttentionBackwardOp::create(
      builder, getLoc(), *dy, saved(getQ()), saved(getK()), saved(getV()),
      saved(getOutput()), saved(getLse()), getFactorAttr(), getCausalAttr());
  for (auto [index, gradient] : llvm::enumerate(backward.getResults()))
    operandGradients.push_back(needed[index] ? Value(gradient) : Value());
  return success();
}

void EmbeddingOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getIds());
}

LogicalResult EmbeddingOp::buildBackward(OpBuilder &builder,
                                         ArrayRef<Value> resultGradients,
                                         Flags needed, Saved saved,
                                         ValueList &operandGradients) {
  operandGradients.push_back(Value());
  operandGradients.push_back(
      EmbeddingBackwardOp::create(builder, getLoc(), getTable().getType(),
                                  resultGradients[0], saved(getIds())));
  return success();
}
