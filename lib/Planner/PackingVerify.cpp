//===- PackingVerify.cpp - Independent check of arena offsets ---*- C++ -*-===//
//
// Part of Ringi. A sweep over time with the buffers alive kept by offset; it
// shares no code with the packing algorithms, so that it can judge them.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Packing.h"

#include <algorithm>
#include <map>

using namespace ringi;
using namespace ringi::planner;

static std::string describe(const std::vector<PackItem> &items,
                            const std::vector<int64_t> &offsets, size_t i) {
  return "item " + std::to_string(i) + " (bytes " + std::to_string(offsets[i]) +
         " to " + std::to_string(offsets[i] + items[i].bytes) + ", alive " +
         std::to_string(items[i].lower) + " to " +
         std::to_string(items[i].upper) + ")";
}

Status ringi::planner::verifyPacking(const std::vector<PackItem> &items,
                                     const std::vector<int64_t> &offsets,
                                     int64_t height) {
  if (offsets.size() != items.size())
    return Error::badInput("packing has " + std::to_string(offsets.size()) +
                           " offsets for " + std::to_string(items.size()) +
                           " items; give one offset per item");
  // Events: ends before starts at one time, since lifetimes are half open.
  struct Event {
    int64_t time;
    bool starts;
    size_t item;
  };
  std::vector<Event> events;
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].bytes <= 0 || items[i].lower >= items[i].upper)
      continue;
    if (offsets[i] < 0)
      return Error::badInput("item " + std::to_string(i) +
                             " has the negative offset " +
                             std::to_string(offsets[i]));
    if (items[i].fixedOffset >= 0 && offsets[i] != items[i].fixedOffset)
      return Error::badInput("item " + std::to_string(i) + " is at offset " +
                             std::to_string(offsets[i]) +
                             " but its slot is fixed at " +
                             std::to_string(items[i].fixedOffset));
    if (offsets[i] > height || items[i].bytes > height - offsets[i])
      return Error::badInput("item " + std::to_string(i) + " of " +
                             std::to_string(items[i].bytes) +
                             " bytes at offset " + std::to_string(offsets[i]) +
                             " ends above the height " +
                             std::to_string(height));
    events.push_back({items[i].lower, true, i});
    events.push_back({items[i].upper, false, i});
  }
  std::sort(events.begin(), events.end(), [](const Event &a, const Event &b) {
    if (a.time != b.time)
      return a.time < b.time;
    if (a.starts != b.starts)
      return !a.starts;
    return a.item < b.item;
  });
  // While no two buffers alive overlap, a new one can only overlap its
  // neighbours by offset.
  std::map<int64_t, size_t> alive;
  for (const Event &event : events) {
    int64_t offset = offsets[event.item];
    if (!event.starts) {
      alive.erase(offset);
      continue;
    }
    auto above = alive.lower_bound(offset);
    size_t other = items.size();
    if (above != alive.end() && above->first < offset + items[event.item].bytes)
      other = above->second;
    if (above != alive.begin()) {
      auto below = std::prev(above);
      if (below->first + items[below->second].bytes > offset)
        other = below->second;
    }
    if (other != items.size())
      return Error::badInput(
          describe(items, offsets, std::min(other, event.item)) + " overlaps " +
          describe(items, offsets, std::max(other, event.item)));
    alive.emplace(offset, event.item);
  }
  return Status::success();
}
