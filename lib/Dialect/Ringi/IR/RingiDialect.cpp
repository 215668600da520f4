//===- RingiDialect.cpp - The ringi dialect -------------------------------===//
//
// Part of Ringi. Registers the dialect's parts and verifies the discardable
// attributes it defines on functions and their arguments.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiDialect.h"
#include "ringi/Dialect/Ringi/IR/RingiAttrs.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace ringi;

#include "ringi/Dialect/Ringi/IR/RingiDialect.cpp.inc"

void RingiDialect::initialize() {
  registerAttributes();
  registerTypes();
  registerStructureOps();
  registerForwardOps();
  registerShapeOps();
  registerBackwardOps();
  registerUpdateOps();
}

static constexpr StringLiteral kArgumentRoles[] = {
    "parameter", "input", "target",          "constant_state",
    "seed",      "step",  "optimizer_state", "learning_rate"};
static constexpr StringLiteral kResultRoles[] = {
    "loss", "updated_parameter", "updated_state", "gradient", "output"};
static constexpr StringLiteral kPhases[] = {"forward", "backward", "optimizer"};

/// Fails unless `attribute` is one of the strings `known`.
static LogicalResult verifyWord(Operation *op, NamedAttribute attribute,
                                ArrayRef<StringLiteral> known) {
  auto word = dyn_cast<StringAttr>(attribute.getValue());
  if (word && llvm::is_contained(known, word.getValue()))
    return success();
  return op->emitOpError() << "'" << attribute.getName().getValue() << "' is "
                           << attribute.getValue() << "; known are "
                           << llvm::join(known, ", ");
}

/// Fails unless `attribute` is a string.
static LogicalResult verifyString(Operation *op, NamedAttribute attribute) {
  if (isa<StringAttr>(attribute.getValue()))
    return success();
  return op->emitOpError() << "'" << attribute.getName().getValue()
                           << "' must be a string, but is "
                           << attribute.getValue();
}

LogicalResult RingiDialect::verifyOperationAttribute(Operation *op,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == attr::kPhase)
    return verifyWord(op, attribute, kPhases);
  if (name == attr::kBlock || name == attr::kName)
    return verifyString(op, attribute);
  if (name == attr::kStep) {
    if (!isa<FunctionOpInterface>(op))
      return op->emitOpError() << "'" << name << "' belongs on a function";
    if (!isa<UnitAttr>(attribute.getValue()))
      return op->emitOpError() << "'" << name << "' takes no value, but is "
                               << attribute.getValue();
  }
  return success();
}

LogicalResult RingiDialect::verifyRegionArgAttribute(Operation *op,
                                                     unsigned regionIndex,
                                                     unsigned argIndex,
                                                     NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == attr::kRole)
    return verifyWord(op, attribute, kArgumentRoles);
  if (name == attr::kName)
    return verifyString(op, attribute);
  if (name == attr::kFrozen && !isa<UnitAttr>(attribute.getValue()))
    return op->emitOpError() << "'" << name << "' takes no value, but is "
                             << attribute.getValue();
  if (name != attr::kInit)
    return success();
  auto init = dyn_cast<InitAttr>(attribute.getValue());
  if (!init)
    return op->emitOpError()
           << "'" << name << "' of argument #" << argIndex
           << " must be a #ringi.init, but is " << attribute.getValue();
  auto tensor = dyn_cast<RankedTensorType>(
      op->getRegion(regionIndex).getArgument(argIndex).getType());
  bool isInteger = tensor && tensor.getElementType().isInteger();
  bool needsFloat =
      init.getKind() == InitKind::Normal || init.getKind() == InitKind::Uniform;
  if (init.getKind() == InitKind::Tokens && !isInteger)
    return op->emitOpError()
           << "argument #" << argIndex
           << " is initialised with tokens and must be an integer tensor";
  if (needsFloat && isInteger)
    return op->emitOpError()
           << "argument #" << argIndex << " is initialised with "
           << stringifyInitKind(init.getKind())
           << " and must be a floating-point tensor";
  return success();
}

LogicalResult
RingiDialect::verifyRegionResultAttribute(Operation *op, unsigned regionIndex,
                                          unsigned resultIndex,
                                          NamedAttribute attribute) {
  StringRef name = attribute.getName().getValue();
  if (name == attr::kRole)
    return verifyWord(op, attribute, kResultRoles);
  if (name == attr::kName || name == attr::kUpdates)
    return verifyString(op, attribute);
  return success();
}
