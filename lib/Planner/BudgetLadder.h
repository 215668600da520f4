//===- BudgetLadder.h - Plans for all budgets of one problem ----*- C++ -*-===//
//
// Part of Ringi. What makes memory-budget monotone: the plan of a budget is
// found by halving the range of budgets, the same way for every budget, and
// each rung's cost is held between those of the rungs around it. Whoever asks
// for several budgets shares the rungs.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_BUDGETLADDER_H
#define RINGI_LIB_PLANNER_BUDGETLADDER_H

#include "ringi/Planner/Plan.h"
#include "ringi/Planner/Strategies.h"

#include <map>
#include <optional>

namespace ringi::planner {

class BudgetLadder {
public:
  /// \param options order, effort and seed count; the budget is not read.
  BudgetLadder(const Problem &problem, const StrategyOptions &options);

  /// The plan without a budget, marks carried out, or why there is none.
  const Expected<Plan> &unplanned() const { return top; }

  /// The plan of least peak. leastIsExact() says that no plan has a lower one;
  /// otherwise it is the least that the planner reaches.
  const Plan &leastPeak();
  bool leastIsExact();

  /// The plan for a budget of at least leastPeak()'s; nothing below. Cost never
  /// rises with the budget.
  std::optional<Plan> planAt(int64_t budget);

private:
  /// Graphs up to this size are searched exhaustively.
  static constexpr int32_t kExactOps = 14;
  /// Larger graphs follow one price instead of the ladder.
  static constexpr int32_t kLadderOps = 5000;

  /// The plan of a rung and others that were met on the way to it.
  struct Rung {
    Plan plan;
    std::vector<Plan> seen;
  };

  int64_t movesPerRung() const;
  bool better(const Plan &a, const Plan &b) const;
  bool acceptable(const Plan &plan) const;
  void offerNamed();
  void findLeastPeak();
  std::optional<Plan> exactAt(int64_t budget);
  std::optional<Plan> priceAt(int64_t budget);
  std::optional<Plan> descend(int64_t budget);
  const Rung &rung(int64_t budget, const Plan &below, const Plan &above,
                   int depth);
  Plan searchAt(int64_t budget, const Plan &below, const Plan &above, int depth,
                std::vector<Plan> &seen);

  const Problem &problem;
  StrategyOptions options;
  Expected<Plan> top;
  /// Plans that do not depend on a budget.
  std::vector<Plan> named;
  std::optional<Plan> least;
  bool exact = false, exactKnown = false;
  OpIndex widestOp = kNone;
  std::map<int64_t, Rung> rungs;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_BUDGETLADDER_H
