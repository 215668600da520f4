//===- LoopPlanner.h - Checkpoints for a loop and its reversal --*- C++ -*-===//
//
// Part of Ringi. A forward loop of T equal iterations and the loop that walks
// back over them: which carried states to store and what to replay, under a
// byte budget.
//
// Periodic segments are Chen et al. 2016; the binomial schedule is revolve
// (Griewank, Walther 2000), optimal in forward steps for equal iterations.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_LOOPPLANNER_H
#define RINGI_PLANNER_LOOPPLANNER_H

#include "ringi/Support/Expected.h"

#include <cstdint>
#include <vector>

namespace ringi::planner {

struct LoopProblem {
  /// Iterations; may be 0.
  int64_t trips = 0;
  /// Bytes carried from one iteration to the next.
  int64_t carryBytes = 0;
  /// Bytes that one iteration's reversal needs beside its incoming carry.
  int64_t internalBytes = 0;
  /// Bytes that the loop may hold for its reversal.
  int64_t budget = 0;
};

enum class LoopScheme : uint8_t {
  /// Every iteration's carry and internals are stored: no replay.
  KeepAll,
  /// The carry is stored every `segment` iterations; a segment is replayed once
  /// and its internals stored while it is reversed.
  Periodic,
  /// revolve with `checkpoints` stored carries; iterations may be replayed many
  /// times and only one iteration's internals exist at a time.
  Binomial
};

struct LoopPlan {
  LoopScheme scheme = LoopScheme::KeepAll;
  int64_t segment = 0;
  int64_t checkpoints = 0;
  /// Bytes held at the worst moment, and iterations executed forward beyond the
  /// first `trips`.
  int64_t peak = 0;
  int64_t replays = 0;
};

/// Bytes of the periodic scheme: ceil(T/segment) carries + one segment's
/// carries and internals (segment capped at T). 0 for T = 0.
int64_t periodicLoopPeak(int64_t trips, int64_t carryBytes,
                         int64_t internalBytes, int64_t segment);

/// The cheapest of the schemes within the budget, the lower peak on ties.
/// \returns a Refused error with the least feasible bytes when none fits, and a
/// BadInput error for negative numbers or sums beyond 2^62. O(sqrt T + log T).
Expected<LoopPlan> planLoop(const LoopProblem &problem);

/// Griewank and Walther's closed form: the least number of iterations to
/// advance through, first sweep included, to reverse `steps` iterations with at
/// most `checkpoints` stored states, the first one included. The execution that
/// records an iteration right before its reversal is not counted. Saturates at
/// 2^62. Requires checkpoints >= 1 when steps > 0. O(repetitions).
int64_t revolveForwardSteps(int64_t steps, int64_t checkpoints);

/// How far revolve advances from a stored state before it stores the next one,
/// when `steps` > 1 iterations remain and `checkpoints` >= 2 states, the
/// current one included, may be stored.
int64_t revolveAdvance(int64_t steps, int64_t checkpoints);

/// One step of a loop's execution.
struct LoopAction {
  enum Kind : uint8_t {
    Store,   ///< keep the carry entering iteration `from`
    Load,    ///< make the stored carry entering iteration `from` current
    Discard, ///< free the stored carry entering iteration `from`
    Advance, ///< run iterations [from, to) without storing internals
    Record,  ///< run iterations [from, to) and store their internals
    Reverse  ///< reverse iterations [from, to), the last first
  };
  Kind kind = Advance;
  int64_t from = 0, to = 0;
};

/// The whole schedule, first sweep included: what a pass or an interpreter
/// carries out.
std::vector<LoopAction> expandLoop(int64_t trips, const LoopPlan &plan);

} // namespace ringi::planner

#endif // RINGI_PLANNER_LOOPPLANNER_H
