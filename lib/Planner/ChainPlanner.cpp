//===- ChainPlanner.cpp - Nested recompute along a chain ------------------===//
//
// Part of Ringi. cost(s, t, m): the least cost to run blocks s..t forward and
// their sections, when the sections above t are done, s's boundary is held
// outside, and m bytes are left for the rest. Either block s keeps some of its
// internals and hands on, or the boundary of a later block is kept and s comes
// again.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/ChainPlanner.h"

#include "ringi/Planner/Simulator.h"

#include "ChainModel.h"

#include <algorithm>
#include <limits>

namespace ringi::planner {

namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

class Recurrence {
public:
  Recurrence(const Problem &problem, const Chain &chain, int64_t memory,
             int32_t steps)
      : problem(problem), model(problem, chain), count(model.numBlocks()),
        unit(std::max<int64_t>(1, memory / std::max(1, steps))),
        width(int32_t(memory / unit) + 1) {
    cells.resize(size_t(count) * size_t(count + 1) / 2);
    // Forward costs and peaks of block runs, for the splits.
    prefix.assign(size_t(count) + 1, 0);
    for (int32_t k = 0; k < count; ++k)
      prefix[k + 1] = prefix[k] + model.keepNothing(k).forwardCost;
    for (int32_t length = 1; length <= count; ++length)
      for (int32_t s = 0; s + length <= count; ++s)
        fill(s, s + length - 1);
  }

  int32_t numSizes() const { return width; }
  int64_t bytesOf(int32_t size) const { return int64_t(size) * unit; }
  double cost(int32_t size) const {
    return count == 0 ? 0 : cell(0, count - 1).cost[size];
  }

  /// The schedule that the recurrence chose for `size` steps of memory.
  std::vector<OpIndex> scheduleFor(int32_t size) {
    std::vector<OpIndex> schedule;
    struct Task {
      int32_t first, last, size;
      const ChainOption *section;
    };
    std::vector<Task> tasks = {{0, count - 1, size, nullptr}};
    while (!tasks.empty()) {
      Task task = tasks.back();
      tasks.pop_back();
      int32_t s = task.first, t = task.last;
      if (task.section) {
        model.appendSection(s, *task.section, schedule);
        continue;
      }
      const bool firstSweep = t == count - 1;
      int32_t choice = cell(s, t).choice[task.size];
      if (choice >= 0) {
        const ChainOption &option = s == t && !firstSweep
                                        ? model.keepNothing(s)
                                        : model.options(s)[choice];
        if (s < t || firstSweep)
          model.appendForward(s, option, firstSweep, schedule);
        tasks.push_back({s, s, 0, &option});
        if (s < t)
          tasks.push_back({s + 1, t, task.size - spent(option), nullptr});
        continue;
      }
      int32_t next = -choice;
      for (int32_t k = s; k < next; ++k)
        model.appendForward(k, model.keepNothing(k), firstSweep, schedule);
      tasks.push_back({s, next - 1, task.size, nullptr});
      tasks.push_back(
          {next, t, task.size - round(model.boundaryBytes(next)), nullptr});
    }
    return schedule;
  }

private:
  struct Cell {
    std::vector<double> cost;
    /// Index of an option of the first block, or minus the block at whose
    /// boundary the run is split.
    std::vector<int16_t> choice;
  };

  Cell &cell(int32_t s, int32_t t) {
    return cells[size_t(t) * size_t(t + 1) / 2 + size_t(s)];
  }
  const Cell &cell(int32_t s, int32_t t) const {
    return cells[size_t(t) * size_t(t + 1) / 2 + size_t(s)];
  }

  int32_t round(int64_t bytes) const {
    return int32_t(std::min<int64_t>((bytes + unit / 2) / unit, width));
  }
  /// The least size that holds the bytes.
  int32_t atLeast(int64_t bytes) const {
    return int32_t(std::min<int64_t>((bytes + unit - 1) / unit, width));
  }
  int32_t spent(const ChainOption &option) const {
    return round(option.keptBytes + option.boundaryBytes);
  }

  void fill(int32_t s, int32_t t) {
    Cell &result = cell(s, t);
    result.cost.assign(width, kNever);
    result.choice.assign(width, 0);
    const bool firstSweep = t == count - 1;
    // During the first sweep no section has run.
    const int64_t heldForward =
        firstSweep ? model.heldBefore(count - 1) : model.heldBefore(t);
    if (s == t && !firstSweep) {
      const ChainOption &option = model.keepNothing(s);
      for (int32_t m = atLeast(option.sectionPeak); m < width; ++m)
        result.cost[m] = option.sectionCost;
      return;
    }
    const std::vector<ChainOption> &options = model.options(s);
    for (size_t i = 0; i < options.size(); ++i) {
      const ChainOption &option = options[i];
      int32_t from = std::max(atLeast(option.forwardPeak + heldForward),
                              atLeast(option.sectionPeak));
      int32_t used = s < t ? spent(option) : 0;
      double own = option.forwardCost + option.sectionCost;
      for (int32_t m = std::max(from, used); m < width; ++m) {
        double total = own + (s < t ? cell(s + 1, t).cost[m - used] : 0);
        if (total < result.cost[m]) {
          result.cost[m] = total;
          result.choice[m] = int16_t(i);
        }
      }
    }
    int64_t forwardPeak = 0;
    for (int32_t next = s + 1; next <= t; ++next) {
      int32_t k = next - 1;
      forwardPeak =
          std::max(forwardPeak, model.keepNothing(k).forwardPeak +
                                    (k > s ? model.boundaryBytes(k) : 0));
      int32_t used = round(model.boundaryBytes(next));
      int32_t from = std::max(atLeast(forwardPeak + heldForward), used);
      double forward = prefix[next] - prefix[s];
      const double *later = cell(next, t).cost.data() - used;
      const double *earlier = cell(s, k).cost.data();
      for (int32_t m = from; m < width; ++m) {
        double total = forward + later[m] + earlier[m];
        if (total < result.cost[m]) {
          result.cost[m] = total;
          result.choice[m] = int16_t(-next);
        }
      }
    }
  }

  const Problem &problem;
  ChainModel model;
  const int32_t count;
  const int64_t unit;
  const int32_t width;
  std::vector<Cell> cells;
  std::vector<double> prefix;
};

/// The executions as a plan: reads take the latest copy, recomputes that
/// nothing reads are left out.
Plan planOf(const Problem &problem, const std::vector<OpIndex> &schedule) {
  const size_t count = schedule.size();
  std::vector<int32_t> latest(problem.ops.size(), kNone);
  std::vector<char> first(count, false), read(count, false);
  std::vector<std::vector<ExecutionIndex>> reads(count);
  for (size_t e = 0; e < count; ++e) {
    for (StorageIndex s : problem.ops[schedule[e]].inputs) {
      OpIndex producer = problem.storages[s].producer;
      reads[e].push_back(producer == kNone ? kNone : latest[producer]);
    }
    first[e] = latest[schedule[e]] == kNone;
    latest[schedule[e]] = ExecutionIndex(e);
  }
  for (size_t e = count; e-- > 0;)
    if (first[e] || read[e])
      for (ExecutionIndex from : reads[e])
        if (from != kNone)
          read[from] = true;

  Plan plan;
  std::vector<ExecutionIndex> place(count, kNone);
  std::fill(latest.begin(), latest.end(), kNone);
  for (size_t e = 0; e < count; ++e) {
    if (!first[e] && !read[e])
      continue;
    Execution execution;
    execution.op = schedule[e];
    for (ExecutionIndex from : reads[e])
      execution.reads.push_back(from == kNone ? kNone : place[from]);
    place[e] = ExecutionIndex(plan.schedule.size());
    latest[schedule[e]] = place[e];
    if (!first[e]) {
      plan.claims.recomputeCost += problem.ops[schedule[e]].cost;
      plan.claims.recomputeFlops += problem.ops[schedule[e]].flops;
      ++plan.claims.recomputes;
    }
    plan.schedule.push_back(std::move(execution));
  }
  for (StorageIndex s : outputStorages(problem))
    plan.outputs.push_back(latest[problem.storages[s].producer]);
  Expected<Timeline> timeline = simulate(problem, plan);
  plan.claims.livePeak =
      timeline ? timeline->livePeak : std::numeric_limits<int64_t>::max();
  return plan;
}

} // namespace

Plan planChain(const Problem &problem, const Chain &given,
               const ChainPlannerOptions &options) {
  Plan best = makeKeepAllPlan(problem);
  const int64_t budget = options.budget;
  if (best.claims.livePeak <= budget || given.blocks.size() < 2)
    return best;
  Chain grouped;
  const Chain *chain = &given;
  if (int64_t(given.blocks.size()) > options.maxBlocks) {
    grouped = detectChain(problem, options.maxBlocks);
    chain = &grouped;
  }
  // Room above the budget: the model errs on the large side.
  int64_t memory = std::min(best.claims.livePeak, budget + budget / 2);
  Recurrence recurrence(problem, *chain, memory, options.memorySteps);

  auto better = [&](const Plan &a, const Plan &b) {
    bool fitsA = a.claims.livePeak <= budget,
         fitsB = b.claims.livePeak <= budget;
    if (fitsA != fitsB)
      return fitsA;
    return fitsA ? a.claims.recomputeCost < b.claims.recomputeCost
                 : a.claims.livePeak < b.claims.livePeak;
  };
  int32_t low = 0, high = recurrence.numSizes() - 1;
  while (low <= high && recurrence.cost(low) == kNever)
    ++low;
  // The largest size whose plan fits, as if peaks grew with the size.
  while (low <= high) {
    int32_t middle = low + (high - low) / 2;
    Plan plan = planOf(problem, recurrence.scheduleFor(middle));
    bool fits = plan.claims.livePeak <= budget;
    if (better(plan, best))
      best = std::move(plan);
    (fits ? low : high) = fits ? middle + 1 : middle - 1;
  }
  best.strategy = "chain";
  return best;
}

} // namespace ringi::planner
