//===- BindElementwise.cpp - Elementwise ops and dropout ------------------===//
//
// Part of Ringi. Which elementwise function an op kind is.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"

using namespace ringi;
using namespace ringi::runtime;
using program::OpKind;

namespace {

ElementwiseOp functionOf(const OpCall &call) {
  const bool tanhForm = call.attributes->approximate_tanh;
  switch (call.kind) {
  case OpKind::Add:
    return ElementwiseOp::Add;
  case OpKind::Mul:
    return ElementwiseOp::Mul;
  case OpKind::Scale:
    return ElementwiseOp::Scale;
  case OpKind::Relu:
    return ElementwiseOp::Relu;
  case OpKind::ReluBackward:
    return ElementwiseOp::ReluBackward;
  case OpKind::Gelu:
    return tanhForm ? ElementwiseOp::GeluTanh : ElementwiseOp::GeluErf;
  case OpKind::GeluBackward:
    return tanhForm ? ElementwiseOp::GeluTanhBackward
                    : ElementwiseOp::GeluErfBackward;
  case OpKind::Silu:
    return ElementwiseOp::Silu;
  case OpKind::SiluBackward:
    return ElementwiseOp::SiluBackward;
  case OpKind::Tanh:
    return ElementwiseOp::Tanh;
  case OpKind::TanhBackward:
    return ElementwiseOp::TanhBackward;
  case OpKind::Sigmoid:
    return ElementwiseOp::Sigmoid;
  case OpKind::SigmoidBackward:
    return ElementwiseOp::SigmoidBackward;
  case OpKind::Exp:
    return ElementwiseOp::Exp;
  default:
    return ElementwiseOp::Fill;
  }
}

} // namespace

BindResult runtime::bindElementwise(const OpCall &call,
                                    const BindContext &context) {
  const TensorRef &result = call.results[0];
  ElementwiseArgs args = {};
  args.op = functionOf(call);
  args.type = dataType(result);
  args.a = call.operands.empty() ? nullptr : call.operands[0].data;
  if (call.operands.size() > 1) {
    args.b = call.operands[1].data;
    args.period = call.operands[1].elements();
  }
  args.out = result.data;
  args.count = result.elements();
  args.factor = call.attributes->factor;
  return bindKernel(context, context.table.elementwise, args);
}

BindResult runtime::bindDropout(const OpCall &call,
                                const BindContext &context) {
  DropoutArgs args = {};
  args.type = dataType(call.operands[0]);
  args.out = call.results[0].data;
  args.count = call.results[0].elements();
  args.probability = call.attributes->probability;
  args.randomId = call.attributes->random_id;
  switch (call.kind) {
  case OpKind::DropoutMask:
    args.seed = call.operands[0].data;
    args.step = call.operands[1].data;
    break;
  case OpKind::DropoutApply:
    args.x = call.operands[0].data;
    args.mask = call.operands[1].data;
    break;
  default:
    args.x = call.operands[0].data;
    args.seed = call.operands[1].data;
    args.step = call.operands[2].data;
  }
  return bindKernel(context, context.table.dropout, args);
}

BindResult runtime::bindCast(const OpCall &call, const BindContext &context) {
  const TensorRef &x = call.operands[0], &y = call.results[0];
  for (const TensorRef *tensor : {&x, &y})
    if (tensor->type > program::ElementType::I8)
      return bindError(call, std::string("the host has no ") +
                                 program::toString(tensor->type) +
                                 "; cast to f64, f32, bf16, f16 or an integer");
  return bindKernel(
      context, context.table.cast,
      CastArgs{dataType(x), dataType(y), x.data, y.data, y.elements()});
}
