//===- Packing.cpp - Arena offsets for buffers with lifetimes ---*- C++ -*-===//
//
// Part of Ringi. Checks the input, splits it into independent sub-problems,
// runs heuristics and then exact search on each, and adds up the result.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Packing.h"

#include "ringi/Planner/PackingModel.h"

#include <algorithm>
#include <limits>

using namespace ringi;
using namespace ringi::planner;
using namespace ringi::planner::packing;

static constexpr int64_t kMax = std::numeric_limits<int64_t>::max();

/// Everything that makes a request meaningless, sums included: after this no
/// arithmetic on sizes or offsets can overflow.
static Status checkInput(const std::vector<PackItem> &items,
                         const PackOptions &options) {
  if (options.alignment <= 0)
    return Error::badInput("alignment " + std::to_string(options.alignment) +
                           " is not positive; use 1 for none");
  if (options.effort < 0)
    return Error::badInput("effort " + std::to_string(options.effort) +
                           " is negative; use 0 for heuristics only");
  if (options.capacity < 0)
    return Error::badInput("capacity " + std::to_string(options.capacity) +
                           " is negative; use 0 for no capacity");
  if (items.size() > size_t(std::numeric_limits<int32_t>::max()))
    return Error::badInput("cannot pack " + std::to_string(items.size()) +
                           " items; the most is 2147483647");
  int64_t sum = 0, fixedEnd = 0;
  for (size_t i = 0; i < items.size(); ++i) {
    const PackItem &item = items[i];
    std::string name = "item " + std::to_string(i);
    if (item.bytes < 0)
      return Error::badInput(name + " has the negative size " +
                             std::to_string(item.bytes));
    if (item.lower > item.upper)
      return Error::badInput(name + " is alive from " +
                             std::to_string(item.lower) + " to " +
                             std::to_string(item.upper) +
                             "; the end must not be before the start");
    if (item.fixedOffset < -1)
      return Error::badInput(name + " has the fixed offset " +
                             std::to_string(item.fixedOffset) +
                             "; use -1 for none");
    if (item.fixedOffset >= 0 && item.fixedOffset % options.alignment != 0)
      return Error::badInput(name + " has the fixed offset " +
                             std::to_string(item.fixedOffset) +
                             ", not a multiple of the alignment " +
                             std::to_string(options.alignment));
    // Rounding up may add alignment - 1 bytes to each.
    int64_t room = kMax - options.alignment;
    if (item.bytes > room || item.bytes + options.alignment > kMax - sum)
      return Error::badInput("the sizes up to " + name + " (" +
                             std::to_string(item.bytes) +
                             " bytes) add up to more than 64 bits hold");
    sum += item.bytes + options.alignment;
    if (item.fixedOffset >= 0) {
      if (item.fixedOffset > kMax - item.bytes - options.alignment)
        return Error::badInput(name + " at the fixed offset " +
                               std::to_string(item.fixedOffset) + " with " +
                               std::to_string(item.bytes) +
                               " bytes ends beyond what 64 bits hold");
      fixedEnd =
          std::max(fixedEnd, item.fixedOffset + item.bytes + options.alignment);
    }
  }
  if (fixedEnd > kMax - sum)
    return Error::badInput("fixed offsets up to " + std::to_string(fixedEnd) +
                           " and sizes of " + std::to_string(sum) +
                           " bytes add up to more than 64 bits hold");
  return Status::success();
}

/// Fixed slots that collide make every packing impossible.
static Status checkFixed(const std::vector<PackItem> &items) {
  // The items keep their numbers; those free to move are left out of the check
  // by having no bytes.
  std::vector<PackItem> fixed = items;
  std::vector<int64_t> offsets(items.size(), 0);
  for (size_t i = 0; i < items.size(); ++i) {
    if (items[i].fixedOffset >= 0)
      offsets[i] = items[i].fixedOffset;
    else
      fixed[i].bytes = 0;
  }
  if (Status status = verifyPacking(fixed, offsets, kMax); !status)
    return Error::badInput("fixed offsets collide: " + status.error().message);
  return Status::success();
}

/// Max over time of the bytes alive.
static int64_t livePeak(const std::vector<PackItem> &items) {
  std::vector<std::pair<int64_t, int64_t>> events;
  for (const PackItem &item : items) {
    if (item.lower >= item.upper)
      continue;
    events.emplace_back(item.lower, item.bytes);
    events.emplace_back(item.upper, -item.bytes);
  }
  // At one time frees (negative) sort before allocations.
  std::sort(events.begin(), events.end());
  int64_t live = 0, peak = 0;
  for (auto [time, bytes] : events) {
    live += bytes;
    peak = std::max(peak, live);
  }
  return peak;
}

namespace {
/// A sub-problem's best placement and the height proven necessary.
struct Packed {
  Placement placement;
  int64_t proven = 0;
  std::string method;
};
} // namespace

/// Lowers a placement by branch and bound towards `target`: the target itself
/// first, then halving what lies between. Takes what it spends from `effort`.
static void improveBySearch(const Model &model, int64_t target, int64_t &effort,
                            Packed &packed) {
  // Memory for taking back steps grows with the square of the blocks.
  constexpr size_t kMostBlocks = 6000;
  if (model.blocks.size() > kMostBlocks)
    return;
  int64_t low = target;
  while (effort > 0 && packed.placement.height > low) {
    // Most of the effort goes to the target: most inputs reach it.
    bool first = low == target;
    int64_t capacity =
        first ? low : low + (packed.placement.height - 1 - low) / 2;
    int64_t share = std::max<int64_t>(first ? effort / 4 * 3 : effort / 4, 1);
    SearchResult found = searchSkyline(model, capacity, share);
    effort -= std::min(effort, found.effort);
    if (found.outcome == SearchOutcome::Found) {
      packed.placement.height = heightOf(model, found.offsets);
      packed.placement.offsets = std::move(found.offsets);
      packed.method = "branch and bound";
      continue;
    }
    low = capacity + 1;
    if (found.outcome == SearchOutcome::Infeasible)
      packed.proven = std::max(packed.proven, low);
  }
}

Expected<PackResult> ringi::planner::pack(const std::vector<PackItem> &items,
                                          const PackOptions &options) {
  if (Status status = checkInput(items, options); !status)
    return status.error();
  if (Status status = checkFixed(items); !status)
    return status.error();

  PackResult result;
  result.offsets.assign(items.size(), 0);
  result.lowerBound = livePeak(items);
  std::vector<Model> models = buildModels(items, options.alignment);
  std::vector<std::pair<int64_t, size_t>> byBound;
  for (size_t m = 0; m < models.size(); ++m)
    byBound.emplace_back(-lowerBoundOf(models[m]), m);
  std::sort(byBound.begin(), byBound.end());
  // The tallest first: no other needs to go below what it reaches.
  int64_t effort = options.effort, proven = 0, target = options.capacity;
  for (auto [negatedBound, m] : byBound) {
    const Model &model = models[m];
    Packed packed;
    packed.proven = -negatedBound;
    target = std::max(target, packed.proven);
    Greedy winner;
    packed.placement = packGreedy(model, target, winner, packed.method);
    for (Greedy start : {Greedy{GreedyOrder::Start, false}, winner})
      if (packed.placement.height > target)
        repairByPriority(model, target, start, packed.placement, packed.method);
    improveBySearch(model, target, effort, packed);
    for (size_t b = 0; b < model.blocks.size(); ++b)
      result.offsets[model.blocks[b].item] =
          packed.placement.offsets[b] * model.alignment;
    if (packed.placement.height > result.height) {
      result.height = packed.placement.height;
      result.method = packed.method;
    }
    target = std::max(target, result.height);
    proven = std::max(proven, packed.proven);
  }
  result.optimal = result.height <= proven;
  return result;
}
