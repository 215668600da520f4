//===- LoopPlanner.cpp - Checkpoints for a loop and its reversal ----------===//
//
// Part of Ringi. Periodic segments replay less than one sweep, the binomial
// schedule holds fewer bytes: so the order of preference is keep all, periodic,
// binomial.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/LoopPlanner.h"

#include <algorithm>

namespace ringi::planner {

namespace {

constexpr int64_t kLimit = int64_t(1) << 62;

/// C(n, k), or kLimit when it is beyond.
int64_t binomial(int64_t n, int64_t k) {
  if (k < 0 || n < 0 || k > n)
    return 0;
  k = std::min(k, n - k);
  unsigned __int128 value = 1;
  for (int64_t i = 1; i <= k; ++i) {
    value = value * (unsigned __int128)(n - k + i) / (unsigned __int128)i;
    if (value >= (unsigned __int128)kLimit)
      return kLimit;
  }
  return int64_t(value);
}

/// Steps that `checkpoints` states reverse with at most `repetitions` forward
/// executions of each.
int64_t reach(int64_t checkpoints, int64_t repetitions) {
  return repetitions < 0 ? 0 : binomial(checkpoints + repetitions, checkpoints);
}

int64_t repetitionsFor(int64_t steps, int64_t checkpoints) {
  // Beyond 2^31 repetitions there is only the case of one checkpoint, whose
  // reach is repetitions + 1.
  if (checkpoints == 1)
    return steps - 1;
  int64_t low = 0, high = 1;
  while (reach(checkpoints, high) < steps)
    high *= 2;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    if (reach(checkpoints, middle) < steps)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// `stored` carries and the carries and internals of `recorded` iterations.
bool bytesHeld(int64_t stored, int64_t recorded, const LoopProblem &problem,
               int64_t &bytes) {
  int64_t carries, each, internals;
  return !__builtin_mul_overflow(stored, problem.carryBytes, &carries) &&
         !__builtin_add_overflow(problem.carryBytes, problem.internalBytes,
                                 &each) &&
         !__builtin_mul_overflow(recorded, each, &internals) &&
         !__builtin_add_overflow(carries, internals, &bytes) && bytes <= kLimit;
}

/// Iterations that the periodic scheme runs twice: all but the last segment.
int64_t periodicReplays(int64_t trips, int64_t segment) {
  return (trips + segment - 1) / segment * segment - segment;
}

} // namespace

int64_t periodicLoopPeak(int64_t trips, int64_t carryBytes,
                         int64_t internalBytes, int64_t segment) {
  if (trips == 0)
    return 0;
  segment = std::min(segment, trips);
  return (trips + segment - 1) / segment * carryBytes +
         segment * (carryBytes + internalBytes);
}

int64_t revolveForwardSteps(int64_t steps, int64_t checkpoints) {
  if (steps <= 1)
    return 0;
  checkpoints = std::min(checkpoints, steps);
  int64_t repetitions = repetitionsFor(steps, checkpoints);
  __int128 total =
      (__int128)repetitions * steps - reach(checkpoints + 1, repetitions - 1);
  return total > kLimit ? kLimit : int64_t(total);
}

int64_t revolveAdvance(int64_t steps, int64_t checkpoints) {
  checkpoints = std::min(checkpoints, steps);
  int64_t repetitions = repetitionsFor(steps, checkpoints);
  int64_t advance = std::max(reach(checkpoints, repetitions - 2),
                             steps - reach(checkpoints - 1, repetitions));
  return std::clamp<int64_t>(advance, 1, steps - 1);
}

Expected<LoopPlan> planLoop(const LoopProblem &problem) {
  const int64_t trips = problem.trips;
  struct {
    const char *name;
    int64_t value;
  } const fields[] = {{"iterations", trips},
                      {"carried bytes", problem.carryBytes},
                      {"internal bytes", problem.internalBytes},
                      {"budget bytes", problem.budget}};
  for (const auto &field : fields)
    if (field.value < 0 || field.value > kLimit)
      return Error::badInput("a loop with " + std::to_string(field.value) +
                             " " + field.name +
                             " cannot be planned; give a number "
                             "from 0 to 2^62");
  LoopPlan plan;
  if (trips == 0)
    return plan;

  int64_t least = 0;
  if (!bytesHeld(1, 1, problem, least))
    return Error::badInput("one iteration of the loop holds more than 2^62 "
                           "bytes: " +
                           std::to_string(problem.carryBytes) +
                           " carried and " +
                           std::to_string(problem.internalBytes) + " internal");
  if (problem.budget < least)
    return Error::refused("a budget of " + std::to_string(problem.budget) +
                          " bytes cannot hold the reversal of a loop of " +
                          std::to_string(trips) + " iterations; it takes " +
                          std::to_string(least) + " bytes");

  bool found = false;
  auto consider = [&](LoopPlan candidate, int64_t stored, int64_t recorded) {
    if (!bytesHeld(stored, recorded, problem, candidate.peak) ||
        candidate.peak > problem.budget)
      return;
    if (found &&
        (plan.replays < candidate.replays ||
         (plan.replays == candidate.replays && plan.peak <= candidate.peak)))
      return;
    found = true;
    plan = candidate;
  };
  auto considerSegment = [&](int64_t segment) {
    LoopPlan candidate;
    candidate.scheme =
        segment == trips ? LoopScheme::KeepAll : LoopScheme::Periodic;
    candidate.segment = segment;
    candidate.replays = periodicReplays(trips, segment);
    consider(candidate, (trips + segment - 1) / segment, segment);
  };
  // For a given number of segments the shortest possible length replays least
  // and holds least; those lengths are ceil(T / k).
  for (int64_t k = 1; k * k <= trips; ++k) {
    considerSegment((trips + k - 1) / k);
    considerSegment(k);
  }
  if (found)
    return plan;

  int64_t spare = problem.budget - (least - problem.carryBytes);
  LoopPlan candidate;
  candidate.scheme = LoopScheme::Binomial;
  // Without carried bytes a segment of one iteration would have fitted.
  candidate.checkpoints = std::min(trips, spare / problem.carryBytes);
  candidate.replays = revolveForwardSteps(trips, candidate.checkpoints);
  consider(candidate, candidate.checkpoints, 1);
  return plan;
}

std::vector<LoopAction> expandLoop(int64_t trips, const LoopPlan &plan) {
  std::vector<LoopAction> actions;
  auto act = [&](LoopAction::Kind kind, int64_t from, int64_t to = 0) {
    actions.push_back({kind, from, to});
  };
  auto reverse = [&](int64_t from, int64_t to) {
    act(LoopAction::Record, from, to);
    act(LoopAction::Reverse, from, to);
  };
  if (trips == 0)
    return actions;
  if (plan.scheme != LoopScheme::Binomial) {
    int64_t segment = plan.scheme == LoopScheme::KeepAll ? trips : plan.segment;
    int64_t from = 0;
    for (; from + segment < trips; from += segment) {
      act(LoopAction::Store, from);
      act(LoopAction::Advance, from, from + segment);
    }
    reverse(from, trips);
    while (from > 0) {
      from -= segment;
      act(LoopAction::Load, from);
      act(LoopAction::Discard, from);
      reverse(from, from + segment);
    }
    return actions;
  }

  // Iterations [state, end) of the innermost stored state remain; outer states
  // wait below it.
  std::vector<int64_t> stored = {0};
  act(LoopAction::Store, 0);
  int64_t end = trips, at = 0;
  while (true) {
    int64_t state = stored.back();
    if (end == state) {
      act(LoopAction::Discard, state);
      stored.pop_back();
      if (stored.empty())
        return actions;
      continue;
    }
    if (at != state)
      act(LoopAction::Load, state);
    int64_t free = plan.checkpoints - int64_t(stored.size());
    int64_t steps = end - state;
    int64_t target = steps == 1 || free == 0
                         ? end - 1
                         : state + revolveAdvance(steps, free + 1);
    if (target > state)
      act(LoopAction::Advance, state, target);
    at = target;
    if (target == end - 1) {
      reverse(target, end);
      end = target;
      // Reversal leaves no current carry.
      at = -1;
    } else {
      act(LoopAction::Store, target);
      stored.push_back(target);
    }
  }
}

} // namespace ringi::planner
