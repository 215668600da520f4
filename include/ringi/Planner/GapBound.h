//===- GapBound.h - A lower bound from gaps between uses --------*- C++ -*-===//
//
// Part of Ringi. Between two consecutive needs of a value lies a gap. If the
// value is absent at any moment of the gap it is recomputed at least once
// inside it. At every op the values whose gaps contain it and that are not
// dropped must fit beside the op's own bytes.
//
// Two relaxations are solved and the larger kept: the linear program over all
// ops, which is a minimum-cost flow since a gap covers consecutive ops; and,
// for single ops, the exact 0/1 covering problem. It is the optimum of
// Checkmate's model (Jain et al. 2020) on its smaller graphs. Its limit: a
// recompute whose own inputs are gone counts as if they were there.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_GAPBOUND_H
#define RINGI_PLANNER_GAPBOUND_H

#include "ringi/Planner/SnapshotBound.h"

namespace ringi::planner {

/// Valid for every schedule whose first executions keep the given order,
/// however often it recomputes. Rows are generated for the ops over budget
/// only; graphs of more than 20,000 gaps get the single worst op's relaxation.
/// `nodeLimit` bounds the covering search.
CostBound computeGapBound(const Problem &problem, int64_t budget,
                          int64_t nodeLimit = 500'000);

} // namespace ringi::planner

#endif // RINGI_PLANNER_GAPBOUND_H
