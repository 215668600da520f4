//===- BindUpdate.cpp - Optimizer updates ---------------------------------===//
//
// Part of Ringi. Operand order of sgd, momentum and adamw.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"

using namespace ringi;
using namespace ringi::runtime;
using program::OpKind;

BindResult runtime::bindUpdate(const OpCall &call, const BindContext &context) {
  const program::AttributesT &attributes = *call.attributes;
  UpdateArgs args = {};
  args.type = dataType(call.operands[0]);
  args.param = call.operands[0].data;
  args.grad = call.operands[1].data;
  args.newParam = call.results[0].data;
  args.count = call.operands[0].elements();
  args.beta1 = attributes.beta1;
  args.beta2 = attributes.beta2;
  args.epsilon = attributes.epsilon;
  args.weightDecay = attributes.weight_decay;
  args.momentum = attributes.momentum;
  args.nesterov = attributes.nesterov;
  switch (call.kind) {
  case OpKind::Sgd:
    args.rule = UpdateRule::Sgd;
    args.rate = call.operands[2].data;
    break;
  case OpKind::Momentum:
    args.rule = UpdateRule::Momentum;
    args.state0 = call.operands[2].data;
    args.rate = call.operands[3].data;
    args.newState0 = call.results[1].data;
    break;
  default:
    args.rule = UpdateRule::AdamW;
    args.state0 = call.operands[2].data;
    args.state1 = call.operands[3].data;
    args.step = call.operands[4].data;
    args.rate = call.operands[5].data;
    args.newState0 = call.results[1].data;
    args.newState1 = call.results[2].data;
    if (call.operands.size() > 6) {
      args.master = call.operands[6].data;
      args.newMaster = call.results[3].data;
    }
  }
  return bindKernel(context, context.table.update, args);
}
