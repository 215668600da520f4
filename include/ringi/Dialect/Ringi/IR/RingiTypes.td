//===- RingiTypes.td - Types of the ringi dialect ----------*- tablegen -*-===//
//
// Part of Ringi. The type of an activation that waits for the backward part.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TYPES
#define RINGI_TYPES

include "mlir/IR/AttrTypeBase.td"
include "ringi/Dialect/Ringi/IR/RingiDialect.td"
include "ringi/Interfaces/RingiInterfaces.td"

def Ringi_SavedType : TypeDef<Ringi_Dialect, "Saved",
    [DeclareTypeInterfaceMethods<StorageTypeInterface>]> {
  let mnemonic = "saved";
  let summary = "a tensor saved by the forward part for the backward part";
  let description = [{
    What `ringi.save` makes and `ringi.load` opens. It shares the storage of the tensor
    it saves; the type keeps what crosses from forward to backward visible in the IR.
  }];
  let parameters = (ins TypeParameter<"::mlir::RankedTensorType", "the saved tensor">:$tensorType);
  let builders = [TypeBuilderWithInferredContext<(ins "::mlir::RankedTensorType":$tensorType), [{
    return $_get(tensorType.getContext(), tensorType);
  }]>];
  let assemblyFormat = "`<` $tensorType `>`";
}

#endif // RINGI_TYPES
