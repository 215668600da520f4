//===- MinimumBudget.cpp - The least budget that has a plan -----*- C++ -*-===//
//
// Part of Ringi. Reads the minimum off the ladder's plan of least peak and says
// what is alive at that peak.
//
//===----------------------------------------------------------------------===//

#include "BudgetPlan.h"
#include "ringi/Planner/BackwardOrder.h"
#include "ringi/Planner/Bounds.h"
#include "ringi/Planner/KeepPolicy.h"
#include "ringi/Planner/Simulator.h"

#include <algorithm>

namespace ringi::planner {

namespace {

/// The least that is reached when no mark binds; `marked` is what is reached
/// with them.
int64_t leastWithoutMarks(const Problem &problem,
                          const StrategyOptions &options, int64_t marked) {
  if (!hasMarks(problem))
    return marked;
  Problem free = problem;
  for (Storage &storage : free.storages)
    storage.mark = Mark::None;
  BudgetLadder ladder(free, options);
  return ladder.unplanned()
             ? std::min(marked, ladder.leastPeak().claims.livePeak)
             : marked;
}

/// "'a' must-keep, 'b' must-keep and 3 more": the values kept at the peak by a
/// mark, or where there are none all must-recompute marks, since replays raise
/// the peak.
std::string listBindingMarks(const Problem &problem,
                             const MinimumBudget &minimum) {
  std::vector<StorageIndex> binding;
  for (StorageIndex s : minimum.forcedBy)
    if (problem.storages[s].mark == Mark::MustKeep)
      binding.push_back(s);
  const bool kept = !binding.empty();
  for (StorageIndex s = 0; !kept && s < StorageIndex(problem.storages.size());
       ++s)
    if (problem.storages[s].mark == Mark::MustRecompute)
      binding.push_back(s);
  std::string text;
  for (size_t i = 0; i < binding.size() && i < 4; ++i)
    text += (i ? ", '" : "'") + problem.storages[binding[i]].name +
            (kept ? "' must-keep" : "' must-recompute");
  if (binding.size() > 4)
    text += " and " + std::to_string(binding.size() - 4) + " more";
  return text;
}

} // namespace

MinimumBudget describeLeastPeak(const Problem &problem, BudgetLadder &ladder,
                                const StrategyOptions &options) {
  MinimumBudget minimum;
  minimum.plan = ladder.leastPeak();
  minimum.bytes = minimum.plan.claims.livePeak;
  minimum.exact = ladder.leastIsExact();
  minimum.floorBytes = minimum.exact
                           ? minimum.bytes
                           : computeBudgetFloor(problem, options.order).bytes;
  // The floor may be the proof that the least found is the least there is.
  minimum.exact |= minimum.floorBytes == minimum.bytes;
  minimum.bytesWithoutMarks =
      leastWithoutMarks(problem, options, minimum.bytes);
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
  WorkingOrder working(problem, options.order);
  BudgetLadder ladder(working.problem(), options);
  if (!ladder.unplanned())
    return ladder.unplanned().error();
  MinimumBudget minimum = describeLeastPeak(working.problem(), ladder, options);
  working.restore(minimum.plan);
  minimum.peakOp = working.original(minimum.peakOp);
  return minimum;
}

std::string describeRefusal(const Problem &problem, int64_t budget,
                            const MinimumBudget &minimum) {
  const std::string bytes = std::to_string(minimum.bytes);
  const std::string free = std::to_string(minimum.bytesWithoutMarks);
  const bool marksCost = minimum.bytesWithoutMarks < minimum.bytes;
  const bool conflict = marksCost && minimum.bytesWithoutMarks <= budget;
  std::string text;
  if (conflict)
    text = "conflict: the marks need " + bytes + " bytes, " +
           std::to_string(minimum.bytes - budget) +
           " more than the budget of " + std::to_string(budget);
  else
    text = "no plan fits into " + std::to_string(budget) +
           " bytes; the minimum budget is " + bytes + " bytes";
  if (marksCost && !conflict)
    text += ", " + free + " without the marks";
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
  if (conflict)
    text += "; without marks " + free + " bytes suffice";
  text += "; raise the budget to " + bytes;
  if (conflict)
    text += " or drop marks (" + listBindingMarks(problem, minimum) + ")";
  return text;
}

} // namespace ringi::planner
