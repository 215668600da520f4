//===- SkylinePruning.cpp - What shows a branch dead ----------------------===//
//
// Part of Ringi. Blocks passed over must come to rest, the blocks of a section
// must be stackable, and a block alive throughout has one place.
//
//===----------------------------------------------------------------------===//

#include "SkylineSearch.h"

#include <algorithm>
#include <utility>

namespace ringi::planner::packing {

/// A block passed over is not at its lowest offset, so in a canonical solution
/// it rests on an unplaced block that would not clear it otherwise. Fails when
/// no such block is left.
bool SkylineSearch::raisePassedOver(Node &node, int32_t candidates) {
  for (int32_t i = node.begin; i < candidates; ++i) {
    State &b = blocks[order[i]];
    if (b.fixed)
      return false;
    int64_t clear = b.release + b.size, rest = kNever;
    if (node.offset < clear)
      for (int32_t j = node.begin; j < candidates; ++j)
        if (j != i && alive(b, blocks[order[j]]))
          rest = std::min(rest, node.offset + blocks[order[j]].size);
    for (int32_t j = candidates; j < node.end; ++j) {
      const State &other = blocks[order[j]];
      if (other.release >= clear)
        break;
      if (alive(b, other))
        rest = std::min(rest, other.release + other.size);
    }
    if (rest > b.latest)
      return false;
    if (rest != b.effective) {
      log.push_back({kEffective, order[i], b.effective});
      b.effective = rest;
      node.hull0 = std::min(node.hull0, b.first);
      node.hull1 = std::max(node.hull1, b.last);
    }
  }
  return true;
}

/// The blocks of one section take turns at its addresses, each no earlier than
/// its effective release: stacked in that order they end lowest, and that end
/// must be within the capacity (one machine, release dates, least makespan).
bool SkylineSearch::fitsSections(const Node &node, int32_t candidates) {
  if (node.hull0 >= node.hull1)
    return true;
  passed.assign(order.begin() + node.begin, order.begin() + candidates);
  std::sort(passed.begin(), passed.end(), [&](int32_t x, int32_t y) {
    return std::pair(blocks[x].effective, x) <
           std::pair(blocks[y].effective, y);
  });
  // Only sections that the highest release could overfill need stacking;
  // `critical` counts them up to each section, so that a block finds its own.
  int64_t highest = blocks[order[node.end - 1]].release;
  if (!passed.empty())
    highest = std::max(highest, blocks[passed.back()].effective);
  int32_t count = 0;
  for (int32_t s = node.hull0; s < node.hull1; ++s) {
    critical[s] = count;
    count += highest + load[s] > capacity;
  }
  critical[node.hull1] = count;
  if (count == 0)
    return true;
  std::fill(stack.begin(), stack.begin() + count, 0);
  size_t nextPassed = 0;
  int32_t next = candidates;
  while (next < node.end || nextPassed < passed.size()) {
    bool takePassed =
        next == node.end ||
        (nextPassed < passed.size() &&
         blocks[passed[nextPassed]].effective <= blocks[order[next]].release);
    const State &b = blocks[takePassed ? passed[nextPassed++] : order[next++]];
    int64_t release = takePassed ? b.effective : b.release;
    if (b.first >= node.hull1 || b.last <= node.hull0)
      continue;
    int32_t from = critical[std::max(b.first, node.hull0)];
    int32_t to = critical[std::min(b.last, node.hull1)];
    int64_t top = 0;
    for (int32_t s = from; s < to; ++s) {
      int64_t end = std::max(stack[s], release) + b.size;
      stack[s] = end;
      top = std::max(top, end);
    }
    if (top > capacity)
      return false;
  }
  return true;
}

/// On a level floor without fixed blocks a block alive in all sections may as
/// well lie at the bottom: what was below it moves up by its size, and ends no
/// higher than it did if it was not padded. \returns its position, or -1.
int32_t SkylineSearch::wholeSpan(const Node &node, int32_t candidates) const {
  if (candidates != node.begin ||
      blocks[order[node.begin]].release != blocks[order[node.end - 1]].release)
    return -1;
  int32_t found = -1;
  for (int32_t i = node.begin; i < node.end; ++i) {
    const State &b = blocks[order[i]];
    if (b.fixed)
      return -1;
    if (found < 0 && b.first == node.s0 && b.last == node.s1 &&
        model.blocks[order[i]].pad == 0)
      found = i;
  }
  return found;
}

} // namespace ringi::planner::packing
