//===- RungSearch.h - The plan of one rung of the ladder --------*- C++ -*-===//
//
// Part of Ringi. Every engine at one budget: the named strategies, the priced
// cut, the chain recurrence, and the local search from the rung above (cheaper,
// but too large) and from the best that fits.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_RUNGSEARCH_H
#define RINGI_LIB_PLANNER_RUNGSEARCH_H

#include "ringi/Planner/Plan.h"
#include "ringi/Planner/Strategies.h"

#include <optional>

namespace ringi::planner {

/// The plan of a rung and others that were met on the way to it.
struct Rung {
  Plan plan;
  std::vector<Plan> seen;
  /// The engines came near what the search from above found.
  bool enginesHelp = true;
};

/// What a rung is searched from. Everything that counts is the same whoever
/// asks for the rung.
struct RungRequest {
  int64_t budget = 0;
  /// The rung below, whose plan fits; null at a level that has none.
  const Rung *below = nullptr;
  /// The cheaper plan above, which no plan of the rung may undercut.
  const Plan *above = nullptr;
  /// Halvings below the level: deeper rungs are searched less and colder.
  int depth = 0;
  bool useEngines = true;
  /// Plans that do not depend on a budget.
  const std::vector<Plan> *named = nullptr;
  /// The op with most bytes of its own, a moment for the priced cut.
  OpIndex widestOp = kNone;
  /// Told of every plan found, whether it fits or not; may be null.
  std::function<void(const Plan &)> notice;
};

/// Cheaper, or as cheap and of a lower peak.
bool isBetter(const Plan &a, const Plan &b);

/// Costs that differ by no more are not worth a search.
double negligibleCost(const Problem &problem);

/// Moves of a local search on a rung.
int64_t movesOfRung(const Problem &problem, const StrategyOptions &options,
                    int depth);

/// The best plan with a peak of at most the budget and a cost of at least
/// above's, or nothing when none was found.
std::optional<Rung> searchRung(const Problem &problem,
                               const StrategyOptions &options,
                               const RungRequest &request);

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_RUNGSEARCH_H
