//===- RingiOpBase.td - What all ringi ops share -----------*- tablegen -*-===//
//
// Part of Ringi. Tensor constraints, resources and the base classes of the ops.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_OP_BASE
#define RINGI_OP_BASE

include "mlir/IR/CommonAttrConstraints.td"
include "mlir/IR/CommonTypeConstraints.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/InferTypeOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "ringi/Dialect/Ringi/IR/RingiAttrs.td"
include "ringi/Dialect/Ringi/IR/RingiTypes.td"
include "ringi/Interfaces/RingiInterfaces.td"

/// The element types that kernels compute with.
def Ringi_FloatTensor : StaticShapeTensorOf<[F64, F32, BF16, F16]>;
/// Statistics: f64 beside f64 tensors, f32 otherwise.
def Ringi_StatTensor : StaticShapeTensorOf<[F64, F32]>;
/// Token ids and class labels.
def Ringi_IndexTensor : StaticShapeTensorOf<[I32, I64]>;
/// A scalar that is a 0-d tensor.
def Ringi_IntScalar : ConfinedType<StaticShapeTensorOf<[I64]>, [HasAnyRankOfPred<[0]>],
    "0-d tensor of 64-bit integer">;
def Ringi_StatScalar : ConfinedType<StaticShapeTensorOf<[F64, F32]>, [HasAnyRankOfPred<[0]>],
    "0-d tensor of f64 or f32">;
def Ringi_MaskTensor : StaticShapeTensorOf<[I8]>;
/// What can be saved, reshaped or cut into pieces: any tensor of known size.
def Ringi_Tensor : StaticShapeTensorOf<[AnyFloat, AnySignlessInteger]>;

def Ringi_RandomResource : Resource<"::ringi::RandomResource">;
def Ringi_RecomputeResource : Resource<"::ringi::RecomputeResource">;

class Ringi_Op<string mnemonic, list<Trait> traits = []>
    : Op<Ringi_Dialect, mnemonic, traits>;

/// An op of docs/operations.md. The program's own signature check verifies it, so that dialect, program and kernels
/// cannot disagree. `opClass` is a case of planner::OpClass; `inPlace` lists {operand, result, required}.
class Ringi_ComputeOp<string mnemonic, string opClass, string inPlace = "",
                      list<Trait> traits = []>
    : Ringi_Op<mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<RecomputeOpInterface,
            ["isRecomputable", "getOpClass", "getFlops", "getBytesAccessed",
             "getWorkspaceBytes", "getInPlacePairs", "getViewSource"]>])> {
  let hasVerifier = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify() {
      return ::ringi::detail::verifySignature(getOperation());
    }
    bool $cppClass::isRecomputable() {
      return ::ringi::detail::isRecomputable(getOperation());
    }
    ::ringi::planner::OpClass $cppClass::getOpClass() {
      return ::ringi::detail::computeOpClass(getOperation(), ::ringi::planner::OpClass::}] # opClass # [{);
    }
    double $cppClass::getFlops() {
      return ::ringi::detail::computeFlops(getOperation());
    }
    double $cppClass::getBytesAccessed() {
      return ::ringi::detail::computeBytesAccessed(getOperation());
    }
    int64_t $cppClass::getWorkspaceBytes() {
      return ::ringi::detail::computeWorkspaceBytes(getOperation());
    }
    void $cppClass::getInPlacePairs(
        ::llvm::SmallVectorImpl<::ringi::InPlaceOperand> &pairs) {
      ::ringi::detail::appendInPlacePairs(getOperation(), {}] # inPlace # [{}, pairs);
    }
    std::optional<::ringi::ViewSource>
    $cppClass::getViewSource(unsigned resultNumber) {
      return ::ringi::detail::computeViewSource(getOperation(), resultNumber);
    }
  }];
}

/// The same for ops that autodiff can differentiate; the rules are in
/// lib/Dialect/Ringi/IR/Gradients*.cpp.
class Ringi_DifferentiableOp<string mnemonic, string opClass, string inPlace = "",
                             list<Trait> traits = []>
    : Ringi_ComputeOp<mnemonic, opClass, inPlace, !listconcat(traits, [
        DeclareOpInterfaceMethods<DifferentiableOpInterface>])>;

#endif // RINGI_OP_BASE
