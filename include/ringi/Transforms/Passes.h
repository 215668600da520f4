//===- Passes.h - Passes of Ringi -------------------------------*- C++ -*-===//
//
// Part of Ringi. Constructors, options and registration of every pass.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_PASSES_H
#define RINGI_TRANSFORMS_PASSES_H

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace mlir {
class ModuleOp;
} // namespace mlir

namespace ringi {

#define GEN_PASS_DECL
#include "ringi/Transforms/Passes.h.inc"

#define GEN_PASS_REGISTRATION
#include "ringi/Transforms/Passes.h.inc"

} // namespace ringi

#endif // RINGI_TRANSFORMS_PASSES_H
