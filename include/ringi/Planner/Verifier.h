//===- Verifier.h - Independent check of a plan -----------------*- C++ -*-===//
//
// Part of Ringi. Re-simulates a plan execution by execution with a set of live
// copies, sharing no code with the planner or the simulator: the plan's own
// claim is never trusted.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_VERIFIER_H
#define RINGI_PLANNER_VERIFIER_H

#include "ringi/Planner/Plan.h"

namespace ringi::planner {

/// What the verifier measured.
struct VerifiedPlan {
  int64_t livePeak = 0;
  double recomputeCost = 0;
  int64_t recomputes = 0;
};

/// Checks that every op runs at least once, each read is of a value computed
/// before and not yet freed or overwritten, ops that are not recomputable run
/// once, ordered ops run in the given order, marks are honoured (MustKeep: the
/// producer runs once; MustRecompute: no copy computed in the forward phase is
/// read in the backward phase, as findBackwardExecutions in Plan.h splits
/// them), outputs are computed, the peak is what is claimed and at most the
/// budget when there is one. Errors name the execution, the op, both numbers
/// and the remedy.
Expected<VerifiedPlan> verifyPlan(const Problem &problem, const Plan &plan);

} // namespace ringi::planner

#endif // RINGI_PLANNER_VERIFIER_H
