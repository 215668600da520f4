//===- GradientsShape.cpp - Gradients of ops that change the shape ------===//
//
// Part of Ringi. None of them saves anything.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace ringi;

void ReshapeOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult ReshapeOp::buildBackward(OpBuilder &builder,
                                       ArrayRef<Value> resultGradients,
                                       Flags needed, Saved saved,
                                       ValueList &operandGradients) {
  operandGradients.push_back(ReshapeOp::create(
      builder, getLoc(), getX().getType(), resultGradients[0]));
  return success();
}

void TransposeOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult TransposeOp::buildBackward(OpBuilder &builder,
                                         ArrayRef<Value> resultGradients,
                                         Flags needed, Saved saved,
                                         ValueList &operandGradients) {
  SmallVector<int64_t> inverse(getDims().size());
  for (auto [index, dim] : llvm::enumerate(getDims()))
    inverse[dim] = index;
  operandGradients.push_back(
      TransposeOp::create(builder, getLoc(), resultGradients[0], inverse));
  return success();
}

void SliceOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult SliceOp::buildBackward(OpBuilder &builder,
                                     ArrayRef<Value> resultGradients,
                                     Flags needed, Saved saved,
                                     ValueList &operandGradients) {
  operandGradients.push_back(
      PadSliceOp::create(builder, getLoc(), getX().getType(),
                         resultGradients[0], getAxisAttr(), getStartAttr()));
  return success();
}

void PadSliceOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult PadSliceOp::buildBackward(OpBuilder &builder,
                                        ArrayRef<Value> resultGradients,
                                        Flags needed, Saved saved,
                                        ValueList &operandGradients) {
  operandGradients.push_back(
      SliceOp::create(builder, getLoc(), getY().getType(), resultGradients[0],
                      getAxisAttr(), getStartAttr()));
  return success();
}

void SplitOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult SplitOp::buildBackward(OpBuilder &builder,
                                     ArrayRef<Value> resultGradients,
                                     Flags needed, Saved saved,
                                     ValueList &operandGradients) {
  SmallVector<Value> parts;
  for (auto [part, gradient] : llvm::zip_equal(getParts(), resultGradients))
    parts.push_back(gradient ? gradient
                             : FillOp::create(builder, getLoc(), part.getType(),
                                              llvm::APFloat(0.0)));
  operandGradients.push_back(
      ConcatOp::create(builder, getLoc(), parts, getAxisAttr()));
  return success();
}

void ConcatOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult ConcatOp::buildBackward(OpBuilder &builder,
                                      ArrayRef<Value> resultGradients,
                                      Flags needed, Saved saved,
                                      ValueList &operandGradients) {
  auto split = SplitOp::create(builder, getLoc(), getParts().getTypes(),
                               resultGradients[0], getAxisAttr());
  for (auto [part, wanted] : llvm::zip_equal(split.getParts(), needed))
    operandGradients.push_back(wanted ? Value(part) : Value());
  return success();
}

void BroadcastOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult BroadcastOp::buildBackward(OpBuilder &builder,
                                         ArrayRef<Value> resultGradients,
                                         Flags needed, Saved saved,
                                         ValueList &operandGradients) {
  operandGradients.push_back(
      ReduceSumOp::create(builder, getLoc(), resultGradients[0], getDims()));
  return success();
}

void CastOp::getSavedValues(Flags needed, ValueList &values) {}

LogicalResult CastOp::buildBackward(OpBuilder &builder,
                                    ArrayRef<Value> resultGradients,
                                    Flags needed, Saved saved,
                                    ValueList &operandGradients) {
  operandGradients.push_back(
      CastOp::create(builder, getLoc(), getX().getType(), resultGradients[0]));
  return success();
}
