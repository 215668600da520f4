//===- PricedPath.h - Plans along one price ---------------------*- C++ -*-===//
//
// Part of Ringi. For one moment and one weighing of the values: the plan at
// each price, and the lowest price whose plan fits a budget. The prices tried
// form one fixed tree, so that the answer is monotone: a larger budget never
// ends at a higher price.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_PLANNER_PRICEDPATH_H
#define RINGI_LIB_PLANNER_PRICEDPATH_H

#include "GapExpansion.h"
#include "SnapshotCut.h"

#include <optional>

namespace ringi::planner {

/// In which order equal values give way as the price rises.
enum class PriceSlope { LateFirst, EarlyFirst, Spread };

/// What a search keeps of a plan.
struct PricedPoint {
  double price = 0;
  double cost = 0;
  int64_t peak = 0;
};

/// Ops whose replay after `stage` might read bytes that are overwritten by
/// then; empty when nothing is overwritten.
std::vector<uint8_t> findPinned(const FlatProblem &flat, OpIndex stage);

/// Storages that cross from block to block of the detected chain, ascending.
/// \param maxBlocks as detectChain() takes it: where several values cross
/// everywhere, hundreds of blocks have nearly all there is between them.
std::vector<StorageIndex> findBoundaries(const Problem &problem,
                                         int32_t maxBlocks = 0);

/// Makes boundaries nearly free to hold. A replay then never runs through a
/// chain of blocks, whose values would wait in memory for the blocks before.
void keepBoundaries(std::vector<double> &weights,
                    const std::vector<StorageIndex> &boundaries);

class PricedPath {
public:
  /// \param stage the moment; values computed up to it may be held over it.
  PricedPath(const FlatProblem &flat, GapExpander &expander, OpIndex stage);

  const SnapshotCut &cut() const { return network; }

  /// The weights of a slope: bytes of a value cost 1 to 1.02 times the price.
  std::vector<double> slopeWeights(PriceSlope slope) const;
  /// Weights by the places where memory is short: `places` has a share >= 0 per
  /// op, a value weighs what it is held over.
  std::vector<double> placeWeights(const std::vector<double> &places) const;

  /// Cuts at `price`; states() then are those of the cut.
  SnapshotCut::Solution solve(double price, const std::vector<double> &weights);
  GapStates states() const;

  /// Solves and expands. \returns nothing when a replay would read overwritten
  /// bytes.
  std::optional<PricedPoint> evaluate(double price,
                                      const std::vector<double> &weights,
                                      FlatSchedule &schedule);

  /// The lowest price of the tree whose plan fits; the schedule is its plan.
  /// Without one, nothing is returned and `leastPeak`, if it improves, holds
  /// the plan of least peak seen. \param depth halvings of the last interval.
  /// \param tooLarge receives the decisions at the highest price tried whose
  /// plan does not fit; empty when every price fits.
  std::optional<PricedPoint> findCrossing(int64_t budget,
                                          const std::vector<double> &weights,
                                          int depth, FlatSchedule &schedule,
                                          GapStates &states,
                                          FlatSchedule *leastPeak = nullptr,
                                          GapStates *tooLarge = nullptr);

  /// The plan of least peak among those at whole powers of the price, which
  /// are the ones that findCrossing tries first: it finds a plan exactly for
  /// the budgets from this peak on. \returns false when no price has a plan.
  bool findLeast(const std::vector<double> &weights, FlatSchedule &least);

private:
  const FlatProblem &flat;
  GapExpander &expander;
  std::vector<uint8_t> pinned;
  SnapshotCut network;
  double unitPrice;
  /// Per storage: the ops over which holding it takes bytes it would not take
  /// otherwise.
  std::vector<OpIndex> holdBegin, holdEnd;
};

} // namespace ringi::planner

#endif // RINGI_LIB_PLANNER_PRICEDPATH_H
