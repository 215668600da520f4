//===- PriceFamilies.h - Plans of large graphs along prices -----*- C++ -*-===//
//
// Part of Ringi. The few ways of pricing that are cheap enough for any size of
// graph: each follows one price at one moment. Which they are depends on the
// graph alone, so that the cheapest of them never gets dearer as the budget
// grows, and the least peak of all is the least budget that has a plan.
//
// A graph whose blocks are joined by single values is cut at these. Elsewhere,
// as in what frontends lower without blocks, coarse cuts of the detected chain
// are tried, and a second moment: the peak of what the first leaves.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_PRICEFAMILIES_H
#define RINGI_LIB_PLANNER_PRICEFAMILIES_H

#include "PricedPath.h"

#include <memory>

namespace ringi::planner {

class PriceFamilies {
public:
  /// \param problem outlives this.
  explicit PriceFamilies(const Problem &problem);

  /// The cheapest plan within `budget`, or nothing below leastPeak(). A few
  /// dozen minimum cuts and expansions for each family.
  std::optional<Plan> cheapestWithin(int64_t budget);

  /// The plan of the first family that has one: for who must answer at once.
  std::optional<Plan> anyWithin(int64_t budget);

  /// The plan of least peak; nothing when values cannot be held or recomputed
  /// as the marks say.
  std::optional<Plan> leastPeak();

private:
  struct Family {
    /// Index of a path.
    size_t path;
    std::vector<double> weights;
  };
  void addMoment(OpIndex stage, const std::vector<int32_t> &chains);
  OpIndex originAtPeak(const FlatSchedule &schedule) const;

  FlatProblem flat;
  GapExpander expander;
  std::vector<std::unique_ptr<PricedPath>> paths;
  std::vector<Family> families;
};

/// The families along the eager order (orderEagerly), for a free order. Plans
/// are those of the given problem.
class EagerPrices {
public:
  /// \param given no mark of it demands a recompute.
  explicit EagerPrices(const Problem &given);

  std::optional<Plan> cheapestWithin(int64_t budget);
  std::optional<Plan> leastPeak();

private:
  std::optional<Plan> restored(std::optional<Plan> plan) const;

  const std::vector<OpIndex> order;
  const Problem problem;
  PriceFamilies families;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_PRICEFAMILIES_H
