//===- BlockMarking.h - Checkpointable units of foreign IR ------*- C++ -*-===//
//
// Part of Ringi. The strategies every-block and sqrt work on blocks. Frontends
// that know nothing of `ringi.block` name them in their scopes, or repeat the
// same segment once per layer.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ANALYSIS_BLOCKMARKING_H
#define RINGI_ANALYSIS_BLOCKMARKING_H

#include "ringi/Analysis/ActivationGraph.h"

namespace ringi {

/// Writes `ringi.block` on the ops of `graph` that have none.
///
/// \param how "detect": the segments between single-value separators that
/// repeat the most of the forward part (planner/BlockDetection.h); anything
/// else is a regular expression that is searched in each op's name scope, and
/// the block is what its first group matched, or all of it without a group.
///
/// Emits an error and fails for an expression that is none or that no scope
/// matches, and when no segment repeats.
mlir::LogicalResult markBlocks(const ActivationGraph &graph,
                               llvm::StringRef how);

} // namespace ringi

#endif // RINGI_ANALYSIS_BLOCKMARKING_H
