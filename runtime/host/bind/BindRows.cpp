//===- BindRows.cpp - Ops over rows: softmax, norms, losses ---------------===//
//
// Part of Ringi. Also embedding, whose rows are the table's.
//
//===----------------------------------------------------------------------===//

#include "Bind.h"

using namespace ringi;
using namespace ringi::runtime;
using program::OpKind;

BindResult runtime::bindSoftmax(const OpCall &call,
                                const BindContext &context) {
  const TensorRef &x = call.operands[0];
  SoftmaxArgs args = {};
  args.type = dataType(x);
  args.x = x.data;
  args.out = call.results[0].data;
  args.rows = x.rows();
  args.columns = x.columns();
  args.matrixRows = x.rank > 1 ? x.shape[x.rank - 2] : 1;
  args.causal = call.attributes->causal;
  if (call.kind == OpKind::Softmax)
    return bindKernel(context, context.table.softmax, args);
  args.y = call.operands[1].data;
  return bindKernel(context, context.table.softmaxBackward, args);
}

BindResult runtime::bindNorm(const OpCall &call, const BindContext &context) {
  const bool centred =
      call.kind == OpKind::LayerNorm || call.kind == OpKind::LayerNormBackward;
  const TensorRef &x = call.operands[0];
  NormArgs args = {};
  args.type = dataType(x);
  args.rows = x.rows();
  args.columns = x.columns();
  args.epsilon = call.attributes->epsilon;
  if (call.kind == OpKind::LayerNorm || call.kind == OpKind::RmsNorm) {
    args.x = x.data;
    args.gamma = call.operands[1].data;
    args.beta = centred ? call.operands[2].data : nullptr;
    args.y = call.results[0].data;
    args.mean = centred ? call.results[1].data : nullptr;
    args.rstd = call.results[centred ? 2 : 1].data;
    return bindKernel(context, context.table.norm, args);
  }
  args.dy = x.data;
  args.x = call.operands[1].data;
  args.gamma = call.operands[2].data;
  args.mean = centred ? call.operands[3].data : nullptr;
  args.rstd = call.operands[centred ? 4 : 3].data;
  args.dx = call.results[0].data;
  args.dgamma = call.results[1].data;
  args.dbeta = centred ? call.results[2].data : nullptr;
  args.workspace = call.workspace;
  args.groups = program::reductionGroups(args.rows, args.columns);
  return bindKernel(context, context.table.normBackward, args);
}

BindResult runtime::bindLoss(const OpCall &call, const BindContext &context) {
  const bool backward = call.kind == OpKind::CrossEntropyBackward ||
                        call.kind == OpKind::MseBackward;
  const size_t first = backward ? 1 : 0;
  const TensorRef &x = call.operands[first];
  const TensorRef &target = call.operands[first + 1];
  const void *dloss = backward ? call.operands[0].data : nullptr;
  if (call.kind == OpKind::Mse || call.kind == OpKind::MseBackward) {
    MseArgs args = {};
    args.type = dataType(x);
    args.prediction = x.data;
    args.target = target.data;
    args.dloss = dloss;
    args.count = x.elements();
    args.groups = program::reductionGroups(args.count, 1);
    args.workspace = call.workspace;
    (backward ? args.dprediction : args.loss) = call.results[0].data;
    return bindKernel(context,
                      backward ? context.table.mseBackward : context.table.mse,
                      args);
  }
  CrossEntropyArgs args = {};
  args.type = dataType(x);
  args.targetType = dataType(target);
  args.logits = x.data;
  args.targets = target.data;
  args.dloss = dloss;
  args.rows = x.rows();
  args.columns = x.columns();
  if (!backward) {
    args.loss = call.results[0].data;
    args.lse = call.results[1].data;
    return bindKernel(context, context.table.crossEntropy, args);
  }
  args.lse = call.operands[3].data;
  args.dlogits = call.results[0].data;
  return bindKernel(context, context.table.crossEntropyBackward, args);
}

BindResult runtime::bindEmbedding(const OpCall &call,
                                  const BindContext &context) {
  const bool backward = call.kind == OpKind::EmbeddingBackward;
  const TensorRef &ids = call.operands[backward ? 1 : 0];
  const TensorRef &table = backward ? call.results[0] : call.operands[1];
  EmbeddingArgs args = {};
  args.type = dataType(table);
  args.idType = dataType(ids);
  args.ids = ids.data;
  args.out = call.results[0].data;
  args.positions = ids.elements();
  args.vocabulary = table.shape[0];
  args.columns = table.shape[1];
  if (!backward) {
    args.table = table.data;
    return bindKernel(context, context.table.embedding, args);
  }
  if (args.positions > INT32_MAX)
    return bindError(call, std::to_string(args.positions) +
                               " positions are above 2147483647; split the "
                               "batch into micro-batches");
  args.dy = call.operands[0].data;
  args.workspace = call.workspace;
  return bindKernel(context, context.table.embeddingBackward, args);
}
