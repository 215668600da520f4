//===- Consumer.td - A dialect of somebody else ------------*- tablegen -*-===//
//
// Part of Ringi. One op that tells the planner what it may know, its C++ is in
// Consumer.cpp; and the same op when it says nothing.
//
//===----------------------------------------------------------------------===//

include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ringi/Interfaces/RingiInterfaces.td"

def Consumer_Dialect : Dialect {
  let name = "consumer";
  let cppNamespace = "::consumer";
}

def Consumer_SwishOp : Op<Consumer_Dialect, "swish", [
    Pure, SameOperandsAndResultType,
    DeclareOpInterfaceMethods<RecomputeOpInterface, ["getOpClass", "getFlops", "getWorkspaceBytes"]>]> {
  let summary = "x * sigmoid(x), with scratch memory of its own";
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}

def Consumer_PlainSwishOp : Op<Consumer_Dialect, "plain_swish", [Pure, SameOperandsAndResultType]> {
  let summary = "x * sigmoid(x), without a word to the planner";
  let arguments = (ins AnyStaticShapeTensor:$input);
  let results = (outs AnyStaticShapeTensor:$output);
  let assemblyFormat = "$input attr-dict `:` type($input)";
}
