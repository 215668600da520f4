//===- GradientsElementwise.cpp - Gradients of elementwise ops ----------===//
//
// Part of Ringi. What each rule saves is the table of docs/operations.md: the
// output where the derivative can be told from it, else the input.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace ringi;

static Value when(bool wanted, function_ref<Value()> make) {
  return wanted ? make() : Value();
}

void AddOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult AddOp::buildBackward(OpBuilder &builder,
                                   ArrayRef<Value> resultGradients,
                                   Flags needed, Saved saved,
                                   ValueList &operandGradients) {
  Value dy = resultGradients[0];
  operandGradients.push_back(needed[0] ? dy : Value());
  operandGradients.push_back(when(
      needed[1], [&] { return sumToShape(builder, getLoc(), dy, getB()); }));
  return success();
}

void MulOp::getSavedValues(Flags needed, ValueList &values) {
  if (needed[0])
    values.push_back(getB());
  if (needed[1])
    values.push_back(getA());
}

LogicalResult MulOp::buildBackward(OpBuilder &builder,
                                   ArrayRef<Value> resultGradients,
                                   Flags needed, Saved saved,
                                   ValueList &operandGradients) {
  Value dy = resultGradients[0];
  operandGradients.push_back(when(needed[0], [&]() -> Value {
    return MulOp::create(builder, getLoc(), dy, saved(getB()), false);
  }));
  operandGradients.push_back(when(needed[1], [&] {
    Value product = MulOp::create(builder, getLoc(), dy, saved(getA()), false);
    return sumToShape(builder, getLoc(), product, getB());
  }));
  return success();
}

void ScaleOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult ScaleOp::buildBackward(OpBuilder &builder,
                                     ArrayRef<Value> resultGradients,
                                     Flags needed, Saved saved,
                                     ValueList &operandGradients) {
  operandGradients.push_back(ScaleOp::create(
      builder, getLoc(), resultGradients[0], getFactor(), false));
  return success();
}

void ReluOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getY());
}

LogicalResult ReluOp::buildBackward(OpBuilder &builder,
                                    ArrayRef<Value> resultGradients,
                                    Flags needed, Saved saved,
                                    ValueList &operandGradients) {
  operandGradients.push_back(ReluBackwardOp::create(
      builder, getLoc(), resultGradients[0], saved(getY())));
  return success();
}

void SiluOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getX());
}

LogicalResult SiluOp::buildBackward(OpBuilder &builder,
                                    ArrayRef<Value> resultGradients,
                                    Flags needed, Saved saved,
                                    ValueList &operandGradients) {
  operandGradients.push_back(SiluBackwardOp::create(
      builder, getLoc(), resultGradients[0], saved(getX())));
  return success();
}

void TanhOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getY());
}

LogicalResult TanhOp::buildBackward(OpBuilder &builder,
                                    ArrayRef<Value> resultGradients,
                                    Flags needed, Saved saved,
                                    ValueList &operandGradients) {
  operandGradients.push_back(TanhBackwardOp::create(
      builder, getLoc(), resultGradients[0], saved(getY())));
  return success();
}

void SigmoidOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getY());
}

LogicalResult SigmoidOp::buildBackward(OpBuilder &builder,
                                       ArrayRef<Value> resultGradients,
                                       Flags needed, Saved saved,
                                       ValueList &operandGradients) {
  operandGradients.push_back(SigmoidBackwardOp::create(
      builder, getLoc(), resultGradients[0], saved(getY())));
  return success();
}

void GeluOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getX());
}

LogicalResult GeluOp::buildBackward(OpBuilder &builder,
                                    ArrayRef<Value> resultGradients,
                                    Flags needed, Saved saved,
                                    ValueList &operandGradients) {
  operandGradients.push_back(
      GeluBackwardOp::create(builder, getLoc(), resultGradients[0],
                             saved(getX()), getApproximateTanh()));
  return success();
}

void ExpOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getY());
}

LogicalResult ExpOp::buildBackward(OpBuilder &builder,
                                   ArrayRef<Value> resultGradients,
                                   Flags needed, Saved saved,
                                   ValueList &operandGradients) {
  operandGradients.push_back(MulOp::create(
      builder, getLoc(), resultGradients[0], saved(getY()), false));
  return success();
}

/// Dropout saves nothing: its mask is a function of the id and two scalars that
/// live through the step.
void DropoutOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getSeed());
  values.push_back(getStep());
}

LogicalResult DropoutOp::buildBackward(OpBuilder &builder,
                                       ArrayRef<Value> resultGradients,
                                       Flags needed, Saved saved,
                                       ValueList &operandGradients) {
  if (!getRandomId())
    return emitOpError() << "has no random_id; its backward could not repeat "
                            "its mask";
  operandGradients.push_back(DropoutBackwardOp::create(
      builder, getLoc(), resultGradients[0], saved(getSeed()), saved(getStep()),
      getProbabilityAttr(), getRandomIdAttr()));
  operandGradients.append(2, Value());
  return success();
}

void DropoutApplyOp::getSavedValues(Flags needed, ValueList &values) {
  values.push_back(getMask());
}

LogicalResult DropoutApplyOp::buildBackward(OpBuilder &builder,
                                            ArrayRef<Value> resultGradients,
                                            Flags needed, Saved saved,
                                            ValueList &operandGradients) {
  operandGradients.push_back(
      DropoutApplyOp::create(builder, getLoc(), resultGradients[0],
                             saved(getMask()), getProbabilityAttr()));
  operandGradients.push_back(Value());
  return success();
}
