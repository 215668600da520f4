//===- Sqrt.cpp - About sqrt(L) segments, cut by bytes --------------------===//
//
// Part of Ringi. Chen et al. 2016 cut L equal layers into sqrt(L) segments.
// Here a segment's weight is the bytes its replay brings back and a cut's
// weight the bytes that it keeps; for each limit on the largest segment a small
// DP finds the cheapest cuts, and the limit with the least sum wins.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/KeepPolicy.h"

#include <algorithm>
#include <cmath>
#include <deque>

namespace ringi::planner {

namespace {

constexpr int32_t kMaxCandidates = 4096;
/// Limits on the largest segment that are tried above the least feasible one.
constexpr int32_t kLimits = 9;

/// The forward phase as a row of units (blocks, or ops where there are none).
struct Units {
  int32_t count = 0;
  /// Per op, kNone for ops outside of the row.
  std::vector<int32_t> of;
  /// before[i]: bytes that replays of units < i bring back for backward.
  std::vector<int64_t> before;
  /// Bytes kept by a cut after unit i.
  std::vector<int64_t> boundary;
};

Units findUnits(const Problem &problem) {
  Units units;
  units.of.assign(problem.ops.size(), kNone);
  for (size_t v = 0; v < problem.ops.size(); ++v) {
    if (problem.ops[v].phase != Phase::Forward)
      continue;
    if (problem.blocks.empty())
      units.of[v] = units.count++;
    else
      units.of[v] = problem.ops[v].block;
  }
  if (!problem.blocks.empty())
    units.count = int32_t(problem.blocks.size());

  std::vector<int64_t> inside(units.count, 0), change(units.count + 1, 0);
  std::vector<bool> readByBackward(problem.storages.size(), false);
  std::vector<int32_t> lastReader(problem.storages.size(), kNone);
  for (size_t v = 0; v < problem.ops.size(); ++v) {
    bool forward = problem.ops[v].phase == Phase::Forward;
    int32_t unit = units.of[v] == kNone ? units.count : units.of[v];
    for (StorageIndex s : problem.ops[v].inputs) {
      if (forward)
        lastReader[s] = std::max(lastReader[s], unit);
      else
        readByBackward[s] = true;
    }
  }
  for (size_t v = 0; v < problem.ops.size(); ++v) {
    int32_t unit = units.of[v];
    if (unit == kNone)
      continue;
    for (StorageIndex s : problem.ops[v].outputs) {
      int64_t bytes = problem.storages[s].bytes;
      if (readByBackward[s])
        inside[unit] += bytes;
      if (lastReader[s] > unit) {
        change[unit] += bytes;
        change[lastReader[s]] -= bytes;
      }
    }
  }
  units.before.assign(units.count + 1, 0);
  units.boundary.assign(units.count, 0);
  int64_t now = 0;
  for (int32_t i = 0; i < units.count; ++i) {
    units.before[i + 1] = units.before[i] + inside[i];
    units.boundary[i] = now += change[i];
  }
  return units;
}

/// Units after which a cut may stand, ascending, the last one included.
std::vector<int32_t> findCandidates(const Units &units) {
  std::vector<int32_t> ends;
  int32_t buckets = std::min(units.count, kMaxCandidates);
  for (int32_t b = 0; b < buckets; ++b) {
    int32_t begin = int32_t(int64_t(units.count) * b / buckets);
    int32_t end = int32_t(int64_t(units.count) * (b + 1) / buckets);
    ends.push_back(int32_t(std::min_element(units.boundary.begin() + begin,
                                            units.boundary.begin() + end) -
                           units.boundary.begin()));
  }
  ends.back() = units.count - 1;
  return ends;
}

class Segmentation {
public:
  Segmentation(const Units &units, std::vector<int32_t> ends, int32_t segments)
      : units(units), ends(std::move(ends)), segments(segments) {}

  /// The chosen ends of segments, ascending.
  std::vector<int32_t> run() {
    int64_t low = 0, high = units.before.back();
    while (low < high) {
      int64_t middle = low + (high - low) / 2;
      if (countSegments(middle) <= segments)
        high = middle;
      else
        low = middle + 1;
    }
    std::vector<int32_t> best;
    int64_t bestSum = INT64_MAX;
    for (int32_t i = 0; i < kLimits; ++i) {
      std::vector<int32_t> cuts = cheapestCuts(high + high / (kLimits - 1) * i);
      int64_t sum = costOf(cuts);
      if (sum >= bestSum)
        continue;
      bestSum = sum;
      best = std::move(cuts);
    }
    return best;
  }

private:
  /// Bytes of the segment between two ends, given as candidate numbers; -1 is
  /// the begin of the row.
  int64_t bytesBetween(int32_t from, int32_t to) const {
    return units.before[ends[to] + 1] -
           (from < 0 ? 0 : units.before[ends[from] + 1]);
  }

  /// Fewest segments of at most `limit` bytes, or more than allowed if a single
  /// step exceeds it.
  int32_t countSegments(int64_t limit) const {
    int32_t count = 1, from = -1;
    for (int32_t to = 0; to < int32_t(ends.size()); ++to) {
      if (bytesBetween(from, to) <= limit)
        continue;
      from = to - 1;
      ++count;
      if (bytesBetween(from, to) > limit)
        return INT32_MAX;
    }
    return count;
  }

  /// Least boundary bytes with at most `segments` segments of at most `limit`
  /// bytes each; a sliding minimum makes it O(candidates) per segment.
  std::vector<int32_t> cheapestCuts(int64_t limit) const {
    const int32_t n = int32_t(ends.size());
    constexpr int64_t kNever = INT64_MAX / 2;
    // cost[j]: boundary bytes of the best row whose last cut is after end j.
    std::vector<int64_t> cost(n, kNever), next(n);
    std::vector<std::vector<int32_t>> from;
    int32_t bestCount = -1;
    int64_t bestCost = kNever;
    for (int32_t k = 0; k < segments; ++k) {
      from.emplace_back(n, kNone);
      std::deque<int32_t> window;
      // The first segment begins at the row's begin, the others after a cut.
      auto costAt = [&](int32_t i) {
        if (i < 0)
          return k == 0 ? int64_t(0) : kNever;
        return k == 0 ? kNever : cost[i];
      };
      for (int32_t j = 0; j < n; ++j) {
        int32_t fresh = j - 1;
        while (!window.empty() && costAt(window.back()) >= costAt(fresh))
          window.pop_back();
        window.push_back(fresh);
        while (!window.empty() && bytesBetween(window.front(), j) > limit)
          window.pop_front();
        next[j] = kNever;
        if (window.empty() || costAt(window.front()) >= kNever)
          continue;
        next[j] =
            costAt(window.front()) + (j + 1 < n ? units.boundary[ends[j]] : 0);
        from[k][j] = window.front();
      }
      cost = next;
      if (cost[n - 1] < bestCost) {
        bestCost = cost[n - 1];
        bestCount = k;
      }
    }
    std::vector<int32_t> cuts;
    int32_t j = n - 1;
    for (int32_t k = bestCount; k >= 0 && j >= 0; --k) {
      cuts.push_back(ends[j]);
      j = from[k][j];
    }
    std::reverse(cuts.begin(), cuts.end());
    return cuts;
  }

  int64_t costOf(const std::vector<int32_t> &cuts) const {
    int64_t kept = 0, largest = 0, begin = 0;
    for (size_t i = 0; i < cuts.size(); ++i) {
      largest = std::max(largest, units.before[cuts[i] + 1] - begin);
      begin = units.before[cuts[i] + 1];
      if (i + 1 < cuts.size())
        kept += units.boundary[cuts[i]];
    }
    return kept + largest;
  }

  const Units &units;
  const std::vector<int32_t> ends;
  const int32_t segments;
};

} // namespace

KeepPolicy keepSegmentBoundaries(const Problem &problem, int32_t segments) {
  KeepPolicy policy = keepAll(problem);
  policy.group.assign(problem.storages.size(), kNone);
  policy.reason.assign(problem.storages.size(), "outside of all segments");
  Units units = findUnits(problem);
  if (units.count == 0)
    return policy;
  if (segments <= 0)
    segments =
        std::max(1, int32_t(std::lround(std::sqrt(double(units.count)))));
  segments = std::min(segments, units.count);
  std::vector<int32_t> cuts =
      Segmentation(units, findCandidates(units), segments).run();

  std::vector<int32_t> segmentOf(units.count, 0);
  for (int32_t u = 0, segment = 0; u < units.count; ++u) {
    segmentOf[u] = segment;
    if (u == cuts[segment])
      ++segment;
  }
  auto segment = [&](size_t v) {
    return units.of[v] == kNone ? kNone : segmentOf[units.of[v]];
  };
  for (size_t v = 0; v < problem.ops.size(); ++v) {
    if (segment(v) == kNone)
      continue;
    for (StorageIndex s : problem.ops[v].outputs) {
      policy.keep[s] = false;
      policy.group[s] = segment(v);
      policy.reason[s] = "inside a segment";
    }
  }
  for (size_t v = 0; v < problem.ops.size(); ++v) {
    if (problem.ops[v].phase != Phase::Forward)
      continue;
    for (StorageIndex s : problem.ops[v].inputs) {
      if (policy.keep[s] || policy.group[s] == segment(v))
        continue;
      policy.keep[s] = true;
      policy.group[s] = kNone;
      policy.reason[s] = "segment boundary";
    }
  }
  return policy;
}

} // namespace ringi::planner
