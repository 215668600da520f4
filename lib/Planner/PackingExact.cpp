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

#include "ringi/Planner/PackingModel.h"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>

using namespace ringi::planner;
using namespace ringi::planner::packing;

namespace {

constexpr int64_t kNever = std::numeric_limits<int64_t>::max();
/// Blocks that one node of effort pays for: a node visits every unplaced block
/// of its sub-problem.
constexpr int32_t kBlocksPerNode = 512;
constexpr int32_t kSortedAtSplits = 1024;

/// The order in which equally low blocks are tried. Total is the greatest
/// remaining load over the block's sections: it leads to the tight places.
enum class Rule {
  LengthAreaTotal,
  TotalAreaLength,
  TotalLengthArea,
  TotalSpanSize
};
constexpr std::array kRules = {Rule::LengthAreaTotal, Rule::TotalAreaLength,
                               Rule::TotalLengthArea, Rule::TotalSpanSize};

uint64_t mix(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9u;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// Depth-first search over one model for one capacity. The unplaced blocks of
/// the sub-problem at hand are a window of `order`, sorted by (release, rank).
class SkylineSearch {
public:
  SkylineSearch(const Model &model, int64_t capacity);

  /// Searches with one rule; what failed before is remembered from run to run.
  SearchOutcome run(Rule rule, int64_t budget);

  int64_t spentEffort() const { return spent; }
  const std::vector<int64_t> &foundOffsets() const { return offsets; }

private:
  struct State {
    int32_t first, last;
    int64_t size;
    /// The highest end of the placed blocks alive with it: its lowest offset.
    int64_t release;
    /// The release, raised for a block passed over to where it can next rest.
    int64_t effective;
    /// The highest offset the capacity allows.
    int64_t latest;
    int32_t rank;
    bool fixed;
  };
  /// One step to take back: a slot of `order` with its block's release
  /// (position >= 0), a block's rank or effective release, or a placement.
  struct Undo {
    int32_t position, block;
    int64_t value;
  };
  static constexpr int32_t kPlaced = -1, kRank = -2, kEffective = -3;
  /// A sub-problem: a window of `order` over the sections [s0, s1), where the
  /// last block placed had this offset and rank. [hull0, hull1) holds the
  /// sections whose bound may have changed.
  struct Node {
    int32_t begin, end, s0, s1;
    int64_t offset;
    int32_t rank, hull0, hull1;
  };
  struct Key {
    uint64_t low = 0, high = 0;
  };

  void reset();
  void sortByRule(int32_t begin, int32_t end);
  void sortByRelease(int32_t begin, int32_t end);
  bool alive(const State &a, const State &b) const {
    return a.first < b.last && b.first < a.last;
  }
  bool passedOver(const State &b, const Node &node) const {
    return b.release < node.offset ||
           (b.release == node.offset && b.rank < node.rank);
  }
  SearchOutcome search(Node node);
  bool raisePassedOver(Node &node, int32_t candidates);
  bool fitsSections(const Node &node, int32_t candidates);
  int32_t wholeSpan(const Node &node, int32_t candidates) const;
  SearchOutcome descend(const Node &node, int32_t position, bool &changed);
  SearchOutcome divide(const Node &child);
  void undoTo(size_t mark);

  const Model &model;
  /// Units; a block's own padding counts in State::latest.
  int64_t capacity;
  Rule rule = Rule::LengthAreaTotal;
  int64_t spent = 0, limit = 0;
  std::vector<State> blocks;
  std::vector<int32_t> order;
  std::vector<int64_t> offsets;
  /// By section: unplaced load, and the number of unplaced blocks alive both
  /// there and in the section before.
  std::vector<int64_t> load;
  std::vector<int32_t> crossing;
  std::vector<Undo> log;
  /// Sub-problems shown infeasible, by hash; a newer one replaces an older.
  std::vector<Key> failed;
  // Scratch, used between recursive calls only.
  std::vector<int64_t> stack;
  std::vector<int32_t> critical;
  std::vector<int32_t> kept, raised, level, passed;
};

SkylineSearch::SkylineSearch(const Model &model, int64_t capacityBytes)
    : model(model),
      capacity((capacityBytes + model.alignment - 1) / model.alignment) {
  size_t n = model.blocks.size();
  offsets.assign(n, 0);
  stack.assign(model.sections, 0);
  critical.assign(model.sections + 1, 0);
  size_t slots = 1024;
  while (slots < 64 * n && slots < (size_t(1) << 18))
    slots *= 2;
  failed.resize(slots);
  blocks.resize(n);
  for (size_t i = 0; i < n; ++i) {
    const Block &b = model.blocks[i];
    State &state = blocks[i];
    state.first = b.first;
    state.last = b.last;
    state.size = b.size;
    state.fixed = b.fixed >= 0;
    int64_t top = (capacityBytes + b.pad) / model.alignment;
    state.latest = state.fixed ? std::min(b.fixed, top - b.size) : top - b.size;
  }
}

void SkylineSearch::reset() {
  log.clear();
  load.assign(model.sections + 1, 0);
  crossing.assign(model.sections + 1, 0);
  for (size_t i = 0; i < blocks.size(); ++i) {
    State &b = blocks[i];
    b.release = b.effective = b.fixed ? model.blocks[i].fixed : 0;
    load[b.first] += b.size;
    load[b.last] -= b.size;
    ++crossing[b.first + 1];
    --crossing[b.last];
  }
  for (int32_t s = 0; s < model.sections; ++s) {
    load[s + 1] += load[s];
    crossing[s + 1] += crossing[s];
  }
  order.resize(blocks.size());
  std::iota(order.begin(), order.end(), 0);
}

/// Ranks the blocks of a window by the rule and sorts it by (release, rank).
void SkylineSearch::sortByRule(int32_t begin, int32_t end) {
  std::vector<std::pair<std::array<double, 3>, int32_t>> keys;
  for (int32_t i = begin; i < end; ++i) {
    const State &b = blocks[order[i]];
    const Block &given = model.blocks[order[i]];
    double total = double(
        *std::max_element(load.begin() + b.first, load.begin() + b.last));
    double length = double(given.upper) - double(given.lower);
    double size = double(b.size), area = length * size;
    std::array<double, 3> key{};
    switch (rule) {
    case Rule::LengthAreaTotal:
      key = {length, area, total};
      break;
    case Rule::TotalAreaLength:
      key = {total, area, length};
      break;
    case Rule::TotalLengthArea:
      key = {total, length, area};
      break;
    case Rule::TotalSpanSize:
      key = {total, double(b.last - b.first), size};
      break;
    }
    for (double &k : key)
      k = -k;
    keys.push_back({key, order[i]});
  }
  std::sort(keys.begin(), keys.end());
  for (size_t rank = 0; rank < keys.size(); ++rank) {
    State &b = blocks[keys[rank].second];
    log.push_back({kRank, keys[rank].second, b.rank});
    b.rank = static_cast<int32_t>(rank);
    order[begin + rank] = keys[rank].second;
  }
  sortByRelease(begin, end);
}

void SkylineSearch::sortByRelease(int32_t begin, int32_t end) {
  std::sort(order.begin() + begin, order.begin() + end,
            [&](int32_t x, int32_t y) {
              return std::pair(blocks[x].release, blocks[x].rank) <
                     std::pair(blocks[y].release, blocks[y].rank);
            });
}

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

void SkylineSearch::undoTo(size_t mark) {
  while (log.size() > mark) {
    Undo undo = log.back();
    log.pop_back();
    State &b = blocks[undo.block];
    if (undo.position >= 0) {
      order[undo.position] = undo.block;
      b.release = undo.value;
    } else if (undo.position == kRank) {
      b.rank = static_cast<int32_t>(undo.value);
    } else if (undo.position == kEffective) {
      b.effective = undo.value;
    } else {
      for (int32_t s = b.first; s < b.last; ++s) {
        load[s] += b.size;
        if (s > b.first)
          ++crossing[s];
      }
    }
  }
}

} // namespace

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
