//===- RingiShapeOps.td - Ops that change the shape --------*- tablegen -*-===//
//
// Part of Ringi. Views, copies, reductions and conversions.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_SHAPE_OPS
#define RINGI_SHAPE_OPS

include "ringi/Dialect/Ringi/IR/RingiOpBase.td"

def Ringi_ReshapeOp : Ringi_DifferentiableOp<"reshape", "View", "", [Pure]> {
  let summary = "the same elements in another shape; a view";
  let arguments = (ins Ringi_Tensor:$x);
  let results = (outs Ringi_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasFolder = 1;
}

def Ringi_TransposeOp : Ringi_DifferentiableOp<"transpose", "Elementwise", "",
    [Pure, InferTypeOpAdaptor]> {
  let summary = "permuted dimensions: y.shape[i] = x.shape[dims[i]]";
  let arguments = (ins Ringi_FloatTensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "$x $dims attr-dict `:` functional-type(operands, results)";
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}

def Ringi_SliceOp : Ringi_DifferentiableOp<"slice", "View", "", [Pure]> {
  let summary = "a part along one axis; a view where all dimensions before are 1";
  let description = [{
    Takes as many elements as the result has along `axis`, beginning at `start`.

    ```mlir
    %y = ringi.slice %x {axis = 0 : i64, start = 2 : i64} : tensor<8x4xf32> -> tensor<3x4xf32>
    ```
  }];
  let arguments = (ins Ringi_Tensor:$x, I64Attr:$axis, I64Attr:$start);
  let results = (outs Ringi_Tensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasFolder = 1;
}

def Ringi_PadSliceOp : Ringi_DifferentiableOp<"pad_slice", "Elementwise", "", [Pure]> {
  let summary = "zeros around a slice: the backward of `slice`";
  let arguments = (ins Ringi_FloatTensor:$y, I64Attr:$axis, I64Attr:$start);
  let results = (outs Ringi_FloatTensor:$x);
  let assemblyFormat = "$y attr-dict `:` type($y) `->` type($x)";
}

def Ringi_SplitOp : Ringi_DifferentiableOp<"split", "View", "", [Pure]> {
  let summary = "consecutive parts along one axis";
  let description = [{
    Views where all dimensions before `axis` are 1; in the program a `slice` per part
    otherwise.
  }];
  let arguments = (ins Ringi_Tensor:$x, I64Attr:$axis);
  let results = (outs Variadic<Ringi_Tensor>:$parts);
  let assemblyFormat = "$x attr-dict `:` functional-type(operands, results)";
}

def Ringi_ConcatOp : Ringi_DifferentiableOp<"concat", "Elementwise", "", [Pure, InferTypeOpAdaptor]> {
  let summary = "tensors side by side along one axis";
  let arguments = (ins Variadic<Ringi_FloatTensor>:$parts, I64Attr:$axis);
  let results = (outs Ringi_FloatTensor:$result);
  let assemblyFormat = "$parts attr-dict `:` functional-type(operands, results)";
}

def Ringi_BroadcastOp : Ringi_DifferentiableOp<"broadcast", "Elementwise", "", [Pure]> {
  let summary = "x repeated along the dimensions `dims` of the result";
  let arguments = (ins Ringi_FloatTensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "$x $dims attr-dict `:` type($x) `->` type($y)";
}

class Ringi_ReduceOp<string mnemonic> : Ringi_DifferentiableOp<mnemonic, "Reduction", "",
    [Pure, InferTypeOpAdaptor]> {
  let arguments = (ins Ringi_FloatTensor:$x, DenseI64ArrayAttr:$dims);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "$x $dims attr-dict `:` functional-type(operands, results)";
}

def Ringi_ReduceSumOp : Ringi_ReduceOp<"reduce_sum"> {
  let summary = "sum over the dimensions `dims`, which are removed";
}

def Ringi_ReduceMeanOp : Ringi_ReduceOp<"reduce_mean"> {
  let summary = "mean over the dimensions `dims`; `reduce_sum` and `scale` in the program";
}

def Ringi_CastOp : Ringi_DifferentiableOp<"cast", "Elementwise", "{0, 0}", [Pure]> {
  let summary = "conversion of the element type";
  let arguments = (ins Ringi_FloatTensor:$x);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "$x attr-dict `:` type($x) `->` type($y)";
  let hasFolder = 1;
}

def Ringi_FillOp : Ringi_ComputeOp<"fill", "Other", "", [Pure]> {
  let summary = "a tensor of one value";
  let arguments = (ins F64Attr:$factor);
  let results = (outs Ringi_FloatTensor:$y);
  let assemblyFormat = "attr-dict `:` type($y)";
}

#endif // RINGI_SHAPE_OPS
