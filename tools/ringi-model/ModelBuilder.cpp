//===- ModelBuilder.cpp - One forward function, op by op --------*- C++ -*-===//
//
// Part of Ringi. Arguments are appended while ops are built; finish() gives the
// function its type.
//
//===----------------------------------------------------------------------===//

#include "ModelBuilder.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

namespace ringi::model {

ModelBuilder::ModelBuilder(MLIRContext *context, StringRef name,
                           FloatType dtype)
    : builder(context), dtype(dtype) {
  Location location = loc(name.str());
  module = ModuleOp::create(location);
  builder.setInsertionPointToEnd(module->getBody());
  function = func::FuncOp::create(builder, location, name,
                                  builder.getFunctionType({}, {}));
  builder.setInsertionPointToStart(function.addEntryBlock());
}

Location ModelBuilder::loc(const std::string &name) {
  return NameLoc::get(builder.getStringAttr(name));
}

RankedTensorType ModelBuilder::floatType(ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, dtype);
}

Value ModelBuilder::argument(const std::string &name, StringRef role, Type type,
                             Attribute init) {
  NamedAttrList attributes;
  attributes.append("ringi.role", builder.getStringAttr(role));
  attributes.append("ringi.name", builder.getStringAttr(name));
  if (init)
    attributes.append("ringi.init", init);
  argumentAttributes.push_back(attributes.getDictionary(builder.getContext()));
  return function.getBody().front().addArgument(type, loc(name));
}

Value ModelBuilder::parameter(const std::string &name, ArrayRef<int64_t> shape,
                              double scale) {
  auto init = scale == 0 ? InitAttr::get(builder.getContext(), InitKind::Zeros,
                                         FloatAttr())
                         : InitAttr::get(builder.getContext(), InitKind::Normal,
                                         builder.getF64FloatAttr(scale));
  return argument(name, "parameter", floatType(shape), init);
}

Value ModelBuilder::gain(const std::string &name, int64_t size) {
  return argument(
      name, "parameter", floatType({size}),
      InitAttr::get(builder.getContext(), InitKind::Ones, FloatAttr()));
}

Value ModelBuilder::floats(const std::string &name, StringRef role,
                           ArrayRef<int64_t> shape) {
  return argument(name, role, floatType(shape),
                  InitAttr::get(builder.getContext(), InitKind::Normal,
                                builder.getF64FloatAttr(1.0)));
}

Value ModelBuilder::tokens(const std::string &name, StringRef role,
                           ArrayRef<int64_t> shape, int64_t vocabulary) {
  return argument(name, role,
                  RankedTensorType::get(shape, builder.getI32Type()),
                  InitAttr::get(builder.getContext(), InitKind::Tokens,
                                builder.getF64FloatAttr(double(vocabulary))));
}

Value ModelBuilder::scalar(StringRef role, Value &slot) {
  if (!slot)
    slot = argument(role.str(), role,
                    RankedTensorType::get({}, builder.getI64Type()), {});
  return slot;
}

Value ModelBuilder::block(const std::string &label,
                          const std::function<Value()> &body) {
  // The result type is known only once the body is built.
  OpBuilder::InsertPoint outside = builder.saveInsertionPoint();
  Region region;
  builder.createBlock(&region);
  Value result = body();
  YieldOp::create(builder, loc(label), ValueRange(result));
  builder.restoreInsertionPoint(outside);
  auto op =
      BlockOp::create(builder, loc(label), TypeRange(result.getType()), label);
  op.getBody().takeBody(region);
  return op.getResult(0);
}

Value ModelBuilder::linear(const std::string &name, Value x, int64_t out,
                           double scale) {
  int64_t in = cast<RankedTensorType>(x.getType()).getShape().back();
  Value weight = parameter(name + ".weight", {in, out}, scale);
  Value bias = parameter(name + ".bias", {out}, 0.0);
  return MatmulOp::create(builder, loc(name), x, weight, bias,
                          /*transpose_a=*/false, /*transpose_b=*/false)
      .getResult();
}

Value ModelBuilder::layerNorm(const std::string &name, Value x) {
  int64_t size = cast<RankedTensorType>(x.getType()).getShape().back();
  Value gamma = gain(name + ".gamma", size);
  Value beta = parameter(name + ".beta", {size}, 0.0);
  return LayerNormOp::create(builder, loc(name), x, gamma, beta,
                             builder.getF64FloatAttr(1.0e-5))
      .getY();
}

Value ModelBuilder::dropout(const std::string &name, Value x,
                            double probability) {
  if (probability == 0)
    return x;
  Value seedValue = scalar("seed", seed), stepValue = scalar("step", step);
  return DropoutOp::create(builder, loc(name), x.getType(), x, seedValue,
                           stepValue, builder.getF64FloatAttr(probability),
                           builder.getI64IntegerAttr(nextRandomId++),
                           /*inplace=*/UnitAttr())
      .getY();
}

Value ModelBuilder::add(const std::string &name, Value a, Value b) {
  return AddOp::create(builder, loc(name), a.getType(), a, b,
                       /*inplace=*/UnitAttr())
      .getResult();
}

Value ModelBuilder::reshape(const std::string &name, Value x,
                            ArrayRef<int64_t> shape) {
  auto type = cast<RankedTensorType>(x.getType());
  return ReshapeOp::create(builder, loc(name),
                           RankedTensorType::get(shape, type.getElementType()),
                           x)
      .getY();
}

OwningOpRef<ModuleOp> ModelBuilder::finish(Value loss, int64_t tokensPerStep) {
  func::ReturnOp::create(builder, function.getLoc(), loss);
  Block &body = function.getBody().front();
  function.setFunctionType(
      builder.getFunctionType(body.getArgumentTypes(), loss.getType()));
  function.setAllArgAttrs(argumentAttributes);
  function->setAttr("ringi.tokens_per_step",
                    builder.getI64IntegerAttr(tokensPerStep));
  return std::move(module);
}

} // namespace ringi::model
