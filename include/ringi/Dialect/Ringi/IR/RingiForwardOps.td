//===- RingiForwardOps.td - Ops of forward models ----------*- tablegen -*-===//
//
// Part of Ringi. What models compute; docs/operations.md states every formula.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_FORWARD_OPS
#define RINGI_FORWARD_OPS

include "ringi/Dialect/Ringi/IR/RingiOpBase.td"

//===----------------------------------------------------------------------===//
// Matrix products
//===----------------------------------------------------------------------===//

def Ringi_MatmulOp : Ringi_DifferentiableOp<"matmul", "Gemm", "", [Pure, InferTypeOpAdaptor]> {
  let summary = "matrix product, batched or with one 2-D right operand, plus a bias";
  let description = [{
    `a` is `[batch.., M, K]`; `b` is `[batch.., K, N]` or `[K, N]`; `bias` is `[N]`.
    `transpose_a` and `transpose_b` say that the last two dimensions are stored
    swapped. With a 2-D `b` all rows of `a` form one matrix, and `transpose_a` needs
    a 2-D `a`.

    ```mlir
    %y = ringi.matmul %x, %w bias(%b) {transpose_b} : (tensor<4x8xf32>, tensor<16x8xf32>, tensor<16xf32>) -> tensor<4x16xf32>
    ```
  }];
  let arguments = (ins Ringi_FloatTensor:$a, Ringi_FloatTensor:$b,
                       Optional<Ringi_FloatTensor>:$bias,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs Ringi_FloatTensor:$result);
  let assemblyFormat = "$a `,` $b (`bias` `(` $bias^ `)`)? attr-dict `:` functional-type(operands, results)";
}

def Ringi_MatmulGeluOp : Ringi_DifferentiableOp<"matmul_gelu", "Gemm", "", [Pure, InferTypeOpAdaptor]> {
  let summary = "matmul and gelu in one op";
  let description = [{
    Operands as `ringi.matmul`'s; `preactivation` is their product plus the bias, which
    the backward reads, and `result` its gelu, by erf or by the tanh approximation. A
    kernel may take gelu of the sum before or after it is rounded to its type, always
    the same: a clone gives its origin's bits, a `ringi.gelu` of `preactivation` need
    not. Its class is that of a product, so strategies that keep products keep both
    results. `--ringi-train=fuse-epilogues` makes it of a matmul and its gelu.

    ```mlir
    %y, %x = ringi.matmul_gelu %a, %w bias(%b) {approximate_tanh} : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
    ```
  }];
  let arguments = (ins Ringi_FloatTensor:$a, Ringi_FloatTensor:$b,
                       Optional<Ringi_FloatTensor>:$bias,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b, UnitAttr:$approximate_tanh);
  let results = (outs Ringi_FloatTensor:$result, Ringi_FloatTensor:$preactivation);
  let assemblyFormat = "$a `,` $b (`bias` `(` $bias^ `)`)? attr-dict `:` functional-type(operands, results)";
}

def Ringi_AttentionOp : Ringi_DifferentiableOp<"attention", "Attention", "", [Pure, InferTypeOpAdaptor]> {
  let summary = "softmax(factor * q * k^T) * v without the quadratic matrix";
  let description = [{
    `q`, `k` and `v` are `[B, H, T, D]`; `lse` is the log of the softmax's denominators,
    which is all that the backward op needs beside the output.
  }];
  let arguments = (ins Ringi_FloatTensor:$q, Ringi_FloatTensor:$k, Ringi_FloatTensor:$v,
                       F64Attr:$factor, UnitAttr:$causal);
  let results = (outs Ringi_FloatTensor:$output, Ringi_StatTensor:$lse);
  let assemblyFormat = "$q `,` $k `,` $v attr-dict `:` functional-type(operands, results)";
}

def Ringi_EmbeddingOp : Ringi_DifferentiableOp<"embedding", "Other", "", [Pure, InferTypeOpAdaptor]> {
  let summary = "rows of a table, chosen by ids";
  let arguments = (ins Ringi_IndexTensor:$ids, Ringi_FloatTensor:$table);
  let results = (outs Ringi_FloatTensor:$result);
  let assemblyFormat = "$ids `,` $table attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Elementwise
//===----------------------------------------------------------------------===//

/// `inplace`: the result is written over the first operand. Autodiff refuses it
/// where a backward op or a later op still reads what is overwritten.
class Ringi_BinaryOp<string mnemonic> : Ringi_DifferentiableOp<mnemonic, "Elementwise",
    "{0, 0}, {1, 0}", [Pure, AllTypesMatch<["a", "result"]>]> {
  let arguments = (ins Ringi_FloatTensor:$a, Ringi_FloatTensor:$b, UnitAttr:$inplace);
  let results = (outs Ringi_FloatTensor:$result);
  let assemblyFormat = "$a `,` $b attr-dict `:` type($a) `,` type($b)";
}

def Ringi_AddOp : Ringi_BinaryOp<"add"> {
  let summary = "a + b; the shape of b equals trailing dimensions of a";
}

def Ringi_MulOp : Ringi_BinaryOp<"mul"> {
  let summary = "a * b; the shape of b equals trailing dimensions of a";
}

class Ringi_UnaryOp<string mnemonic, string opClass = "Elementwise">
    : Ringi_DifferentiableOp<mnemonic, opClass, "{0, 0}", [Pure, SameOperandsAndResultType]> {
  let arguments = (ins Ringi_FloatTensor:$x, UnitAttr:$inplace);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Ringi_ScaleOp : Ringi_UnaryOp<"scale"> {
  let summary = "x times a constant";
  let arguments = (ins Ringi_FloatTensor:$x, F64Attr:$factor, UnitAttr:$inplace);
  let hasFolder = 1;
}

def Ringi_ReluOp : Ringi_UnaryOp<"relu"> {
  let summary = "max(x, 0); NaN stays";
}

def Ringi_GeluOp : Ringi_UnaryOp<"gelu"> {
  let summary = "gelu, by erf or by the tanh approximation";
  let arguments = (ins Ringi_FloatTensor:$x, UnitAttr:$approximate_tanh, UnitAttr:$inplace);
}

def Ringi_SiluOp : Ringi_UnaryOp<"silu"> {
  let summary = "x * sigmoid(x)";
}

def Ringi_TanhOp : Ringi_UnaryOp<"tanh"> {
  let summary = "hyperbolic tangent";
}

def Ringi_SigmoidOp : Ringi_UnaryOp<"sigmoid"> {
  let summary = "1 / (1 + exp(-x))";
}

def Ringi_ExpOp : Ringi_UnaryOp<"exp"> {
  let summary = "e to the x";
}

//===----------------------------------------------------------------------===//
// Softmax and norms
//===----------------------------------------------------------------------===//

def Ringi_SoftmaxOp : Ringi_DifferentiableOp<"softmax", "Reduction", "{0, 0}",
    [Pure, SameOperandsAndResultType]> {
  let summary = "softmax over the last dimension";
  let description = [{
    With `causal`, x is `[.., R, C]` and column j of row i is masked (result 0) when
    j > i + C - R.
  }];
  let arguments = (ins Ringi_FloatTensor:$x, UnitAttr:$causal);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x)";
}

def Ringi_LayerNormOp : Ringi_DifferentiableOp<"layer_norm", "Normalization", "{0, 0}",
    [Pure, InferTypeOpAdaptor]> {
  let summary = "layer normalisation over the last dimension";
  let description = [{
    `mean` and `rstd` have the shape of x without its last dimension; they are
    statistics for the backward op and take no gradient.
  }];
  let arguments = (ins Ringi_FloatTensor:$x, Ringi_FloatTensor:$gamma, Ringi_FloatTensor:$beta,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let results = (outs Ringi_FloatTensor:$y, Ringi_StatTensor:$mean, Ringi_StatTensor:$rstd);
  let assemblyFormat = "$x `,` $gamma `,` $beta attr-dict `:` functional-type(operands, results)";
}

def Ringi_RmsNormOp : Ringi_DifferentiableOp<"rms_norm", "Normalization", "{0, 0}",
    [Pure, InferTypeOpAdaptor]> {
  let summary = "root-mean-square normalisation over the last dimension";
  let arguments = (ins Ringi_FloatTensor:$x, Ringi_FloatTensor:$gamma,
                       DefaultValuedAttr<F64Attr, "1.0e-5">:$epsilon);
  let results = (outs Ringi_FloatTensor:$y, Ringi_StatTensor:$rstd);
  let assemblyFormat = "$x `,` $gamma attr-dict `:` functional-type(operands, results)";
}

//===----------------------------------------------------------------------===//
// Dropout
//===----------------------------------------------------------------------===//

def Ringi_DropoutOp : Ringi_DifferentiableOp<"dropout", "Random", "{0, 0}", [
    AllTypesMatch<["x", "y"]>,
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "zeroes elements at random and scales the rest by 1 / (1 - p)";
  let description = [{
    The mask is a function of (seed, `random_id`, step, element index). Without a
    `random_id` the op writes a private resource, so that two equal dropouts are never
    merged; `--ringi-build-step` gives each its own. With one the op is pure, and its
    clones carry the same.
  }];
  let arguments = (ins Ringi_FloatTensor:$x, Ringi_IntScalar:$seed, Ringi_IntScalar:$step,
                       F64Attr:$probability, OptionalAttr<I64Attr>:$random_id,
                       UnitAttr:$inplace);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "$x `,` $seed `,` $step attr-dict `:` type($x) `,` type($seed) `,` type($step)";
}

def Ringi_DropoutMaskOp : Ringi_ComputeOp<"dropout_mask", "Random", "", [
    DeclareOpInterfaceMethods<ConditionallySpeculatable>,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "the mask of a dropout as bytes, 1 = kept";
  let arguments = (ins Ringi_IntScalar:$seed, Ringi_IntScalar:$step,
                       F64Attr:$probability, OptionalAttr<I64Attr>:$random_id);
  let results = (outs Ringi_MaskTensor:$mask);
  let assemblyFormat = "$seed `,` $step attr-dict `:` functional-type(operands, results)";
}

def Ringi_DropoutApplyOp : Ringi_DifferentiableOp<"dropout_apply", "Elementwise", "{0, 0}",
    [Pure, AllTypesMatch<["x", "y"]>]> {
  let summary = "mask ? x / (1 - p) : 0; its own backward";
  let arguments = (ins Ringi_FloatTensor:$x, Ringi_MaskTensor:$mask, F64Attr:$probability);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "$x `,` $mask attr-dict `:` type($x) `,` type($mask)";
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

def Ringi_CrossEntropyOp : Ringi_DifferentiableOp<"cross_entropy", "Reduction", "",
    [Pure, InferTypeOpAdaptor]> {
  let summary = "mean over rows of lse - logit[target]";
  let arguments = (ins Ringi_FloatTensor:$logits, Ringi_IndexTensor:$targets);
  let results = (outs Ringi_StatScalar:$loss, Ringi_StatTensor:$lse);
  let assemblyFormat = "$logits `,` $targets attr-dict `:` functional-type(operands, results)";
}

def Ringi_MseOp : Ringi_DifferentiableOp<"mse", "Reduction", "", [Pure, InferTypeOpAdaptor]> {
  let summary = "mean squared difference";
  let arguments = (ins Ringi_FloatTensor:$prediction, Ringi_FloatTensor:$target);
  let results = (outs Ringi_StatScalar:$loss);
  let assemblyFormat = "$prediction `,` $target attr-dict `:` functional-type(operands, results)";
}

#endif // RINGI_FORWARD_OPS
