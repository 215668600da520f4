//===- PackingBounds.cpp - What no packing can go below ---------*- C++ -*-===//
//
// Part of Ringi. The load of a section, to the byte: whole units for all but
// one block, since only the topmost one may end unaligned. Limits: it does not
// see that blocks of different sections may be unable to line up; the exact
// search proves higher bounds.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/PackingModel.h"

#include <algorithm>
#include <numeric>

using namespace ringi::planner;
using namespace ringi::planner::packing;

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
  std::iota(next.begin(), next.end(), 0);
  auto find = [&](int32_t s) {
    while (next[s] != s)
      s = next[s] = next[next[s]];
    return s;
  };
  std::vector<int32_t> byPad(model.blocks.size());
  std::iota(byPad.begin(), byPad.end(), 0);
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
