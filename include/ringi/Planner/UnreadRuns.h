//===- UnreadRuns.h - No op runs for nothing --------------------*- C++ -*-===//
//
// Part of Ringi. Drops the runs of a plan whose results nobody reads.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_UNREADRUNS_H
#define RINGI_PLANNER_UNREADRUNS_H

#include "ringi/Planner/Plan.h"
#include "ringi/Planner/Strategies.h"

namespace ringi::planner {

/// Drops every run of an op none of whose results is read or leaves the step,
/// as long as the op keeps one run; then the runs that fed only those. What
/// reads the results is untouched, so cost and live peak never rise. A search
/// has such runs where they cost nothing in its eyes (a transpose of 0 FLOPs);
/// a compiler would erase them later, and the IR would no longer be the plan.
///
/// With Order::Free an op's first run may go too, and its next run becomes the
/// first one: the op has moved. With Order::Fixed first runs stay, read or not,
/// and so do those of storages marked must-recompute. Claims are filled anew;
/// the lower bound stays. O(executions).
void dropUnreadRuns(const Problem &problem, Plan &plan, Order order);

} // namespace ringi::planner

#endif // RINGI_PLANNER_UNREADRUNS_H
