//===- MemoryAssignment.h - Slots of one arena ------------------*- C++ -*-===//
//
// Part of Ringi. The offsets that --ringi-assign-memory chose, computed from a
// graph or read back from the IR, joined with the simulator's buffers.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_MEMORYASSIGNMENT_H
#define RINGI_TRANSFORMS_MEMORYASSIGNMENT_H

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Planner/Simulator.h"

namespace ringi {

struct MemoryAssignment {
  /// Buffers of the step in its given order (execution i is op i).
  planner::Timeline timeline;
  /// Bytes into the arena, parallel to timeline.buffers.
  std::vector<int64_t> offsets;
  int64_t plannedPeak = 0;
  /// planner::pack() proved that no packing is lower.
  bool optimal = false;
};

/// Packs the buffers. What lives during the whole step lies at the bottom: it
/// splits the arena wherever it is, so nothing is lost. A buffer that is
/// written over another shares its slot.
Expected<MemoryAssignment> assignMemory(const ActivationGraph &graph,
                                        int64_t effort);

/// Writes the assignment on the function and its ops.
void writeAssignment(const ActivationGraph &graph,
                     const MemoryAssignment &assignment);

/// Reads it back; emits an error for missing or malformed attributes.
mlir::FailureOr<MemoryAssignment> readAssignment(const ActivationGraph &graph);

} // namespace ringi

#endif // RINGI_TRANSFORMS_MEMORYASSIGNMENT_H
