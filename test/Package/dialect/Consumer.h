//===- Consumer.h - A dialect of somebody else ------------------*- C++ -*-===//
//
// Part of Ringi. C++ side of Consumer.td.
//
//===----------------------------------------------------------------------===//

#ifndef CONSUMER_H
#define CONSUMER_H

#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"

#include "ConsumerDialect.h.inc"

#define GET_OP_CLASSES
#include "ConsumerOps.h.inc"

#endif // CONSUMER_H
