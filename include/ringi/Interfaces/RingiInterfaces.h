//===- RingiInterfaces.h - How any dialect takes part --------- -*- C++ -*-===//
//
// Part of Ringi. C++ side of RingiInterfaces.td: the structs that interface
// methods exchange and the safe defaults.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_INTERFACES_RINGIINTERFACES_H
#define RINGI_INTERFACES_RINGIINTERFACES_H

#include "ringi/Planner/Problem.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace ringi {

/// Result `result` may be written over operand `operand` when that dies at the
/// op; `required` when it always is.
struct InPlaceOperand {
  unsigned operand = 0;
  unsigned result = 0;
  bool required = false;
};

/// A view shares the storage of operand `operand`, starting `byteOffset` bytes
/// into it.
struct ViewSource {
  unsigned operand = 0;
  int64_t byteOffset = 0;
};

/// Bytes of a value of this type, unaligned: ranked tensors and vectors with
/// static shape (f4 packs two per byte) and types with StorageTypeInterface;
/// nothing otherwise.
std::optional<int64_t> getStorageBytes(mlir::Type type);

namespace detail {
/// Sum of the storage bytes of all operands and results.
double defaultBytesAccessed(mlir::Operation *op);
} // namespace detail

} // namespace ringi

#include "ringi/Interfaces/RingiOpInterfaces.h.inc"
#include "ringi/Interfaces/RingiTypeInterfaces.h.inc"

namespace ringi {

/// A scalar that the IR states: costs nothing and holds no bytes.
bool isScalarConstant(mlir::Value value);

/// `value` is what its readers make (RecomputeOpInterface::isMadeByReaders down
/// to scalar constants), or a view of that.
bool isMadeByReaders(mlir::Value value);

} // namespace ringi

#endif // RINGI_INTERFACES_RINGIINTERFACES_H
