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

/// What the gradients of a product's operands read.
template <typename Product>
static void saveOperands(Product op, Flags needed, ValueList &values) {
  if (needed[0])
    values.push_back(op.getB());
  if (needed[1])
    values.push_back(op.getA());
}

/// The gradients of a, b and the bias from `dy`, that of product plus bias.
template <typename Product>
static void buildOperandGradients(Product op, OpBuilder &builder, Value dy,
                                  Flags needed, Saved saved,
                                  ValueList &operandGradients) {
  Location loc = op.getLoc();
  bool transposeA = op.getTransposeA(), transposeB = op.getTransposeB();
  Value da, db, dbias;
  // The weight's gradient first: it frees the activation a before da exists.
  if (needed[1]) {
    Value a = saved(op.getA()), rows = dy;
    if (tensorType(op.getB()).getRank() == 2) {
      a = asMatrix(builder, loc, a);
      rows = asMatrix(builder, loc, dy);
    }
    db = transposeB ? multiply(builder, loc, rows, true, a, transposeA)
                    : multiply(builder, loc, a, !transposeA, rows, false);
  }
  if (op.getBias() && needed[2])
    dbias = sumToShape(builder, loc, dy, op.getBias());
  if (needed[0]) {
    Value b = saved(op.getB());
    da = transposeA ? multiply(builder, loc, b, transposeB, dy, true)
                    : multiply(builder, loc, dy, false, b, !transposeB);
  }
  operandGradients.append({da, db});
  if (op.getBias())
    operandGradients.push_back(dbias);
}

void MatmulOp::getSavedValues(Flags needed, ValueList &values) {
  saveOperands(*this, needed, values);
}

LogicalResult MatmulOp::buildBackward(OpBuilder &builder,
                                      ArrayRef<Value> resultGradients,
                                      Flags needed, Saved saved,
                                      ValueList &operandGradients) {
  buildOperandGradients(*this, builder, resultGradients[0], needed, saved,
                        operandGradients);
  return success();
}

void MatmulGeluOp::getSavedValues(Flags needed, ValueList &values) {
  saveOperands(*this, needed, values);
  values.push_back(getPreactivation());
}

LogicalResult MatmulGeluOp::buildBackward(OpBuilder &builder,
                                          ArrayRef<Value> resultGradients,
                                          Flags needed, Saved saved,
                                          ValueList &operandGradients) {
  // A model may read the preactivation too: its gradient joins gelu's.
  Value dx = resultGradients[1];
  if (Value dy = resultGradients[0]) {
    Value slope = GeluBackwardOp::create(
        builder, getLoc(), dy, saved(getPreactivation()), getApproximateTanh());
    dx = dx ? AddOp::create(builder, getLoc(), slope, dx, false).getResult()
            : slope;
  }
  buildOperandGradients(*this, builder, dx, needed, saved, operandGradients);
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
