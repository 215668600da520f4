//===- BackwardOps.cpp - Derivatives of forward ops -----------------------===//
//
// Part of Ringi. Registers them; all they do is stated in RingiBackwardOps.td.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;
using namespace ringi;

#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiBackwardOps.cpp.inc"

void RingiDialect::registerBackwardOps() {
  addOperations<
#define GET_OP_LIST
#include "ringi/Dialect/Ringi/IR/RingiBackwardOps.cpp.inc"
      >();
}
