//===- BudgetLadder.h - Plans for all budgets of one problem ----*- C++ -*-===//
//
// Part of Ringi. What makes memory-budget monotone: the plan of a budget is
// found by levels that step down from the peak of keeping everything (under a
// fixed order, one level at the least peak) and by halving the range between
// two levels, the same way for every budget, and no
// rung is cheaper than the one above it or dearer than the one below it.
// Whoever asks for several budgets shares the rungs.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_BUDGETLADDER_H
#define RINGI_LIB_PLANNER_BUDGETLADDER_H

#include "ringi/Planner/Plan.h"
#include "ringi/Planner/Strategies.h"

#include "PriceFamilies.h"
#include "RungSearch.h"

#include <map>
#include <memory>
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
  /// rises with the budget. A budget well above the least is answered without a
  /// search for the least.
  std::optional<Plan> planAt(int64_t budget);

private:
  /// Graphs up to this size are searched exhaustively.
  static constexpr int32_t kExactOps = 14;
  /// Larger graphs follow one price instead of the ladder.
  static constexpr int32_t kLadderOps = 5000;
  /// Named strategies are compared with up to this size.
  static constexpr int32_t kNamedOps = 20'000;

  bool acceptable(const Plan &plan) const;
  bool stopped() const {
    return options.stop && options.stop->load(std::memory_order_relaxed);
  }
  void report(const std::string &what) const {
    if (options.progress)
      options.progress(what);
  }
  PriceFamilies &priced();
  /// Prices along the eager order of a large graph; null where it does not
  /// apply.
  EagerPrices *eager();
  void offerNamed();
  void offerLeast(Plan plan);
  void findCheapLeast();
  bool findExactLeast();
  void findLeastInOrder();
  bool lowerPeak();
  bool lowerLevel();
  std::optional<Plan> exactAt(int64_t budget);
  std::optional<Plan> priceAt(int64_t budget);
  std::optional<Plan> cheapestKnown(int64_t budget);
  std::optional<Plan> descend(int64_t budget);
  Plan halve(const Rung &low, int64_t lowBudget, const Rung *high,
             int64_t budget);
  const Rung *rung(int64_t budget, const Rung *below, const Plan &above,
                   int depth, bool useEngines);

  const Problem &problem;
  StrategyOptions options;
  Expected<Plan> top;
  /// Plans that do not depend on a budget.
  std::vector<Plan> named;
  std::optional<PriceFamilies> families;
  std::unique_ptr<EagerPrices> eagerPrices;
  OpIndex widestOp = kNone;
  /// No plan fits less.
  int64_t floorBytes = 0;

  std::map<int64_t, Rung> rungs;
  /// Rungs at falling budgets, each found from the one before.
  struct Level {
    int64_t budget;
    const Rung *rung;
  };
  std::vector<Level> levels;
  /// The plan of least peak so far; final once no further level exists.
  std::optional<Plan> least;
  bool lowest = false, exact = false;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_BUDGETLADDER_H
