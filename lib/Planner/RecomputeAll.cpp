//===- RecomputeAll.cpp - Keep nothing ------------------------------------===//
//
// Part of Ringi. The other end of the scale from `none`: the fewest bytes cross
// from forward to backward, for a whole second forward phase.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/KeepPolicy.h"

namespace ringi::planner {

KeepPolicy keepNothing(const Problem &problem) {
  KeepPolicy policy;
  policy.keep.assign(problem.storages.size(), false);
  policy.reason.assign(problem.storages.size(), "recompute-all keeps nothing");
  return policy;
}

} // namespace ringi::planner
