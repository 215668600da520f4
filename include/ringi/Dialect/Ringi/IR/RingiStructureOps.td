//===- RingiStructureOps.td - Structure of a training step -*- tablegen -*-===//
//
// Part of Ringi. The ops that say what belongs together, what crosses to the
// backward part and what is executed a second time; none of them computes.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_STRUCTURE_OPS
#define RINGI_STRUCTURE_OPS

include "mlir/Interfaces/ControlFlowInterfaces.td"
include "ringi/Dialect/Ringi/IR/RingiOpBase.td"

def Ringi_YieldOp : Ringi_Op<"yield", [Pure, ReturnLike, Terminator,
    ParentOneOf<["BlockOp", "NoGradOp", "RecomputeOp"]>]> {
  let summary = "ends a region and gives its results";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
  let builders = [OpBuilder<(ins), [{ build($_builder, $_state, ::mlir::ValueRange()); }]>];
}

class Ringi_RegionOp<string mnemonic, list<Trait> traits> : Ringi_Op<mnemonic, !listconcat(traits, [
    SingleBlockImplicitTerminator<"YieldOp">])> {
  let results = (outs Variadic<AnyType>:$outputs);
  let regions = (region SizedRegion<1>:$body);
  let hasVerifier = 1;
}

def Ringi_BlockOp : Ringi_RegionOp<"block", [NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "a named checkpointable unit";
  let description = [{
    Groups the ops of one layer. The region may use outer values directly;
    blocks may be nested, and the unit's name is then the path `outer/inner`.

    ```mlir
    %h = ringi.block "layer0" -> tensor<4x8xf32> {
      %0 = ringi.relu %x : tensor<4x8xf32>
      ringi.yield %0 : tensor<4x8xf32>
    }
    ```
  }];
  let arguments = (ins StrAttr:$label);
  let assemblyFormat = "$label (`->` type($outputs)^)? $body attr-dict";
}

def Ringi_NoGradOp : Ringi_RegionOp<"no_grad", [NoRegionArguments, RecursiveMemoryEffects]> {
  let summary = "a region without gradients and without saved activations";
  let description = [{
    No gradient flows through the results, and nothing inside is saved for the
    backward part.
  }];
  let assemblyFormat = "(`->` type($outputs)^)? $body attr-dict";
}

def Ringi_RecomputeOp : Ringi_RegionOp<"recompute", [IsolatedFromAbove,
    MemoryEffects<[MemWrite<Ringi_RecomputeResource>]>]> {
  let summary = "clones of forward ops, executed again in the backward part";
  let description = [{
    Holds second executions of forward ops. The region is isolated from above,
    so its ops have other operands than the originals; the op writes a private
    resource, so that CSE, LICM and DCE leave it alone; it has no folder.

    ```mlir
    %r = ringi.recompute(%a = %x) : (tensor<4xf32>) -> tensor<4xf32> {
      %0 = ringi.relu %a : tensor<4xf32>
      ringi.yield %0 : tensor<4xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs);
  let hasCustomAssemblyFormat = 1;
}

class Ringi_ViewStructureOp<string mnemonic, list<Trait> traits>
    : Ringi_Op<mnemonic, !listconcat(traits, [Pure,
        DeclareOpInterfaceMethods<RecomputeOpInterface, ["getOpClass", "getViewSource", "getBytesAccessed"]>])> {
  let extraClassDefinition = [{
    ::ringi::planner::OpClass $cppClass::getOpClass() {
      return ::ringi::planner::OpClass::View;
    }
    std::optional<::ringi::ViewSource> $cppClass::getViewSource(unsigned) {
      return ::ringi::ViewSource{};
    }
    double $cppClass::getBytesAccessed() { return 0.0; }
  }];
}

def Ringi_SaveOp : Ringi_ViewStructureOp<"save", [
    TypesMatchWith<"result is the saved form of the operand", "value", "saved",
                   "::ringi::SavedType::get(::llvm::cast<::mlir::RankedTensorType>($_self))">]> {
  let summary = "marks an activation that crosses to the backward part";
  let description = [{
    A view: it costs nothing and keeps the storage of `value` alive until the last
    `ringi.load`. There is no folder, so what is saved stays countable.
  }];
  let arguments = (ins Ringi_Tensor:$value);
  let results = (outs Ringi_SavedType:$saved);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def Ringi_LoadOp : Ringi_ViewStructureOp<"load", [
    TypesMatchWith<"result is the saved tensor", "saved", "value",
                   "::llvm::cast<::ringi::SavedType>($_self).getTensorType()">]> {
  let summary = "opens a saved activation in the backward part";
  let arguments = (ins Ringi_SavedType:$saved);
  let results = (outs Ringi_Tensor:$value);
  let assemblyFormat = "$saved attr-dict `:` qualified(type($saved))";
}

def Ringi_DetachOp : Ringi_ViewStructureOp<"detach", [SameOperandsAndResultType]> {
  let summary = "the same value without a gradient";
  let arguments = (ins Ringi_Tensor:$value);
  let results = (outs Ringi_Tensor:$result);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let hasFolder = 1;
}

#endif // RINGI_STRUCTURE_OPS
