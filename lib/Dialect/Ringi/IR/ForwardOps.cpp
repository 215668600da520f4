//===- ForwardOps.cpp - Ops of forward models -----------------------------===//
//
// Part of Ringi. Effects of dropout, and the folders that are exact.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace ringi;

#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiForwardOps.cpp.inc"

void RingiDialect::registerForwardOps() {
  addOperations<
#define GET_OP_LIST
#include "ringi/Dialect/Ringi/IR/RingiForwardOps.cpp.inc"
      >();
}

/// A dropout without an id is one of its kind: it must not be merged, moved out
/// of a loop or dropped.
template <typename Effects>
static void randomEffects(std::optional<uint64_t> id, Effects &effects) {
  if (!id)
    effects.emplace_back(MemoryEffects::Write::get(), RandomResource::get());
}

void DropoutOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  randomEffects(getRandomId(), effects);
}

Speculation::Speculatability DropoutOp::getSpeculatability() {
  return getRandomId() ? Speculation::Speculatable
                       : Speculation::NotSpeculatable;
}

void DropoutMaskOp::getEffects(
    SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>>
        &effects) {
  randomEffects(getRandomId(), effects);
}

Speculation::Speculatability DropoutMaskOp::getSpeculatability() {
  return getRandomId() ? Speculation::Speculatable
                       : Speculation::NotSpeculatable;
}

OpFoldResult ScaleOp::fold(FoldAdaptor) {
  // Times 1 keeps every bit of every number, and a NaN a NaN.
  if (!getInplace() && getFactor().convertToDouble() == 1.0)
    return getX();
  return {};
}
