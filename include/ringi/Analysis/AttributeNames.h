//===- AttributeNames.h - Attributes that passes use ------------*- C++ -*-===//
//
// Part of Ringi. The names of the `ringi.*` attributes beyond those of the
// dialect itself (RingiDialect.h): what users write to override or to mark, and
// what one pass leaves for the next.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ANALYSIS_ATTRIBUTENAMES_H
#define RINGI_ANALYSIS_ATTRIBUTENAMES_H

#include "ringi/Dialect/Ringi/IR/RingiDialect.h"

#include "llvm/ADT/StringRef.h"

namespace ringi::attr {

/// On ops: their results (unit attribute) or the results with these numbers
/// (array<i64>) bind every strategy.
inline constexpr llvm::StringLiteral kMustKeep = "ringi.must_keep";
inline constexpr llvm::StringLiteral kMustRecompute = "ringi.must_recompute";

/// On ops, overriding what their interface says: FLOPs of one execution, may
/// the op run again (a bool), bytes of each result (an integer for all, or
/// array<i64>). `ringi.bytes` on an argument gives its bytes.
inline constexpr llvm::StringLiteral kCost = "ringi.cost";
inline constexpr llvm::StringLiteral kRecomputable = "ringi.recomputable";
inline constexpr llvm::StringLiteral kBytes = "ringi.bytes";

/// On a function or its module: the `#ringi.device` that costs are for.
inline constexpr llvm::StringLiteral kDevice = "ringi.device";

/// The plan (docs/planning.md): on ops that run again, a number; on the op
/// before which clones run, their numbers in order; on ops when the order
/// changes, the place in it; on the function, strategy and claims.
inline constexpr llvm::StringLiteral kId = "ringi.id";
inline constexpr llvm::StringLiteral kReplay = "ringi.replay";
inline constexpr llvm::StringLiteral kPosition = "ringi.position";
inline constexpr llvm::StringLiteral kPlan = "ringi.plan";
/// On ops, for the reader: per result "keep" or "recompute", and why.
inline constexpr llvm::StringLiteral kDecision = "ringi.decision";

/// On clones: the `ringi.id` of the op they repeat.
inline constexpr llvm::StringLiteral kOrigin = "ringi.origin";

/// Assigned memory: on ops, the byte offset of each result that has a slot (-1
/// for views) and of the workspace; on arguments their offset; on the function
/// the totals.
inline constexpr llvm::StringLiteral kOffsets = "ringi.offsets";
inline constexpr llvm::StringLiteral kWorkspaceOffset =
    "ringi.workspace_offset";
inline constexpr llvm::StringLiteral kOffset = "ringi.offset";
inline constexpr llvm::StringLiteral kMemory = "ringi.memory";

/// On the later of two loops whose rows were planned: `trips`, the bytes
/// stacked before and now, the FLOPs that it computes again in all iterations.
inline constexpr llvm::StringLiteral kStacks = "ringi.stacks";

/// On an argument of a backward function: the number of the forward function's
/// result that it takes. On both functions: the bytes of all of them.
inline constexpr llvm::StringLiteral kSaved = "ringi.saved";
inline constexpr llvm::StringLiteral kSavedBytes = "ringi.saved_bytes";

/// On a bufferized function whose buffers --ringi-pack-allocs packed: the
/// totals.
inline constexpr llvm::StringLiteral kArena = "ringi.arena";

} // namespace ringi::attr

#endif // RINGI_ANALYSIS_ATTRIBUTENAMES_H
