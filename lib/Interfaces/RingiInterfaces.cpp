//===- RingiInterfaces.cpp - How any dialect takes part -------------------===//
//
// Part of Ringi. The safe defaults of the interfaces: bytes of builtin types;
// and which values their readers make.
//
//===----------------------------------------------------------------------===//

#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

#include "ringi/Interfaces/RingiOpInterfaces.cpp.inc"
#include "ringi/Interfaces/RingiTypeInterfaces.cpp.inc"

std::optional<int64_t> ringi::getStorageBytes(Type type) {
  if (auto storage = dyn_cast<StorageTypeInterface>(type))
    return storage.getStorageBytes();
  auto shaped = dyn_cast<ShapedType>(type);
  if (!isa<RankedTensorType, VectorType>(type) || !shaped.hasStaticShape())
    return std::nullopt;
  if (auto vector = dyn_cast<VectorType>(type); vector && vector.isScalable())
    return std::nullopt;
  Type element = shaped.getElementType();
  int64_t bits = 0;
  if (auto complex = dyn_cast<ComplexType>(element))
    bits = 2 * int64_t(complex.getElementType().getIntOrFloatBitWidth());
  else if (element.isIntOrFloat())
    bits = element.getIntOrFloatBitWidth();
  else if (element.isIndex())
    bits = 64;
  else
    return std::nullopt;
  for (int64_t size : shaped.getShape())
    if (__builtin_mul_overflow(bits, size, &bits))
      return std::nullopt;
  return bits / 8 + (bits % 8 != 0);
}

double ringi::detail::defaultBytesAccessed(Operation *op) {
  double bytes = 0;
  for (Type type : op->getOperandTypes())
    bytes += static_cast<double>(getStorageBytes(type).value_or(0));
  for (Type type : op->getResultTypes())
    bytes += static_cast<double>(getStorageBytes(type).value_or(0));
  return bytes;
}

bool ringi::isScalarConstant(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->hasTrait<OpTrait::ConstantLike>() &&
         !isa<ShapedType>(value.getType());
}

bool ringi::isMadeByReaders(Value value) {
  auto known = value.getDefiningOp<RecomputeOpInterface>();
  if (!known)
    return false;
  if (auto source =
          known.getViewSource(cast<OpResult>(value).getResultNumber()))
    return isMadeByReaders(known->getOperand(source->operand));
  return known->getNumResults() == 1 && known.isMadeByReaders() &&
         llvm::all_of(known->getOperands(), [](Value operand) {
           return isScalarConstant(operand) || isMadeByReaders(operand);
         });
}
