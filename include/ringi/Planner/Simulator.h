//===- Simulator.h - Liveness and resident bytes of a plan ------*- C++ -*-===//
//
// Part of Ringi. The one definition of memory in the planner: which buffer is
// alive at which execution, what runs in place, and the live peak. The verifier
// (Verifier.h) computes the same by other means and shares no code with this
// file.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_SIMULATOR_H
#define RINGI_PLANNER_SIMULATOR_H

#include "ringi/Planner/Plan.h"

namespace ringi::planner {

/// One occupation of bytes: an initial storage, the result of one execution, or
/// its workspace.
struct Buffer {
  /// kNone for a workspace.
  StorageIndex storage = kNone;
  /// The execution that writes it; kNone when it exists before the step.
  ExecutionIndex execution = kNone;
  int64_t bytes = 0;
  /// First and last execution (both inclusive) at which it occupies memory.
  /// Persistent storages and outputs reach from 0 or their computation to the
  /// last execution.
  ExecutionIndex first = 0, last = 0;
  /// Written over this buffer (index into Timeline::buffers) in place; kNone
  /// otherwise. The predecessor's `last` is then this->first, and during that
  /// execution the bytes count once.
  int32_t reuses = kNone;
};

/// Memory of a plan over time. Buffers stand in this order: storages that exist
/// before the step, ascending (without those that nothing reads, keeps or
/// returns: they occupy nothing), then per execution its results and its
/// workspace.
struct Timeline {
  std::vector<Buffer> buffers;
  /// Resident bytes at each execution: persistent + alive + results +
  /// workspace.
  std::vector<int64_t> resident;
  int64_t livePeak = 0;
  /// The first execution at which livePeak is reached; kNone for an empty
  /// schedule.
  ExecutionIndex peakExecution = kNone;
};

/// Simulates `plan` under the memory model: allocate results and workspace,
/// run, then free what is not read again.
///
/// In place: walking an op's pairs in order, a pair applies when its input's
/// buffer is read for the last time here, is no output of the step, has equal
/// bytes, and neither buffer is taken by an earlier pair. A persistent storage
/// may only be overwritten by a `required` pair; the result then lives in the
/// persistent bytes, which stay occupied to the last execution. A required pair
/// whose input is read again later is an error.
///
/// \returns the timeline, or an error when a read names an execution that is
/// not earlier, does not compute the storage, or reads bytes that were
/// overwritten. O(n + m) for n executions with m reads.
Expected<Timeline> simulate(const Problem &problem, const Plan &plan);

} // namespace ringi::planner

#endif // RINGI_PLANNER_SIMULATOR_H
