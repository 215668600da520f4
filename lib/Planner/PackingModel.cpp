//===- PackingModel.cpp - The packing problem in sections -------*- C++ -*-===//
//
// Part of Ringi. Sweeps the lifetimes once, keeps the moments at which the set
// of buffers alive is maximal, and cuts where nothing is alive.
//
//===----------------------------------------------------------------------===//

#include "PackingModel.h"

#include <algorithm>

using namespace ringi::planner;
using namespace ringi::planner::packing;

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
    block.item = index;
    position[index] = static_cast<int32_t>(model.blocks.size());
    model.blocks.push_back(block);
    ++alive;
  }
  if (!models.empty())
    close(items[ends.back()].upper);
  return models;
}

int64_t ringi::planner::packing::heightOf(const Model &model,
                                          const std::vector<int64_t> &offsets) {
  int64_t height = 0;
  for (size_t i = 0; i < model.blocks.size(); ++i) {
    const Block &block = model.blocks[i];
    height = std::max(height,
                      (offsets[i] + block.size) * model.alignment - block.pad);
  }
  return height;
}

int64_t ringi::planner::packing::lowerBoundOf(const Model &model) {
  // Load by differences; the padding of the topmost block by section, as the
  // most that any block alive there can save.
  std::vector<int64_t> load(model.sections + 1, 0);
  int64_t bound = 0, maxPad = 0;
  for (const Block &block : model.blocks) {
    load[block.first] += block.size;
    load[block.last] -= block.size;
    maxPad = std::max(maxPad, block.pad);
    if (block.fixed >= 0)
      bound = std::max(bound, (block.fixed + block.size) * model.alignment -
                                  block.pad);
  }
  for (int32_t s = 0; s < model.sections; ++s)
    load[s + 1] += load[s];
  if (maxPad == 0) {
    for (int32_t s = 0; s < model.sections; ++s)
      bound = std::max(bound, load[s] * model.alignment);
    return bound;
  }
  // Sections by most padding: blocks in decreasing pad paint the sections they
  // cover first, each section once.
  std::vector<int32_t> next(model.sections + 1);
  for (int32_t s = 0; s <= model.sections; ++s)
    next[s] = s;
  auto find = [&](int32_t s) {
    while (next[s] != s)
      s = next[s] = next[next[s]];
    return s;
  };
  std::vector<int32_t> byPad(model.blocks.size());
  for (size_t i = 0; i < byPad.size(); ++i)
    byPad[i] = static_cast<int32_t>(i);
  std::sort(byPad.begin(), byPad.end(), [&](int32_t a, int32_t b) {
    return std::pair(-model.blocks[a].pad, a) <
           std::pair(-model.blocks[b].pad, b);
  });
  for (int32_t index : byPad) {
    const Block &block = model.blocks[index];
    for (int32_t s = find(block.first); s < block.last; s = find(s)) {
      bound = std::max(bound, load[s] * model.alignment - block.pad);
      next[s] = s + 1;
    }
  }
  return bound;
}
