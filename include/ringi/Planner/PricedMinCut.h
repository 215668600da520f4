//===- PricedMinCut.h - Keep or recompute at a price per byte ---*- C++ -*-===//
//
// Part of Ringi. The main engine of memory-budget. At a price for every byte
// held over a moment the best set of values to hold is a minimum cut, the one
// of the snapshot bound; what is held stays, the rest is recomputed right
// before its first later use. The price goes up until the plan fits.
//
// It generalises the min-cut partitioner of PyTorch's AOTAutograd: recompute
// has a cost and memory has a place. Equal blocks flip at one price; a slight
// slope of the prices over the step makes them flip one after another, late
// ones first, early ones first, or evenly spread. Where the peak is in several
// places the price is spread over them by multiplicative weights.
//
// Limit: a value is recomputed at most once, and nothing is reordered.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_PRICEDMINCUT_H
#define RINGI_PLANNER_PRICEDMINCUT_H

#include "ringi/Planner/Plan.h"

namespace ringi::planner {

struct PricedMinCutOptions {
  /// Bytes of live peak.
  int64_t budget = 0;
  /// Rounds in which the price is spread over the places above the budget;
  /// 0 prices one moment only.
  int32_t rounds = 12;
  /// Moments tried beside the peak of keeping everything.
  std::vector<OpIndex> stages;
  /// Replays undone one by one while the budget lasts; 0 leaves the plan as
  /// the price made it.
  int32_t fills = 400;
  /// Receives the plan before replays were undone, when there is one: it is
  /// dearer and may leave bytes free.
  Plan *unfilled = nullptr;
};

/// Plans in the given order.
///
/// \returns a plan accepted by simulate() that honours the marks, claims filled
/// but for the bound. When none is within the budget, the plan of least peak
/// seen: the caller compares claims.livePeak. A few dozen minimum cuts and
/// expansions, each O(n + m) in practice.
Plan planPricedMinCut(const Problem &problem,
                      const PricedMinCutOptions &options);

} // namespace ringi::planner

#endif // RINGI_PLANNER_PRICEDMINCUT_H
