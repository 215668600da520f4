//===- LoopLevelChoice.h - How much the loops of a step stack ---*- C++ -*-===//
//
// Part of Ringi. Loops and the step around them share one budget.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_TRANSFORMS_LOOPLEVELCHOICE_H
#define RINGI_LIB_TRANSFORMS_LOOPLEVELCHOICE_H

#include "StackLevels.h"

#include "ringi/Planner/Strategies.h"

namespace ringi {

/// The level at which loops and the step around them cost least together within
/// `ask.budget`; where none fits, the one that comes nearest. Emits an error
/// and fails when a level makes a step that cannot be read.
mlir::FailureOr<size_t> chooseStackLevel(mlir::FunctionOpInterface step,
                                         const StackLevels &levels,
                                         const GraphOptions &options,
                                         const planner::StrategyOptions &ask);

} // namespace ringi

#endif // RINGI_LIB_TRANSFORMS_LOOPLEVELCHOICE_H
