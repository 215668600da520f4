//===- GapExpansion.h - From drops between uses to a schedule ---*- C++ -*-===//
//
// Part of Ringi. A value may be dropped in any gap between two of its uses; it
// then comes back right before the use that ends the gap, or earlier when the
// replay of another value needs it. This turns such decisions into a schedule
// in the given order, with its cost and peak, fast enough to be called for
// every candidate of a search.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_GAPEXPANSION_H
#define RINGI_LIB_PLANNER_GAPEXPANSION_H

#include "FlatProblem.h"
#include "ringi/Planner/Plan.h"

namespace ringi::planner {

/// What happens to a value in one gap.
enum GapState : uint8_t {
  /// It stays, or, after its last use, may be read again by a replay.
  Hold,
  /// It is dropped at the gap's start. A copy that a replay makes inside the
  /// gap stays until the use that ends it.
  Drop,
  /// As Drop, but a copy made inside the gap goes again at once.
  DropTwice
};

/// Parallel to the gaps of FlatProblem.
using GapStates = std::vector<uint8_t>;

/// A plan in flat arrays.
struct FlatSchedule {
  std::vector<OpIndex> ops;
  /// reads[readBegin[e] + i]: the execution read by operand i of execution e.
  std::vector<int32_t> readBegin;
  std::vector<ExecutionIndex> reads;
  std::vector<ExecutionIndex> outputs;
  /// Resident bytes at each execution.
  std::vector<int64_t> resident;
  double cost = 0;
  int64_t recomputes = 0;
  int64_t peak = 0;
  ExecutionIndex peakExecution = kNone;
};

/// Every value that a replay is not asked for stays to its last use; nothing is
/// recomputed except for what `mark` forces.
GapStates holdEverything(const FlatProblem &flat);

class GapExpander {
public:
  explicit GapExpander(const FlatProblem &flat);

  /// Expands `states`. A dropped value that cannot be recomputed is held
  /// whatever its state says. \returns false when a replay would read bytes
  /// that were overwritten; failedOp() then names the op that cannot run again.
  /// O(n + m + clones).
  bool expand(const GapStates &states, FlatSchedule &schedule);
  OpIndex failedOp() const { return failed; }

private:
  bool stale(StorageIndex s, bool forBackward) const;
  bool bringBack(StorageIndex s, bool forBackward, FlatSchedule &schedule);
  void emit(OpIndex op, bool clone, FlatSchedule &schedule);
  void measure(FlatSchedule &schedule);

  const FlatProblem &flat;
  const GapStates *states = nullptr;
  OpIndex failed = kNone;
  bool hasPairs = false, hasForced = false;
  std::vector<uint8_t> gone, overwritten, forced, forwardCopy, pending;
  std::vector<int32_t> used;
  std::vector<ExecutionIndex> copy;
  std::vector<OpIndex> stack, wanted;
  std::vector<StorageIndex> transient;
  // Of measure(): per copy (initial storages first) its last execution.
  std::vector<int32_t> base, lastRead;
  std::vector<uint8_t> leaves, taken, settled;
  std::vector<int64_t> change;
};

/// The schedule as a plan of that strategy, claims filled but for the bound.
Plan makePlan(const FlatProblem &flat, const FlatSchedule &schedule,
              const std::string &strategy);

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_GAPEXPANSION_H
