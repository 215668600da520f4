//===- NameScope.h - Where a frontend says an op came from ------*- C++ -*-===//
//
// Part of Ringi. JAX, PyTorch and Flax name the part of the model that an op
// belongs to: "jit(step)/transpose(jvp(layer_3))/dot_general". The name stands
// in the op's location, or in an attribute that an op table names.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ANALYSIS_NAMESCOPE_H
#define RINGI_ANALYSIS_NAMESCOPE_H

#include "ringi/Analysis/OpModel.h"

#include <string>

namespace ringi {

/// The name scope of `op`; empty when it has none. An op that came out of a
/// call has the scope of the call before its own.
std::string getNameScope(mlir::Operation *op, const OpModel &model);

} // namespace ringi

#endif // RINGI_ANALYSIS_NAMESCOPE_H
