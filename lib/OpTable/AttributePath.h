//===- AttributePath.h - Integers inside attributes -------------*- C++ -*-===//
//
// Part of Ringi. Formulas name the integers of an attribute by a path. The
// attribute may be of a dialect that is not loaded and thus be opaque text
// (`#stablehlo.dot<lhs_contracting_dimensions = [2], ...>`), or a string of
// another notation ("size=3x3 stride=2x2").
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_OPTABLE_ATTRIBUTEPATH_H
#define RINGI_LIB_OPTABLE_ATTRIBUTEPATH_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <string>

namespace ringi {

/// The integers that `path` names on `op`: an attribute, or after dots entries
/// of dictionaries and `key = ...` inside text. Nothing when the attribute or
/// the entry is missing or holds no integers; an empty list is a value.
std::optional<llvm::SmallVector<int64_t>> readIntegers(mlir::Operation *op,
                                                       llvm::StringRef path);

/// The letters and digits of the text of attribute `path`, its groups
/// separated by '_' and '>': "b01f_01io>b01f" for "b01f_01io->b01f" and for
/// `#stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>`. Nothing when it
/// is missing.
std::optional<std::string> readLabels(mlir::Operation *op,
                                      llvm::StringRef path);

} // namespace ringi

#endif // RINGI_LIB_OPTABLE_ATTRIBUTEPATH_H
