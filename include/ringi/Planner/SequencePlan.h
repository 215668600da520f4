//===- SequencePlan.h - From an order of executions to a plan ---*- C++ -*-===//
//
// Part of Ringi. Searches that only decide which op runs when need not say
// which copy of a value is read: it is the latest.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_SEQUENCEPLAN_H
#define RINGI_PLANNER_SEQUENCEPLAN_H

#include "ringi/Planner/Plan.h"

#include <vector>

namespace ringi::planner {

/// The plan that runs `sequence` in order, an op as often as it stands there,
/// in which every read and every output takes the copy made last. Claims are
/// left empty (fillClaims). O(n + m).
///
/// \p sequence has every op at least once and each after one execution of what
/// it reads.
Plan planOfSequence(const Problem &problem,
                    const std::vector<OpIndex> &sequence);

} // namespace ringi::planner

#endif // RINGI_PLANNER_SEQUENCEPLAN_H
