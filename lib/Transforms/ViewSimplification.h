//===- ViewSimplification.h - Views stock passes leave alone ----*- C++ -*-===//
//
// Part of Ringi. Views in the form that stock canonicalization and CSE keep.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_VIEWSIMPLIFICATION_H
#define RINGI_LIB_TRANSFORMS_VIEWSIMPLIFICATION_H

#include "mlir/IR/Block.h"

namespace ringi {

/// Folds the views of `block` into one another, merges equal ones and erases
/// those that nobody reads, as stock canonicalization and CSE would: these must
/// not change the op counts of a planned step. Other ops stay as they are.
void simplifyViews(mlir::Block &block);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_VIEWSIMPLIFICATION_H
