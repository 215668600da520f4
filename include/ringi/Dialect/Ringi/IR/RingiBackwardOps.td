//===- RingiBackwardOps.td - Derivatives of forward ops ----*- tablegen -*-===//
//
// Part of Ringi. What `--ringi-build-step` makes; docs/operations.md states every
// formula and what each op reads.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_BACKWARD_OPS
#define RINGI_BACKWARD_OPS

include "ringi/Dialect/Ringi/IR/RingiOpBase.td"

/// dx of a unary op from dy and its saved input or output.
class Ringi_UnaryBackwardOp<string mnemonic, string savedName>
    : Ringi_ComputeOp<mnemonic, "Elementwise", "{0, 0}, {1, 0}", [Pure, SameOperandsAndResultType]> {
  let summary = "dx from dy and the saved " # savedName;
  let arguments = (ins Ringi_FloatTensor:$dy, Ringi_FloatTensor:$saved);
  let results = (outs Ringi_FloatTensor:$dx);
  let assemblyFormat = "$dy `,` $saved attr-dict `:` type($dy)";
}

def Ringi_ReluBackwardOp : Ringi_UnaryBackwardOp<"relu_backward", "output">;
def Ringi_SiluBackwardOp : Ringi_UnaryBackwardOp<"silu_backward", "input">;
def Ringi_TanhBackwardOp : Ringi_UnaryBackwardOp<"tanh_backward", "output">;
def Ringi_SigmoidBackwardOp : Ringi_UnaryBackwardOp<"sigmoid_backward", "output">;
def Ringi_GeluBackwardOp : Ringi_UnaryBackwardOp<"gelu_backward", "input"> {
  let arguments = (ins Ringi_FloatTensor:$dy, Ringi_FloatTensor:$saved, UnitAttr:$approximate_tanh);
}

def Ringi_MatmulGeluBackwardOp : Ringi_ComputeOp<"matmul_gelu_backward", "Gemm", "",
    [Pure, AllTypesMatch<["preactivation", "result"]>]> {
  let summary = "a product times the slope of gelu at a saved preactivation";
  let description = [{
    `ringi.gelu_backward` of the product of `a` and `b`, in one op: the gradient that
    flows back through a linear layer and the gelu before it. The product may be rounded
    to its type on the way or not, always the same.
  }];
  let arguments = (ins Ringi_FloatTensor:$a, Ringi_FloatTensor:$b, Ringi_FloatTensor:$preactivation,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$approximate_tanh);
  let results = (outs Ringi_FloatTensor:$result);
  let assemblyFormat = "$a `,` $b `,` $preactivation attr-dict `:` functional-type(operands, results)";
}

def Ringi_MatmulBiasGradientOp : Ringi_ComputeOp<"matmul_bias_gradient", "Gemm", "",
    [Pure, AllElementTypesMatch<["a", "b", "result", "bias_gradient"]>]> {
  let summary = "gradients of a linear layer's weight and bias in one op";
  let description = [{
    `a` is `[K, M]` and `b` is `[K, N]`; `result` is the product of the transposed `a`
    and `b`, `bias_gradient` the sum of the rows of `b`, with `sum_a` of those of `a`.
    The summed one is the gradient of the layer's output, the other one its input.
  }];
  let arguments = (ins Ringi_FloatTensor:$a, Ringi_FloatTensor:$b, UnitAttr:$sum_a);
  let results = (outs Ringi_FloatTensor:$result, Ringi_FloatTensor:$bias_gradient);
  let assemblyFormat = "$a `,` $b attr-dict `:` functional-type(operands, results)";
}

def Ringi_SoftmaxBackwardOp : Ringi_ComputeOp<"softmax_backward", "Reduction", "{0, 0}",
    [Pure, SameOperandsAndResultType]> {
  let summary = "dx = y * (dy - sum(dy * y))";
  let arguments = (ins Ringi_FloatTensor:$dy, Ringi_FloatTensor:$y, UnitAttr:$causal);
  let results = (outs Ringi_FloatTensor:$dx);
  let assemblyFormat = "$dy `,` $y attr-dict `:` type($dy)";
}

def Ringi_LayerNormBackwardOp : Ringi_ComputeOp<"layer_norm_backward", "Normalization", "{0, 0}",
    [Pure, AllTypesMatch<["dy", "dx"]>, AllTypesMatch<["gamma", "dgamma", "dbeta"]>]> {
  let summary = "gradients of layer_norm";
  let arguments = (ins Ringi_FloatTensor:$dy, Ringi_FloatTensor:$x, Ringi_FloatTensor:$gamma,
                       Ringi_StatTensor:$mean, Ringi_StatTensor:$rstd);
  let results = (outs Ringi_FloatTensor:$dx, Ringi_FloatTensor:$dgamma, Ringi_FloatTensor:$dbeta);
  let assemblyFormat = "$dy `,` $x `,` $gamma `,` $mean `,` $rstd attr-dict `:` functional-type(operands, results)";
}

def Ringi_RmsNormBackwardOp : Ringi_ComputeOp<"rms_norm_backward", "Normalization", "{0, 0}",
    [Pure, AllTypesMatch<["dy", "dx"]>, AllTypesMatch<["gamma", "dgamma"]>]> {
  let summary = "gradients of rms_norm";
  let arguments = (ins Ringi_FloatTensor:$dy, Ringi_FloatTensor:$x, Ringi_FloatTensor:$gamma,
                       Ringi_StatTensor:$rstd);
  let results = (outs Ringi_FloatTensor:$dx, Ringi_FloatTensor:$dgamma);
  let assemblyFormat = "$dy `,` $x `,` $gamma `,` $rstd attr-dict `:` functional-type(operands, results)";
}

def Ringi_DropoutBackwardOp : Ringi_ComputeOp<"dropout_backward", "Random", "{0, 0}",
    [Pure, AllTypesMatch<["dy", "dx"]>]> {
  let summary = "dy through the same mask as the dropout of this `random_id`";
  let arguments = (ins Ringi_FloatTensor:$dy, Ringi_IntScalar:$seed, Ringi_IntScalar:$step,
                       F64Attr:$probability, I64Attr:$random_id);
  let results = (outs Ringi_FloatTensor:$dx);
  let assemblyFormat = "$dy `,` $seed `,` $step attr-dict `:` type($dy) `,` type($seed) `,` type($step)";
}

def Ringi_EmbeddingBackwardOp : Ringi_ComputeOp<"embedding_backward", "Other", "", [Pure]> {
  let summary = "sums the rows of dy by id, in position order";
  let arguments = (ins Ringi_FloatTensor:$dy, Ringi_IndexTensor:$ids);
  let results = (outs Ringi_FloatTensor:$dtable);
  let assemblyFormat = "$dy `,` $ids attr-dict `:` functional-type(operands, results)";
}

def Ringi_AttentionBackwardOp : Ringi_ComputeOp<"attention_backward", "Attention", "",
    [Pure, AllTypesMatch<["q", "dq"]>, AllTypesMatch<["k", "dk"]>, AllTypesMatch<["v", "dv"]>]> {
  let summary = "gradients of attention, without the quadratic matrix";
  let arguments = (ins Ringi_FloatTensor:$doutput, Ringi_FloatTensor:$q, Ringi_FloatTensor:$k,
                       Ringi_FloatTensor:$v, Ringi_FloatTensor:$output, Ringi_StatTensor:$lse,
                       F64Attr:$factor, UnitAttr:$causal);
  let results = (outs Ringi_FloatTensor:$dq, Ringi_FloatTensor:$dk, Ringi_FloatTensor:$dv);
  let assemblyFormat = "$doutput `,` $q `,` $k `,` $v `,` $output `,` $lse attr-dict `:` functional-type(operands, results)";
}

def Ringi_CrossEntropyBackwardOp : Ringi_ComputeOp<"cross_entropy_backward", "Reduction", "{1, 0}",
    [Pure, AllTypesMatch<["logits", "dlogits"]>]> {
  let summary = "dloss / rows * (softmax(logits) - onehot(targets))";
  let arguments = (ins Ringi_StatScalar:$dloss, Ringi_FloatTensor:$logits,
                       Ringi_IndexTensor:$targets, Ringi_StatTensor:$lse);
  let results = (outs Ringi_FloatTensor:$dlogits);
  let assemblyFormat = "$dloss `,` $logits `,` $targets `,` $lse attr-dict `:` functional-type(operands, results)";
}

def Ringi_MseBackwardOp : Ringi_ComputeOp<"mse_backward", "Elementwise", "{1, 0}",
    [Pure, AllTypesMatch<["prediction", "dprediction"]>]> {
  let summary = "dloss * 2 / elements * (prediction - target)";
  let arguments = (ins Ringi_StatScalar:$dloss, Ringi_FloatTensor:$prediction, Ringi_FloatTensor:$target);
  let results = (outs Ringi_FloatTensor:$dprediction);
  let assemblyFormat = "$dloss `,` $prediction `,` $target attr-dict `:` functional-type(operands, results)";
}

#endif // RINGI_BACKWARD_OPS
