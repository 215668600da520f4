//===- PackingHeuristics.cpp - Greedy arena packing -------------*- C++ -*-===//
//
// Part of Ringi. Offline first fit and best fit over orders by size, start,
// length and area: the methods of TFLite's and IREE's planners (Pisarchyk and
// Lee 2020, "Efficient memory management for deep neural net inference"), and
// squeaky-wheel repair (Joslin and Clements 1999): what ended too high goes
// first in the next round.
// Limits: no bound on the height beyond the measured one; no order is best on
// every input, so all are tried.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/PackingModel.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <numeric>

using namespace ringi::planner;
using namespace ringi::planner::packing;

namespace {

/// The blocks placed so far, by offset, in chunks that know the sections they
/// touch, so that a scan skips what is not alive together with the query.
class PlacedList {
public:
  void insert(const Block &block, int64_t offset);

  /// Where a block goes: the lowest or the tightest gap among those alive with
  /// it, or on top of them.
  int64_t find(const Block &block, bool bestFit) const;

private:
  static constexpr int kCapacity = 256;
  struct Chunk {
    int count = 0;
    int32_t minFirst = std::numeric_limits<int32_t>::max(), maxLast = 0;
    /// Unused slots are alive at no moment.
    std::array<int32_t, kCapacity> first{}, last{};
    std::array<int64_t, kCapacity> offset{}, end{};
  };
  static void insertAt(Chunk &chunk, int at, const Block &block,
                       int64_t offset);
  std::vector<Chunk> chunks;
};

void PlacedList::insertAt(Chunk &chunk, int at, const Block &block,
                          int64_t offset) {
  auto shift = [&](auto &column, auto value) {
    std::copy_backward(column.begin() + at, column.begin() + chunk.count,
                       column.begin() + chunk.count + 1);
    column[at] = value;
  };
  shift(chunk.first, block.first);
  shift(chunk.last, block.last);
  shift(chunk.offset, offset);
  shift(chunk.end, offset + block.size);
  ++chunk.count;
  chunk.minFirst = std::min(chunk.minFirst, block.first);
  chunk.maxLast = std::max(chunk.maxLast, block.last);
}

void PlacedList::insert(const Block &block, int64_t offset) {
  if (chunks.empty())
    chunks.emplace_back();
  size_t c = 0;
  while (c + 1 < chunks.size() && chunks[c + 1].offset[0] <= offset)
    ++c;
  if (chunks[c].count == kCapacity) {
    Chunk full = chunks[c];
    Chunk low, high;
    for (int j = 0; j < kCapacity; ++j) {
      Chunk &half = j < kCapacity / 2 ? low : high;
      Block moved;
      moved.first = full.first[j];
      moved.last = full.last[j];
      moved.size = full.end[j] - full.offset[j];
      insertAt(half, half.count, moved, full.offset[j]);
    }
    chunks[c] = low;
    chunks.insert(chunks.begin() + c + 1, high);
    if (chunks[c + 1].offset[0] <= offset)
      ++c;
  }
  Chunk &chunk = chunks[c];
  int at = static_cast<int>(std::upper_bound(chunk.offset.begin(),
                                             chunk.offset.begin() + chunk.count,
                                             offset) -
                            chunk.offset.begin());
  insertAt(chunk, at, block, offset);
}

int64_t PlacedList::find(const Block &block, bool bestFit) const {
  int64_t cursor = 0, best = -1;
  int64_t bestGap = std::numeric_limits<int64_t>::max();
  for (const Chunk &chunk : chunks) {
    if (chunk.minFirst >= block.last || chunk.maxLast <= block.first)
      continue;
    // One comparison per placed block is the cost of the whole method: all of
    // a chunk at once, then only the blocks that are alive together.
    std::array<uint8_t, kCapacity> hits;
    for (int j = 0; j < kCapacity; ++j)
      hits[j] = (chunk.first[j] < block.last) & (chunk.last[j] > block.first);
    for (int base = 0; base < chunk.count; base += 8) {
      uint64_t word;
      std::memcpy(&word, &hits[base], sizeof(word));
      if (word == 0)
        continue;
      for (int j = base; j < base + 8; ++j) {
        if (!hits[j])
          continue;
        int64_t gap = chunk.offset[j] - cursor;
        if (gap >= block.size && gap < bestGap) {
          if (!bestFit || gap == block.size)
            return cursor;
          bestGap = gap;
          best = cursor;
        }
        cursor = std::max(cursor, chunk.end[j]);
      }
    }
  }
  return best >= 0 ? best : cursor;
}

} // namespace

Placement ringi::planner::packing::placeInOrder(
    const Model &model, const std::vector<int32_t> &order, bool bestFit) {
  Placement result;
  result.offsets.assign(model.blocks.size(), 0);
  PlacedList placed;
  for (size_t i = 0; i < model.blocks.size(); ++i) {
    const Block &block = model.blocks[i];
    if (block.fixed < 0)
      continue;
    result.offsets[i] = block.fixed;
    placed.insert(block, block.fixed);
  }
  for (int32_t index : order) {
    const Block &block = model.blocks[index];
    if (block.fixed >= 0)
      continue;
    result.offsets[index] = placed.find(block, bestFit);
    placed.insert(block, result.offsets[index]);
  }
  result.height = heightOf(model, result.offsets);
  return result;
}

std::vector<int32_t> ringi::planner::packing::greedyOrder(const Model &model,
                                                          GreedyOrder by) {
  auto key = [&](const Block &b) {
    double length = double(b.upper) - double(b.lower), size = double(b.size);
    switch (by) {
    case GreedyOrder::Size:
      return -size;
    case GreedyOrder::Start:
      return double(b.lower);
    case GreedyOrder::Length:
      return -length;
    case GreedyOrder::Area:
      return -size * length;
    case GreedyOrder::Span:
      return -double(b.last - b.first);
    }
    return 0.0;
  };
  // Ties in the caller's order, but by size where many lifetimes are equal.
  std::vector<std::array<double, 3>> keys;
  for (const Block &b : model.blocks)
    keys.push_back({key(b), by == GreedyOrder::Span ? -double(b.size) : 0.0,
                    double(b.item)});
  std::vector<int32_t> order(model.blocks.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](int32_t a, int32_t b) { return keys[a] < keys[b]; });
  return order;
}

/// Comparisons of two blocks that one method makes.
static double comparisons(const Model &model) {
  return 0.5 * double(model.blocks.size()) * double(model.blocks.size());
}

Placement ringi::planner::packing::packGreedy(const Model &model,
                                              int64_t target, Greedy &winner,
                                              std::string &method) {
  struct Method {
    Greedy greedy;
    const char *name;
  };
  static constexpr Method kMethods[] = {
      {{GreedyOrder::Size, false}, "first fit by size"},
      {{GreedyOrder::Area, false}, "first fit by area"},
      {{GreedyOrder::Span, true}, "best fit by span"},
      {{GreedyOrder::Size, true}, "best fit by size"},
      {{GreedyOrder::Area, true}, "best fit by area"},
      {{GreedyOrder::Length, false}, "first fit by length"},
      {{GreedyOrder::Length, true}, "best fit by length"},
      {{GreedyOrder::Start, true}, "best fit by start"},
      {{GreedyOrder::Start, false}, "first fit by start"}};
  // At 62,000 blocks two methods, at 28,000 all.
  constexpr double kMost = 4e9;
  Placement best;
  double spent = 0;
  for (const Method &candidate : kMethods) {
    spent += comparisons(model);
    if (!best.offsets.empty() && spent > kMost)
      break;
    Placement found =
        placeInOrder(model, greedyOrder(model, candidate.greedy.by),
                     candidate.greedy.bestFit);
    if (!best.offsets.empty() && found.height >= best.height)
      continue;
    best = std::move(found);
    winner = candidate.greedy;
    method = candidate.name;
    if (best.height <= target)
      break;
  }
  return best;
}

void ringi::planner::packing::repairByPriority(const Model &model,
                                               int64_t target, Greedy start,
                                               Placement &best,
                                               std::string &method) {
  constexpr int kRounds = 16;
  // At 28,000 blocks four rounds, above 44,000 none.
  constexpr double kMost = 2e9;
  if (2 * comparisons(model) > kMost)
    return;
  std::vector<int32_t> order = greedyOrder(model, start.by);
  Placement found = placeInOrder(model, order, start.bestFit);
  double spent = comparisons(model);
  for (int round = 0; round < kRounds; ++round) {
    spent += comparisons(model);
    if (best.height <= target || spent > kMost)
      return;
    auto high = [&](int32_t i) {
      const Block &b = model.blocks[i];
      return (found.offsets[i] + b.size) * model.alignment - b.pad > target;
    };
    std::stable_partition(order.begin(), order.end(), high);
    found = placeInOrder(model, order, start.bestFit);
    if (found.height < best.height) {
      best = found;
      method = "priority repair";
    }
  }
}
