//===- OpCosts.cpp - FLOPs and bytes of the compute ops -------------------===//
//
// Part of Ringi. Matrix products count 2 per multiply-add; everything else a
// fixed number per element, where a transcendental function counts as one. A
// causal mask halves what attention does, which is how its kernels run.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace ringi;

static double elementsOf(Value value) {
  return static_cast<double>(
      cast<RankedTensorType>(value.getType()).getNumElements());
}

/// 2 per multiply-add of the product of operands 0 and 1, which is result 0.
/// Bias, gelu and sums are part of the epilogue and free, as the step program
/// counts.
static double productFlops(Operation *op, bool rowsFirst) {
  auto a = cast<RankedTensorType>(op->getOperand(0).getType());
  double k = a.getDimSize(a.getRank() - (rowsFirst ? 2 : 1));
  return 2 * elementsOf(op->getResult(0)) * k;
}

/// `products` counts the matrix products over the score matrix: 2 forward, 5
/// backward.
static double attentionFlops(Value q, Value k, bool causal, double products) {
  ArrayRef<int64_t> queries = cast<RankedTensorType>(q.getType()).getShape();
  double rows = queries[2];
  double columns = cast<RankedTensorType>(k.getType()).getDimSize(2);
  // Row i of a causal mask keeps i + 1 + columns - rows scores.
  double scores =
      causal ? rows * (columns - rows) + rows * (rows + 1) / 2 : rows * columns;
  return 2 * products * scores * static_cast<double>(queries[3]) *
         static_cast<double>(queries[0]) * static_cast<double>(queries[1]);
}

/// FLOPs per element of the first operand.
static double flopsPerElement(StringRef mnemonic) {
  return llvm::StringSwitch<double>(mnemonic)
      .Cases({"add", "mul", "scale", "relu", "relu_backward"}, 1)
      .Cases({"tanh", "exp", "dropout_apply", "reduce_sum", "reduce_mean"}, 1)
      .Case("embedding_backward", 1)
      .Cases({"dropout", "dropout_backward"}, 2)
      .Cases({"sigmoid", "tanh_backward", "sigmoid_backward", "mse"}, 3)
      .Cases({"silu", "softmax_backward", "sgd"}, 4)
      .Cases({"softmax", "rms_norm", "cross_entropy"}, 5)
      .Case("momentum", 6)
      .Cases({"gelu", "layer_norm", "silu_backward"}, 8)
      .Case("rms_norm_backward", 11)
      .Cases({"gelu_backward", "layer_norm_backward", "adamw"}, 14)
      .Default(0);
}

double ringi::detail::computeFlops(Operation *op) {
  if (isa<MatmulOp, MatmulGeluOp, MatmulGeluBackwardOp>(op))
    return productFlops(op, op->hasAttr("transpose_a"));
  if (isa<MatmulBiasGradientOp>(op))
    return productFlops(op, true);
  if (auto attention = dyn_cast<AttentionOp>(op))
    return attentionFlops(attention.getQ(), attention.getK(),
                          attention.getCausal(), 2);
  if (auto attention = dyn_cast<AttentionBackwardOp>(op))
    return attentionFlops(attention.getQ(), attention.getK(),
                          attention.getCausal(), 5);
  if (auto backward = dyn_cast<CrossEntropyBackwardOp>(op))
    return 3 * elementsOf(backward.getLogits());
  if (auto backward = dyn_cast<MseBackwardOp>(op))
    return 3 * elementsOf(backward.getPrediction());
  if (op->getNumOperands() == 0)
    return 0;
  return flopsPerElement(op->getName().stripDialect()) *
         elementsOf(op->getOperand(0));
}

double ringi::detail::computeBytesAccessed(Operation *op) {
  double bytes = 0;
  bool copies = false;
  for (OpResult result : op->getResults()) {
    if (ringi::detail::computeViewSource(op, result.getResultNumber()))
      continue;
    copies = true;
    bytes += static_cast<double>(getStorageBytes(result.getType()).value_or(0));
  }
  if (!copies)
    return 0;
  // These read as much of an operand as they write; the rest stays untouched.
  if (isa<EmbeddingOp>(op))
    return 2 * bytes +
           static_cast<double>(
               getStorageBytes(op->getOperand(0).getType()).value_or(0));
  if (isa<SliceOp, SplitOp>(op))
    return 2 * bytes;
  for (Type type : op->getOperandTypes())
    bytes += static_cast<double>(getStorageBytes(type).value_or(0));
  return bytes;
}
