//===- RingiTypes.cpp - Types of the ringi dialect ------------------------===//
//
// Part of Ringi. !ringi.saved.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiTypes.h"
#include "ringi/Dialect/Ringi/IR/RingiDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ringi;

#define GET_TYPEDEF_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiTypes.cpp.inc"

void RingiDialect::registerTypes() {
  addTypes<
#define GET_TYPEDEF_LIST
#include "ringi/Dialect/Ringi/IR/RingiTypes.cpp.inc"
      >();
}

std::optional<int64_t> SavedType::getStorageBytes() const {
  return ::ringi::getStorageBytes(getTensorType());
}
