//===- PackingModel.cpp - The packing problem in sections -------*- C++ -*-===//
//
// Part of Ringi. Sweeps the lifetimes once, keeps the moments at which the set
// of buffers alive is maximal, and cuts where nothing is alive.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/PackingModel.h"

#include <algorithm>
#include <numeric>

using namespace ringi::planner;
using namespace ringi::planner::packing;

static void widenUnit(Model &model) {
  int64_t factor = 0;
  for (const Block &block : model.blocks)
    factor = std::gcd(factor,
                      std::gcd(block.size, std::max<int64_t>(block.fixed, 0)));
  for (Block &block : model.blocks) {
    block.size /= factor;
    if (block.fixed >= 0)
      block.fixed /= factor;
  }
  model.alignment *= factor;
}

std::vector<Model>
ringi::planner::packing::buildModels(const std::vector<PackItem> &items,
                                     int64_t alignment) {
  std::vector<int32_t> starts;
  for (size_t i = 0; i < items.size(); ++i)
    if (items[i].bytes > 0 && items[i].lower < items[i].upper)
      starts.push_back(static_cast<int32_t>(i));
  std::vector<int32_t> ends = starts;
  std::sort(starts.begin(), starts.end(), [&](int32_t a, int32_t b) {
    return std::pair(items[a].lower, a) < std::pair(items[b].lower, b);
  });
  std::sort(ends.begin(), ends.end(), [&](int32_t a, int32_t b) {
    return std::pair(items[a].upper, a) < std::pair(items[b].upper, b);
  });

  std::vector<Model> models;
  std::vector<int32_t> position(items.size());
  size_t nextEnd = 0;
  // The alive set grows while buffers start; it is maximal when one ends. A
  // start after an end opens the next section.
  bool endedSinceStart = false;
  int32_t alive = 0;
  auto close = [&](int64_t time) {
    while (nextEnd < ends.size() && items[ends[nextEnd]].upper <= time) {
      Model &model = models.back();
      model.blocks[position[ends[nextEnd++]]].last = model.sections;
      endedSinceStart = true;
      --alive;
    }
  };
  for (int32_t index : starts) {
    const PackItem &item = items[index];
    close(item.lower);
    if (alive == 0) {
      models.emplace_back();
      models.back().alignment = alignment;
      models.back().sections = 1;
    } else if (endedSinceStart) {
      ++models.back().sections;
    }
    endedSinceStart = false;
    Model &model = models.back();
    Block block;
    block.first = model.sections - 1;
    block.size = (item.bytes - 1) / alignment + 1;
    block.pad = block.size * alignment - item.bytes;
    block.fixed = item.fixedOffset < 0 ? -1 : item.fixedOffset / alignment;
    block.lower = item.lower;
    block.upper = item.upper;
    block.item = index;
    position[index] = static_cast<int32_t>(model.blocks.size());
    model.blocks.push_back(block);
    ++alive;
  }
  if (!models.empty())
    close(items[ends.back()].upper);
  for (Model &model : models)
    widenUnit(model);
  return models;
}
