//===- PeerRules.h - What other tools would recompute -----------*- C++ -*-===//
//
// Part of Ringi. Two published rules, written from their descriptions for
// comparison only. They are no strategies of the planner.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_BENCH_PLANNER_PEERRULES_H
#define RINGI_BENCH_PLANNER_PEERRULES_H

#include "ringi/Planner/Plan.h"

namespace ringi::planner {

/// PyTorch's AOTAutograd partitioner with an activation memory budget: a
/// minimum cut of saved bytes, each byte the dearer the further it is from the
/// backward phase (1.1 per step, at most 100 steps), in which gemms,
/// convolutions, attention and random ops may not be recomputed; then, for a
/// budget below 1, a knapsack over those ops chooses which of them stay saved
/// (most cost in the bytes that the budget leaves between nothing and the first
/// cut's), and the others join a second cut.
///
/// \param knob activation_memory_budget, 0 to 1. The rule counts saved bytes;
/// it does not look at the peak.
/// Left out: bans that serve kernel fusion.
Plan planByPyTorchRule(const Problem &problem, double knob);

/// XLA's HloRematerialization: walks a fixed schedule; where memory exceeds the
/// limit, the op whose recompute would free most bytes there is run again right
/// before its next use, for all its later uses. Clones are not recomputed
/// again, and the cost of the op does not count.
///
/// \returns the plan where nothing more can be freed or the limit holds; the
/// caller compares the peak.
Plan planByXlaRule(const Problem &problem, int64_t limit);

} // namespace ringi::planner

#endif // RINGI_BENCH_PLANNER_PEERRULES_H
