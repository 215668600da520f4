//===- KeepPolicy.h - Named strategies as keep sets -------------*- C++ -*-===//
//
// Part of Ringi. A named strategy decides for every forward result whether the
// backward phase reads the forward copy, and why. One free function per
// strategy makes that decision; planFromPolicy turns it into a plan.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_KEEPPOLICY_H
#define RINGI_PLANNER_KEEPPOLICY_H

#include "ringi/Planner/Strategies.h"

namespace ringi::planner {

/// The fate of every storage, parallel to Problem::storages. Only results of
/// recomputable forward ops have a choice; the rest is kept whatever it says.
struct KeepPolicy {
  std::vector<bool> keep;
  /// Storages of one group share one replay; kNone, or empty for no groups.
  std::vector<int32_t> group;
  /// String literals for Decision::reason.
  std::vector<const char *> reason;
};

/// Whether any value has a must-keep or must-recompute mark.
bool hasMarks(const Problem &problem);

/// none and manual: keeps everything; marks do the rest. O(n).
KeepPolicy keepAll(const Problem &problem);

/// recompute-all: keeps nothing that can be recomputed. Only what exists before
/// the step crosses to the backward phase, but the backward phase starts by
/// replaying most of the forward phase, so the peak hardly falls. O(n).
KeepPolicy keepNothing(const Problem &problem);

/// every-block: keeps what stands outside of all blocks and what one block
/// makes and a forward op outside of it reads (block inputs). The internals of
/// a block are one group: one replay right before its backward. O(n + m).
KeepPolicy keepBlockBoundaries(const Problem &problem);

/// sqrt: about sqrt(L) segments of the L blocks (of the L forward ops where
/// there are no blocks), cut where the kept boundary bytes plus the largest
/// segment's internal bytes are least. Chen et al. 2016, with bytes in place of
/// counts.
///
/// \param segments 0 for round(sqrt(L)). Exact for the sum above under the
/// limit of segments when L <= 4096; beyond, cuts are chosen among 4096
/// candidates. A value that crosses several cuts is counted at each.
KeepPolicy keepSegmentBoundaries(const Problem &problem, int32_t segments);

/// selective: gemm, attention and convolution results, and results of ops of
/// unknown class, are never recomputed; among what the other ops can rebuild,
/// the fewest bytes that suffice are kept (a minimum cut; of equal cuts the one
/// that recomputes least). Values that cross from block to block are not
/// recomputed. SelectiveKeep::WeightGemm lets gemms without a parameter operand
/// be recomputed too, except the context product (Korthikanti et al. 2022,
/// selective recomputation).
KeepPolicy keepSelected(const Problem &problem, SelectiveKeep keep);

/// Expands a policy under the problem's marks, names it `strategy`, fills
/// claims and decisions and verifies the plan. Where nothing is freed
/// (neither bytes crossing to backward nor the live peak shrink) only
/// must-recompute marks are carried out and a warning says so.
///
/// \returns a Refused error when marks cannot be honoured, or when `budget` is
/// not 0 and the live peak exceeds it.
Expected<Plan> planFromPolicy(const Problem &problem, const KeepPolicy &policy,
                              Strategy strategy, int64_t budget);

} // namespace ringi::planner

#endif // RINGI_PLANNER_KEEPPOLICY_H
