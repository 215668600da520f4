//===- PackingHeuristics.cpp - Greedy arena packing -------------*- C++ -*-===//
//
// Part of Ringi. Offline first fit and best fit over orders by size, start,
// length and area: the methods of TFLite's and IREE's planners (Pisarchyk and
// Lee 2020, "Efficient memory management for deep neural net inference").
// Limits: no bound on the height beyond the measured one; no order is best on
// every input, so all are tried.
//
//===----------------------------------------------------------------------===//

#include "PackingModel.h"

#include <algorithm>
#include <array>
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
    std::array<int32_t, kCapacity> first, last;
    std::array<int64_t, kCapacity> offset, end;
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
    for (int j = 0; j < chunk.count; ++j) {
      if (chunk.first[j] >= block.last || chunk.last[j] <= block.first)
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
  std::vector<int32_t> order(model.blocks.size());
  std::iota(order.begin(), order.end(), 0);
  auto length = [](const Block &b) { return b.last - b.first; };
  auto key = [&](const Block &b) -> std::array<double, 2> {
    switch (by) {
    case GreedyOrder::Size:
      return {-double(b.size), -double(length(b))};
    case GreedyOrder::Start:
      return {double(b.first), -double(b.size)};
    case GreedyOrder::Length:
      return {-double(length(b)), -double(b.size)};
    case GreedyOrder::Area:
      return {-double(b.size) * length(b), -double(b.size)};
    }
    return {};
  };
  std::vector<std::array<double, 2>> keys;
  keys.reserve(order.size());
  for (const Block &block : model.blocks)
    keys.push_back(key(block));
  std::stable_sort(order.begin(), order.end(),
                   [&](int32_t a, int32_t b) { return keys[a] < keys[b]; });
  return order;
}

Placement ringi::planner::packing::packGreedy(const Model &model,
                                              int64_t target,
                                              std::string &method) {
  static constexpr std::pair<GreedyOrder, const char *> kOrders[] = {
      {GreedyOrder::Length, "length"},
      {GreedyOrder::Size, "size"},
      {GreedyOrder::Area, "area"},
      {GreedyOrder::Start, "start"}};
  Placement best;
  for (bool bestFit : {false, true}) {
    for (auto [by, name] : kOrders) {
      Placement found = placeInOrder(model, greedyOrder(model, by), bestFit);
      if (!best.offsets.empty() && found.height >= best.height)
        continue;
      best = std::move(found);
      method = std::string(bestFit ? "best-fit by " : "first-fit by ") + name;
      if (best.height <= target)
        return best;
    }
  }
  return best;
}
