//===- UpdateOps.cpp - Optimizer updates ----------------------------------===//
//
// Part of Ringi. Registers them; all they do is stated in RingiUpdateOps.td.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace ringi;

#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiUpdateOps.cpp.inc"

void RingiDialect::registerUpdateOps() {
  addOperations<
#define GET_OP_LIST
#include "ringi/Dialect/Ringi/IR/RingiUpdateOps.cpp.inc"
      >();
}
