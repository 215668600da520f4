//===- SkylineSearch.cpp - The tree that packs from the bottom ------------===//
//
// Part of Ringi. Nodes, their children, and division where no unplaced block
// crosses.
//
//===----------------------------------------------------------------------===//

#include "SkylineSearch.h"

#include <algorithm>

namespace ringi::planner::packing {

namespace {

/// Parts of fewer blocks are ranked anew wherever the search divides.
constexpr int32_t kSortedAtSplits = 1024;

uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

} // namespace

SearchOutcome SkylineSearch::run(Rule byRule, int64_t budget) {
  rule = byRule;
  limit = spent + budget;
  for (const State &b : blocks)
    if (b.latest < 0)
      return SearchOutcome::Infeasible;
  reset();
  int32_t n = static_cast<int32_t>(order.size());
  sortByRule(0, n);
  return search({0, n, 0, model.sections, 0, 0, 0, model.sections});
}

SearchOutcome SkylineSearch::search(Node node) {
  if (node.begin == node.end)
    return SearchOutcome::Found;
  spent += 1 + (node.end - node.begin) / kBlocksPerNode;
  if (spent > limit)
    return SearchOutcome::Exhausted;

  int32_t candidates = node.begin;
  while (candidates < node.end && passedOver(blocks[order[candidates]], node))
    ++candidates;
  // What is left to do depends only on the unplaced blocks, their releases and
  // which of them were passed over.
  Key key;
  // No block goes at or above an offset that another one could stay below.
  int64_t lowestTop = kNever;
  for (int32_t i = node.begin; i < node.end; ++i) {
    const State &b = blocks[order[i]];
    uint64_t hash =
        mix((uint64_t(order[i]) * 2 + (i < candidates)) * 0x9e3779b97f4a7c15u +
            uint64_t(b.release) * 0xd1b54a32d192ed03u + 1);
    key.low += hash;
    key.high ^= mix(hash + 0x632be59bd9b4e019u);
    lowestTop = std::min(lowestTop, b.release + b.size);
  }
  Key &slot = failed[key.low & (failed.size() - 1)];
  if (slot.low == key.low && slot.high == key.high)
    return SearchOutcome::Infeasible;

  if (!raisePassedOver(node, candidates) || !fitsSections(node, candidates)) {
    slot = key;
    return SearchOutcome::Infeasible;
  }
  int32_t only = wholeSpan(node, candidates);
  for (int32_t i = only < 0 ? candidates : only; i < node.end; ++i) {
    if (blocks[order[i]].release >= lowestTop)
      break;
    bool changed = false;
    size_t mark = log.size();
    SearchOutcome outcome = descend(node, i, changed);
    if (outcome != SearchOutcome::Infeasible)
      return outcome;
    undoTo(mark);
    // A block that limits no other one cannot be why the rest failed.
    if (only >= 0 || !changed)
      break;
  }
  failed[key.low & (failed.size() - 1)] = key;
  return SearchOutcome::Infeasible;
}

/// Places the block at `position` at its release and searches the rest.
/// `changed` tells whether the placement raised any other block or failed.
SearchOutcome SkylineSearch::descend(const Node &node, int32_t position,
                                     bool &changed) {
  int32_t index = order[position];
  const State &placed = blocks[index];
  int64_t end = placed.release + placed.size;
  changed = true;
  if (placed.release > placed.latest)
    return SearchOutcome::Infeasible;
  for (int32_t s = placed.first; s < placed.last; ++s)
    if (placed.release + load[s] > capacity)
      return SearchOutcome::Infeasible;

  Node child = node;
  child.begin = node.begin + 1;
  child.offset = placed.release;
  child.rank = placed.rank;
  child.hull0 = placed.first;
  child.hull1 = placed.last;
  kept.clear();
  raised.clear();
  level.clear();
  int32_t stop = node.begin;
  for (; stop < node.end && blocks[order[stop]].release <= end; ++stop) {
    const State &b = blocks[order[stop]];
    if (order[stop] == index)
      continue;
    if (b.release == end)
      level.push_back(order[stop]);
    else if (!alive(b, placed))
      kept.push_back(order[stop]);
    else if (end > b.latest)
      return SearchOutcome::Infeasible;
    else
      raised.push_back(order[stop]);
  }
  changed = !raised.empty();
  for (int32_t i = node.begin; i < stop; ++i)
    log.push_back({i, order[i], blocks[order[i]].release});
  for (int32_t other : raised) {
    State &b = blocks[other];
    log.push_back({kEffective, other, b.effective});
    b.release = b.effective = end;
    child.hull0 = std::min(child.hull0, b.first);
    child.hull1 = std::max(child.hull1, b.last);
  }
  auto byRank = [&](int32_t x, int32_t y) {
    return blocks[x].rank < blocks[y].rank;
  };
  std::sort(raised.begin(), raised.end(), byRank);
  auto out = std::copy(kept.begin(), kept.end(), order.begin() + child.begin);
  std::merge(raised.begin(), raised.end(), level.begin(), level.end(), out,
             byRank);

  log.push_back({kPlaced, index, 0});
  offsets[index] = placed.release;
  bool divides = false;
  for (int32_t s = placed.first; s < placed.last; ++s) {
    load[s] -= placed.size;
    if (s > placed.first)
      divides |= --crossing[s] == 0;
  }
  return divides ? divide(child) : search(child);
}

/// Searches the parts between sections that no unplaced block crosses, one
/// after the other: they share nothing but the offset reached.
SearchOutcome SkylineSearch::divide(const Node &child) {
  for (int32_t i = child.begin; i < child.end; ++i)
    log.push_back({i, order[i], blocks[order[i]].release});
  std::stable_sort(
      order.begin() + child.begin, order.begin() + child.end,
      [&](int32_t x, int32_t y) { return blocks[x].first < blocks[y].first; });
  int32_t begin = child.begin;
  while (begin < child.end) {
    Node part = child;
    part.begin = part.end = begin;
    part.s0 = blocks[order[begin]].first;
    part.s1 = part.s0;
    while (part.end < child.end &&
           (part.end == begin || blocks[order[part.end]].first < part.s1)) {
      part.s1 = std::max(part.s1, blocks[order[part.end]].last);
      ++part.end;
    }
    part.hull0 = std::max(child.hull0, part.s0);
    part.hull1 = std::min(child.hull1, part.s1);
    // The rule sees other loads now. For a large part that is most of the whole
    // sorting at every split costs more than it gains.
    int32_t size = part.end - part.begin;
    if (size < kSortedAtSplits || 2 * size <= child.end - child.begin) {
      part.rank = 0;
      sortByRule(part.begin, part.end);
    } else {
      sortByRelease(part.begin, part.end);
    }
    SearchOutcome outcome = search(part);
    if (outcome != SearchOutcome::Found)
      return outcome;
    begin = part.end;
  }
  return SearchOutcome::Found;
}

} // namespace ringi::planner::packing
