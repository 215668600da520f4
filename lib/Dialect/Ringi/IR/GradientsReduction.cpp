//===- GradientsReduction.cpp - Gradients of norms and losses -----------===//
//
// Part of Ringi. Softmax, norms, losses and sums.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace ringi;

/// The gradients that are needed, in operand order.
static void appendNeeded(ValueRange gradients, Flags needed,
                         ValueList &operandGradients) {
  for (auto [gradient, wanted] : llvm::zip_equal(gradients, needed))
    operandGradients.push_back(wanted ? gradient : Value());
}

void SoftmaxOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getY());
}

LogicalResult SoftmaxOp::buildBackward(OpBuilder &builder,
                                       ArrayRef<Value> resultGradients,
                                       Flags needed, Saved saved,
                                       ValueList &operandGradients) {
  operandGradients.push_back(SoftmaxBackwardOp::create(
      builder, getLoc(), resultGradients[0], saved(getY()), getCausalAttr()));
  return success();
}

void LayerNormOp::getSavedValues(Flags needed, ValueList &values) {
  values.append({getX(), getGamma(), getMean(), getRstd()});
}

LogicalResult LayerNormOp::buildBackward(OpBuilder &builder,
                                         ArrayRef<Value> resultGradients,
                                         Flags needed, Saved saved,
                                         ValueList &operandGradients) {
  FailureOr<Value> dy = onlyFirstGradient(*this, resultGradients, "y");
  if (failed(dy))
    return failure();
  auto backward = LayerNormBackwardOp::create(
      builder, getLoc(),
      TypeRange{getX().getType(), getGamma().getType(), getGamma().getType()},
      *dy, saved(getX()), saved(getGamma()), saved(getMean()),
      saved(getRstd()));
  appendNeeded(backward.getResults(), needed, operandGradients);
  return success();
}

void RmsNormOp::getSavedValues(Flags needed, ValueList &values) {
  values.append({getX(), getGamma(), getRstd()});
}

LogicalResult RmsNormOp::buildBackward(OpBuilder &builder,
                                       ArrayRef<Value> resultGradients,
                                       Flags needed, Saved saved,
                                       ValueList &operandGradients) {
  FailureOr<Value> dy = onlyFirstGradient(*this, resultGradients, "y");
  if (failed(dy))
    return failure();
  auto backward = RmsNormBackwardOp::create(
      builder, getLoc(), TypeRange{getX().getType(), getGamma().getType()}, *dy,
      saved(getX()), saved(getGamma()), saved(getRstd()));
  appendNeeded(backward.getResults(), needed, operandGradients);
  return success();
}

void CrossEntropyOp::getSavedValues(Flags needed, ValueList &values) {
  values.append({getLogits(), getTargets(), getLse()});
}

LogicalResult CrossEntropyOp::buildBackward(OpBuilder &builder,
                                            ArrayRef<Value> resultGradients,
                                            Flags needed, Saved saved,
                                            ValueList &operandGradients) {
  FailureOr<Value> dloss = onlyFirstGradient(*this, resultGradients, "loss");
  if (failed(dloss))
    return failure();
  operandGradients.push_back(CrossEntropyBackwardOp::create(
      builder, getLoc(), *dloss, saved(getLogits()), saved(getTargets()),
      saved(getLse())));
  operandGradients.push_back(Value());
  return success();
}

void MseOp::getSavedValues(Flags needed, ValueList &values) {
  values.append({getPrediction(), getTarget()});
}

LogicalResult MseOp::buildBackward(OpBuilder &builder,
                                   ArrayRef<Value> resultGradients,
                                   Flags needed, Saved saved,
                                   ValueList &operandGradients) {
  Value gradient =
      MseBackwardOp::create(builder, getLoc(), resultGradients[0],
                            saved(getPrediction()), saved(getTarget()));
  operandGradients.push_back(needed[0] ? gradient : Value());
  operandGradients.push_back(
      needed[1] ? Value(ScaleOp::create(builder, getLoc(), gradient,
                                        llvm::APFloat(-1.0), false))
                : Value());
  return success();
}

void ReduceSumOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult ReduceSumOp::buildBackward(OpBuilder &builder,
                                         ArrayRef<Value> resultGradients,
                                         Flags needed, Saved saved,
                                         ValueList &operandGradients) {
  operandGradients.push_back(BroadcastOp::create(
      builder, getLoc(), getX().getType(), resultGradients[0], getDims()));
  return success();
}

void ReduceMeanOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult ReduceMeanOp::buildBackward(OpBuilder &builder,
                                          ArrayRef<Value> resultGradients,
                                          Flags needed, Saved saved,
                                          ValueList &operandGradients) {
  // Scaled before it is repeated: the small tensor costs less.
  double count = static_cast<double>(tensorType(getX()).getNumElements()) /
                 static_cast<double>(tensorType(getY()).getNumElements());
  Value scaled = ScaleOp::create(builder, getLoc(), resultGradients[0],
                                 llvm::APFloat(1.0 / count), false);
  operandGradients.push_back(BroadcastOp::create(
      builder, getLoc(), getX().getType(), scaled, getDims()));
  return success();
}
