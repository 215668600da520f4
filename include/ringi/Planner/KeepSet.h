//===- KeepSet.h - From a set of kept activations to a schedule -*- C++ -*-===//
//
// Part of Ringi. Most strategies decide only what crosses from forward to
// backward. This turns such a set into a plan: everything else is recomputed
// just before its first later use, and what several consumers share is replayed
// once while it is alive.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_KEEPSET_H
#define RINGI_PLANNER_KEEPSET_H

#include "ringi/Planner/Plan.h"

namespace ringi::planner {

/// Expands a keep set into a plan in the given order.
///
/// \param keep parallel to Problem::storages; true = the copy that the forward
/// phase computed serves the backward phase.
///   Storages that cannot be recomputed, are persistent or are marked MustKeep
///   are kept whatever it says, and so are storages whose replay would read
///   bytes that a required in-place op has overwritten by then; those marked
///   MustRecompute are dropped whatever it says.
/// \param group parallel to Problem::storages or empty: storages of one group
/// (a checkpointed segment) share one replay, which
///   stays alive until its last reader of the group; kNone groups nothing.
///
/// Clones go right before the first consumer that needs them (never to the
/// start of backward), a clone nobody reads is not made, and a clone's own
/// inputs are recomputed in turn. O(n + m + clones).
Plan expandKeepSet(const Problem &problem, const std::vector<bool> &keep,
                   const std::vector<int32_t> &group = {});

} // namespace ringi::planner

#endif // RINGI_PLANNER_KEEPSET_H
