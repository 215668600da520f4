//===- SkylineState.cpp - What the search changes and takes back ----------===//
//
// Part of Ringi. The blocks of one model at one capacity, their order by rule,
// and the log that takes steps back.
//
//===----------------------------------------------------------------------===//

#include "SkylineSearch.h"

#include <algorithm>
#include <numeric>
#include <utility>

namespace ringi::planner::packing {

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

} // namespace ringi::planner::packing
