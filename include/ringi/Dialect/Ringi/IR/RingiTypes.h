//===- RingiTypes.h - Types of the ringi dialect ----------------*- C++ -*-===//
//
// Part of Ringi. C++ side of RingiTypes.td.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_DIALECT_RINGI_IR_RINGITYPES_H
#define RINGI_DIALECT_RINGI_IR_RINGITYPES_H

#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/IR/BuiltinTypes.h"

#define GET_TYPEDEF_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiTypes.h.inc"

#endif // RINGI_DIALECT_RINGI_IR_RINGITYPES_H
