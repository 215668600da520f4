//===- ProductParts.cpp - A fused product as plain ops ----------*- C++ -*-===//
//
// Part of Ringi. docs/operations.md's rows of the fused products, as calls.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/ProductParts.h"

using namespace ringi;
using namespace ringi::runtime;
using program::OpKind;

ProductParts::ProductParts(const OpCall &call) {
  auto add = [&](OpKind kind, const program::AttributesT &attributes,
                 std::vector<TensorRef> operands, TensorRef result) {
    OpCall part = call;
    part.kind = kind;
    part.attributes = &attributes;
    part.operands = std::move(operands);
    part.results = {result};
    parts.push_back(std::move(part));
  };
  product.transpose_a = call.attributes->transpose_a;
  product.transpose_b = call.attributes->transpose_b;
  other.approximate_tanh = call.attributes->approximate_tanh;
  const TensorRef &a = call.operands[0], &b = call.operands[1];
  switch (call.kind) {
  case OpKind::MatmulGelu: {
    const TensorRef &preactivation = call.results[1];
    add(OpKind::Matmul, product, call.operands, preactivation);
    add(OpKind::Gelu, other, {preactivation}, call.results[0]);
    return;
  }
  case OpKind::MatmulGeluBackward: {
    const TensorRef &gradient = call.results[0];
    add(OpKind::Matmul, product, {a, b}, gradient);
    add(OpKind::GeluBackward, other, {gradient, call.operands[2]}, gradient);
    return;
  }
  case OpKind::MatmulBiasGradient:
    product.transpose_a = true;
    other.dims = {0};
    add(OpKind::Matmul, product, {a, b}, call.results[0]);
    add(OpKind::ReduceSum, other, {call.attributes->sum_a ? a : b},
        call.results[1]);
    return;
  default:
    parts.push_back(call);
  }
}
