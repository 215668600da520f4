//===- RingiAttrs.h - Attributes of the ringi dialect -----------*- C++ -*-===//
//
// Part of Ringi. C++ side of RingiAttrs.td.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_DIALECT_RINGI_IR_RINGIATTRS_H
#define RINGI_DIALECT_RINGI_IR_RINGIATTRS_H

#include "mlir/IR/BuiltinAttributes.h"

namespace ringi {
struct DeviceSpec;
} // namespace ringi

#include "ringi/Dialect/Ringi/IR/RingiEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiAttrs.h.inc"

#endif // RINGI_DIALECT_RINGI_IR_RINGIATTRS_H
