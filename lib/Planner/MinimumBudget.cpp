//===- MinimumBudget.cpp - The least budget that has a plan -----*- C++ -*-===//
//
// Part of Ringi. Reads the minimum off the ladder's plan of least peak and says
// what is alive at that peak.
//
//===----------------------------------------------------------------------===//

#include "BudgetPlan.h"
#include "ringi/Planner/Bounds.h"
#include "ringi/Planner/Simulator.h"

#include <algorithm>

namespace ringi::planner {

MinimumBudget describeLeastPeak(const Problem &problem, BudgetLadder &ladder,
                                Order order) {
  MinimumBudget minimum;
  minimum.plan = ladder.leastPeak();
  minimum.bytes = minimum.plan.claims.livePeak;
  minimum.exact = ladder.leastIsExact();
  minimum.floorBytes =
      minimum.exact ? minimum.bytes : computeBudgetFloor(problem, order).bytes;
  // The floor may be the proof that the least found is the least there is.
  minimum.exact |= minimum.floorBytes == minimum.bytes;
  Expected<Timeline> timeline = simulate(problem, minimum.plan);
  if (!timeline || timeline->peakExecution == kNone)
    return minimum;
  ExecutionIndex peak = timeline->peakExecution;
  minimum.peakOp = minimum.plan.schedule[peak].op;
  std::vector<std::pair<int64_t, StorageIndex>> alive;
  for (const Buffer &buffer : timeline->buffers)
    if (buffer.storage != kNone && buffer.first <= peak &&
        peak <= buffer.last && buffer.bytes > 0)
      alive.push_back({-buffer.bytes, buffer.storage});
  std::sort(alive.begin(), alive.end());
  for (auto [bytes, storage] : alive)
    if (std::find(minimum.forcedBy.begin(), minimum.forcedBy.end(), storage) ==
        minimum.forcedBy.end())
      minimum.forcedBy.push_back(storage);
  return minimum;
}

Expected<MinimumBudget> computeMinimumBudget(const Problem &problem,
                                             const StrategyOptions &options) {
  if (Status status = problem.check(); !status)
    return status.error();
  BudgetLadder ladder(problem, options);
  if (!ladder.unplanned())
    return ladder.unplanned().error();
  return describeLeastPeak(problem, ladder, options.order);
}

std::string describeRefusal(const Problem &problem, int64_t budget,
                            const MinimumBudget &minimum) {
  std::string text = "no plan fits into " + std::to_string(budget) +
                     " bytes; the minimum budget is " +
                     std::to_string(minimum.bytes) + " bytes";
  if (!minimum.exact)
    text += " (the least the planner reaches; " +
            std::to_string(minimum.floorBytes) + " are proven necessary)";
  if (minimum.peakOp != kNone)
    text += ", forced at op '" + problem.ops[minimum.peakOp].name + "' by ";
  size_t shown = std::min<size_t>(minimum.forcedBy.size(), 4);
  for (size_t i = 0; i < shown; ++i) {
    const Storage &storage = problem.storages[minimum.forcedBy[i]];
    text += (i ? ", '" : "'") + storage.name + "' (" +
            std::to_string(storage.bytes) + ")";
  }
  if (minimum.forcedBy.size() > shown)
    text += " and " + std::to_string(minimum.forcedBy.size() - shown) + " more";
  return text + "; raise the budget to " + std::to_string(minimum.bytes);
}

} // namespace ringi::planner
