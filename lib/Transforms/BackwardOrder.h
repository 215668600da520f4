//===- BackwardOrder.h - A backward part that frees early -------*- C++ -*-===//
//
// Part of Ringi. Some frontends put all weight gradients and updates at the end
// of the step, where they hold every activation to the end (XLA prints a step
// in the order of its results). Under order=free they may run where they free.
//
// Greedy: an op behind the forward part runs as soon as it frees no fewer bytes
// than it makes; all else keeps its order. Steps that overwrite their arguments
// keep theirs.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_BACKWARDORDER_H
#define RINGI_LIB_TRANSFORMS_BACKWARDORDER_H

#include "ringi/Planner/Plan.h"

namespace ringi {

/// The ops of `problem` in an order that keeps its forward ops first and as
/// they stand, and whose live peak is at most `keepAllPeak`, that of the given
/// order; the given one where none is found. O((n + m) log n).
std::vector<planner::OpIndex> orderBackward(const planner::Problem &problem,
                                            int64_t keepAllPeak);

/// `problem` with its ops in `order`; storages keep their numbers.
planner::Problem reorder(const planner::Problem &problem,
                         const std::vector<planner::OpIndex> &order);

/// Renames the ops of a plan of reorder(problem, order) to those of `problem`.
void restoreOps(planner::Plan &plan,
                const std::vector<planner::OpIndex> &order);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_BACKWARDORDER_H
