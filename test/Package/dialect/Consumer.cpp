//===- Consumer.cpp - A dialect of somebody else --------------------------===//
//
// Part of Ringi. The facts of one op, as a dialect's author states them.
//
//===----------------------------------------------------------------------===//

#include "Consumer.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace consumer;

void ConsumerDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "ConsumerOps.cpp.inc"
      >();
}

ringi::planner::OpClass SwishOp::getOpClass() {
  return ringi::planner::OpClass::Elementwise;
}

double SwishOp::getFlops() {
  return 4.0 * double(getInput().getType().getNumElements());
}

int64_t SwishOp::getWorkspaceBytes() { return 1024; }

#include "ConsumerDialect.cpp.inc"

#define GET_OP_CLASSES
#include "ConsumerOps.cpp.inc"
