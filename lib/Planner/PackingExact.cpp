//===- PackingExact.cpp - Branch and bound for arena packing ----*- C++ -*-===//
//
// Part of Ringi. Decides whether a packing of at most a given height exists, in
// the manner of MiniMalloc (Moffitt 2023, "MiniMalloc: A Lightweight Memory
// Allocator for Hardware-Accelerated Machine Learning"): only canonical
// solutions, built from the bottom up, each block at the lowest offset that the
// blocks below it leave; a bound per section; division wherever no unplaced
// block crosses. Three things go beyond it: the section bound schedules every
// unplaced block at its own earliest offset; a block passed over must later
// rest on another one; and sub-problems that failed are remembered.
//
// Limits: exponential in the worst case, so the effort is bounded; memory grows
// with the square of the blocks, which the caller bounds.
//
//===----------------------------------------------------------------------===//

#include "SkylineSearch.h"

#include <algorithm>

using namespace ringi::planner;
using namespace ringi::planner::packing;

SearchResult ringi::planner::packing::searchSkyline(const Model &model,
                                                    int64_t capacity,
                                                    int64_t effort) {
  SearchResult result;
  SkylineSearch search(model, capacity);
  // Rules in turn with doubling shares: one of them usually gets through soon.
  int64_t share =
      2 * static_cast<int64_t>(model.blocks.size()) *
      (1 + static_cast<int64_t>(model.blocks.size()) / kBlocksPerNode);
  while (result.outcome == SearchOutcome::Exhausted && result.effort < effort) {
    for (Rule rule : kRules) {
      int64_t budget = std::min(share, effort - result.effort);
      if (budget <= 0)
        break;
      result.outcome = search.run(rule, budget);
      result.effort = search.spentEffort();
      if (result.outcome != SearchOutcome::Exhausted)
        break;
    }
    share *= 2;
  }
  if (result.outcome == SearchOutcome::Found)
    result.offsets = search.foundOffsets();
  return result;
}
