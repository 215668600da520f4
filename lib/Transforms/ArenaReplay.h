//===- ArenaReplay.h - The arena, written and read run by run ---*- C++ -*-===//
//
// Part of Ringi. The half of --ringi-verify-plan that looks at addresses: a map
// from bytes of the arena to the value they hold. Shares no code with the
// packer.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_ARENAREPLAY_H
#define RINGI_LIB_TRANSFORMS_ARENAREPLAY_H

#include "StepReplay.h"

namespace ringi {

/// Runs the step over the offsets that the IR carries: fails when a run reads
/// bytes that another value was written over, writes over what it reads
/// without leave, when an output or an argument does not survive to the end,
/// or when an offset is missing, not aligned or beyond the claimed peak.
/// StepReplay::livePeak() was called before.
mlir::LogicalResult replayArena(mlir::FunctionOpInterface function,
                                const StepReplay &replay, int64_t alignment,
                                int64_t gemmWorkspace, int64_t plannedPeak);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_ARENAREPLAY_H
