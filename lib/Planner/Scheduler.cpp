//===- Scheduler.cpp - An order of ops with a low peak --------------------===//
//
// Part of Ringi. The greedy schedule keeps ready ops in a queue by the bytes
// that running them adds; an op's figure changes when it becomes the last
// reader of an input, so entries are renewed lazily.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Scheduler.h"

#include "ringi/Planner/LocalSearch.h"
#include "ringi/Planner/Simulator.h"

#include <cmath>
#include <limits>
#include <queue>
#include <tuple>

namespace ringi::planner {

namespace {

class GreedySchedule {
public:
  explicit GreedySchedule(const Problem &problem)
      : problem(problem), waitsFor(problem.ops.size(), 0),
        frees(problem.ops.size()), readersLeft(problem.storages.size(), 0) {
    const OpIndex n = OpIndex(problem.ops.size());
    std::vector<OpIndex> overwriter(problem.storages.size(), kNone);
    OpIndex lastOrdered = kNone;
    for (OpIndex op = 0; op < n; ++op) {
      for (StorageIndex s : problem.ops[op].inputs) {
        ++readersLeft[s];
        if (problem.storages[s].producer != kNone)
          addEdge(problem.storages[s].producer, op);
      }
      for (const InPlacePair &pair : problem.ops[op].inPlace)
        if (pair.required)
          overwriter[pair.input] = op;
      if (problem.ops[op].ordered) {
        if (lastOrdered != kNone)
          addEdge(lastOrdered, op);
        lastOrdered = op;
      }
    }
    for (OpIndex op = 0; op < n; ++op)
      for (StorageIndex s : problem.ops[op].inputs)
        if (overwriter[s] != kNone && overwriter[s] != op)
          addEdge(op, overwriter[s]);
  }

  std::vector<OpIndex> run() {
    const OpIndex n = OpIndex(problem.ops.size());
    readers = computeReaders(problem);
    for (OpIndex op = 0; op < n; ++op)
      if (waitsFor[op] == 0)
        enqueue(op);
    std::vector<OpIndex> order;
    std::vector<char> done(n, false);
    while (!queue.empty()) {
      OpIndex op = std::get<1>(queue.top());
      int64_t growth = std::get<0>(queue.top());
      queue.pop();
      if (done[op])
        continue;
      if (growthOf(op) < growth) {
        enqueue(op);
        continue;
      }
      done[op] = true;
      order.push_back(op);
      for (StorageIndex s : problem.ops[op].inputs)
        if (--readersLeft[s] == 1)
          for (OpIndex reader : readers[s])
            if (!done[reader] && waitsFor[reader] == 0)
              enqueue(reader);
      for (OpIndex next : frees[op])
        if (--waitsFor[next] == 0)
          enqueue(next);
    }
    return order;
  }

private:
  void addEdge(OpIndex from, OpIndex to) {
    frees[from].push_back(to);
    ++waitsFor[to];
  }

  /// Bytes that stay after the op less those that it lets go.
  int64_t growthOf(OpIndex op) const {
    int64_t growth = 0;
    for (StorageIndex s : problem.ops[op].outputs)
      if (readersLeft[s] > 0 || problem.storages[s].output)
        growth += problem.storages[s].bytes;
    for (StorageIndex s : problem.ops[op].inputs)
      if (readersLeft[s] == 1 && !problem.storages[s].output &&
          !problem.storages[s].persistent)
        growth -= problem.storages[s].bytes;
    return growth;
  }

  void enqueue(OpIndex op) { queue.push({growthOf(op), op}); }

  const Problem &problem;
  std::vector<int32_t> waitsFor;
  std::vector<std::vector<OpIndex>> frees, readers;
  std::vector<int32_t> readersLeft;
  using Entry = std::tuple<int64_t, OpIndex>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<Entry>> queue;
};

Plan planOf(const Problem &problem, const std::vector<OpIndex> &order) {
  Plan plan;
  std::vector<ExecutionIndex> place(problem.ops.size(), kNone);
  for (OpIndex op : order) {
    Execution execution;
    execution.op = op;
    for (StorageIndex s : problem.ops[op].inputs) {
      OpIndex producer = problem.storages[s].producer;
      execution.reads.push_back(producer == kNone ? kNone : place[producer]);
    }
    place[op] = ExecutionIndex(plan.schedule.size());
    plan.schedule.push_back(std::move(execution));
  }
  for (StorageIndex s : outputStorages(problem))
    plan.outputs.push_back(place[problem.storages[s].producer]);
  return plan;
}

int64_t peakOf(const Problem &problem, const Plan &plan) {
  Expected<Timeline> timeline = simulate(problem, plan);
  return timeline ? timeline->livePeak : std::numeric_limits<int64_t>::max();
}

} // namespace

Plan scheduleForPeak(const Problem &problem, const SchedulerOptions &options) {
  Plan best = makeKeepAllPlan(problem);
  best.claims.livePeak = peakOf(problem, best);
  std::vector<OpIndex> order = GreedySchedule(problem).run();
  // A graph whose effects contradict its data has no greedy schedule.
  if (order.size() == problem.ops.size()) {
    Plan greedy = planOf(problem, order);
    greedy.claims.livePeak = peakOf(problem, greedy);
    if (greedy.claims.livePeak < best.claims.livePeak)
      best = std::move(greedy);
  }
  const int64_t ops = int64_t(problem.ops.size());
  LocalSearchOptions search;
  search.goal = LocalSearchGoal::LeastPeak;
  search.order = Order::Free;
  search.recompute = false;
  search.seed = options.seed;
  search.moves = options.moves;
  if (search.moves == 0)
    // A move in a large graph costs more, and its order matters less.
    search.moves = ops > 20000  ? 0
                   : ops > 4000 ? 50000
                                : int64_t(1e7 / std::sqrt(double(ops + 1)));
  if (search.moves > 0)
    best = improvePlan(problem, std::move(best), search);
  best.strategy = "none";
  return best;
}

} // namespace ringi::planner
