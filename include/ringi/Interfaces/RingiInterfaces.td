//===- RingiInterfaces.td - How any dialect takes part -----*- tablegen -*-===//
//
// Part of Ringi. The op and type interfaces through which passes learn semantics. No pass tests for an op of another dialect;
// the defaults are safe: an op without the interface is kept, never recomputed, its cost unknown.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_INTERFACES
#define RINGI_INTERFACES

include "mlir/IR/OpBase.td"

def RecomputeOpInterface : OpInterface<"RecomputeOpInterface"> {
  let cppNamespace = "::ringi";
  let description = [{
    What a planner must know to execute an op twice: whether that gives bitwise
    the same result, what it costs, and what memory it needs beside its results.
  }];
  let methods = [
    InterfaceMethod<[{
      May the op be executed again with bitwise the same results? The default
      says yes for ops without memory effects and without regions of unknown effect.
    }], "bool", "isRecomputable", (ins), [{}],
      [{ return ::mlir::isMemoryEffectFree($_op); }]>,
    InterfaceMethod<"The class that policies such as `selective` refer to; default: Other.",
      "::ringi::planner::OpClass", "getOpClass", (ins), [{}],
      [{ return ::ringi::planner::OpClass::Other; }]>,
    InterfaceMethod<"Floating-point operations of one execution; default: 0.",
      "double", "getFlops", (ins), [{}], [{ return 0.0; }]>,
    InterfaceMethod<[{
      Bytes read from and written to memory by one execution; the default counts
      each ranked tensor operand and result once.
    }], "double", "getBytesAccessed", (ins), [{}],
      [{ return ::ringi::detail::defaultBytesAccessed($_op); }]>,
    InterfaceMethod<"Scratch bytes while the op runs; default: 0.",
      "int64_t", "getWorkspaceBytes", (ins), [{}], [{ return 0; }]>,
    InterfaceMethod<[{
      Results that may be written over an operand that dies at this op; default:
      none.
    }], "void", "getInPlacePairs",
      (ins "::llvm::SmallVectorImpl<::ringi::InPlaceOperand> &":$pairs), [{}],
      [{ pairs.clear(); }]>,
    InterfaceMethod<[{
      If result `resultNumber` is a view, the operand whose storage it shares and
      the byte offset inside it; default: nothing.
    }], "std::optional<::ringi::ViewSource>", "getViewSource",
      (ins "unsigned":$resultNumber), [{}], [{ return std::nullopt; }]>,
    InterfaceMethod<[{
      Does the op cost nothing and read no data, so that whoever reads its result
      makes it: a destination without contents, a splat? Such an op is none of the
      plan. A reader holds its bytes while it runs, or none where it writes its own
      result there (`getInPlacePairs`). Counts only when all operands are scalar
      constants or such values themselves; one result. Default: no.
    }], "bool", "isMadeByReaders", (ins), [{}], [{ return false; }]>,
    InterfaceMethod<"Creates a second execution of the op; default: a clone.",
      "::mlir::Operation *", "cloneForRecompute",
      (ins "::mlir::OpBuilder &":$builder, "::mlir::IRMapping &":$mapping), [{}],
      [{ return builder.clone(*$_op, mapping); }]>
  ];
}

def DifferentiableOpInterface : OpInterface<"DifferentiableOpInterface"> {
  let cppNamespace = "::ringi";
  let description = [{
    Builds the backward ops of one op and names exactly the values they need, so
    that "save the output" (relu, softmax) and "save the input" (gelu) are facts of
    the op, not special cases in a pass. Both methods must be implemented.
  }];
  let methods = [
    InterfaceMethod<[{
      The operands and results that `buildBackward` reads when `needed[i]` says
      whether operand i needs a gradient. Nothing else may be read.
    }], "void", "getSavedValues",
      (ins "::llvm::ArrayRef<bool>":$needed,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$values)>,
    InterfaceMethod<[{
      Builds the gradients of the operands that are `needed`. `resultGradients[i]`
      is null when result i has no gradient; `saved` maps a value named by
      `getSavedValues` to its copy in the backward part. `operandGradients` gets one
      value per operand, null where none is needed or it is zero.
    }], "::llvm::LogicalResult", "buildBackward",
      (ins "::mlir::OpBuilder &":$builder,
           "::llvm::ArrayRef<::mlir::Value>":$resultGradients,
           "::llvm::ArrayRef<bool>":$needed,
           "::llvm::function_ref<::mlir::Value(::mlir::Value)>":$saved,
           "::llvm::SmallVectorImpl<::mlir::Value> &":$operandGradients)>
  ];
}

def StorageTypeInterface : TypeInterface<"StorageTypeInterface"> {
  let cppNamespace = "::ringi";
  let description = [{
    Bytes of a value. Builtin ranked tensors and vectors with static shapes are known
    without it; other types take part by implementing its method.
  }];
  let methods = [
    InterfaceMethod<"Unaligned bytes, or nothing when they are not known statically.",
      "std::optional<int64_t>", "getStorageBytes", (ins)>
  ];
}

#endif // RINGI_INTERFACES
