//===- BindProducts.cpp - Matrix products and fused attention -------------===//
//
// Part of Ringi. Shapes of matmul and attention as the kernels take them.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"

using namespace ringi;
using namespace ringi::runtime;
using program::OpKind;

BindResult runtime::bindMatmul(const OpCall &call, const BindContext &context) {
  const TensorRef &a = call.operands[0], &b = call.operands[1];
  GemmArgs args = {};
  args.type = dataType(a);
  args.a = a.data;
  args.b = b.data;
  args.bias = call.operands.size() > 2 ? call.operands[2].data : nullptr;
  args.c = call.results[0].data;
  args.transposeA = call.attributes->transpose_a;
  args.transposeB = call.attributes->transpose_b;
  args.n = call.results[0].columns();
  args.k = a.shape[a.rank - (args.transposeA ? 2 : 1)];
  const int64_t rows = a.shape[a.rank - (args.transposeA ? 1 : 2)];
  const bool oneMatrix = b.rank == 2 && !args.transposeA;
  if (oneMatrix) {
    // All rows of a form one matrix.
    args.batch = 1;
    args.m = args.k ? a.elements() / args.k : call.results[0].rows();
  } else {
    args.batch = 1;
    for (int d = 0; d + 2 < a.rank; ++d)
      args.batch *= a.shape[d];
    args.m = rows;
    args.aStride = args.m * args.k;
    args.bStride = b.rank == 2 ? 0 : args.k * args.n;
  }
  if (context.gemm)
    return context.gemm->bind(call, args);
  return bindKernel(context, context.table.gemm, args);
}

BindResult runtime::bindAttention(const OpCall &call,
                                  const BindContext &context) {
  const bool backward = call.kind == OpKind::AttentionBackward;
  const size_t first = backward ? 1 : 0;
  const TensorRef &q = call.operands[first], &k = call.operands[first + 1];
  AttentionArgs args = {};
  args.type = dataType(q);
  args.q = q.data;
  args.k = k.data;
  args.v = call.operands[first + 2].data;
  args.matrices = q.shape[0] * q.shape[1];
  args.queries = q.shape[2];
  args.keys = k.shape[2];
  args.width = q.shape[3];
  args.causal = call.attributes->causal;
  args.factor = call.attributes->factor;
  if (args.width > kMaxAttentionWidth)
    return bindError(call, "head width " + std::to_string(args.width) +
                               " is above " +
                               std::to_string(kMaxAttentionWidth) +
                               "; build the model with unfused attention");
  if (!backward) {
    args.o = call.results[0].data;
    args.lse = call.results[1].data;
    return bindKernel(context, context.table.attention, args);
  }
  args.dout = call.operands[0].data;
  args.o = call.operands[4].data;
  args.lse = call.operands[5].data;
  args.dq = call.results[0].data;
  args.dk = call.results[1].data;
  args.dv = call.results[2].data;
  args.workspace = call.workspace;
  return bindKernel(context, context.table.attentionBackward, args);
}
