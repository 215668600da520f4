//===- ScheduleMoves.cpp - The neighbourhood of the local search ----------===//
//
// Part of Ringi. Edits are forecast where the simulator can, so that the many
// that a cold search rejects cost no update.
//
//===----------------------------------------------------------------------===//

#include "ScheduleMoves.h"

#include <algorithm>

namespace ringi::planner {

namespace {

using Forecast = IncrementalSimulator::Forecast;

/// Executions that one edit adds at most.
constexpr int32_t kLongestChain = 5;
/// A gap of fewer slots is not worth a recompute.
constexpr int32_t kShortestGap = 4;
/// How far a short relocation goes, in slots.
constexpr int32_t kShortWay = 20;

} // namespace

ScheduleMoves::ScheduleMoves(const Problem &problem,
                             IncrementalSimulator &simulator, Order order,
                             Random &random)
    : problem(problem), simulator(simulator), fixed(order == Order::Fixed),
      random(random) {
  for (const Op &op : problem.ops) {
    bool again = op.recomputable;
    for (StorageIndex s : op.outputs)
      again &= problem.storages[s].mark != Mark::MustKeep;
    for (const InPlacePair &pair : op.inPlace)
      again &= !pair.required;
    mayRunAgain.push_back(again);
  }
  for (OpIndex op = 0; op < OpIndex(problem.ops.size()); ++op)
    for (StorageIndex s : problem.ops[op].inputs) {
      OpIndex producer = problem.storages[s].producer;
      if (producer != kNone && mayRunAgain[producer] && simulator.isTracked(s))
        uses.push_back({op, s});
    }
  // What leaves the step may be dropped, too, and computed again at its end.
  for (StorageIndex s : outputStorages(problem))
    if (mayRunAgain[problem.storages[s].producer])
      uses.push_back({kNone, s});
}

ScheduleMoves::Handle ScheduleMoves::randomExecution() {
  Handle handle;
  do
    handle = simulator.atOrAfter(random.below(simulator.numSlots()));
  while (handle == kNone);
  return handle;
}

MoveOutcome ScheduleMoves::addRecompute(const EnergyLimit &limit) {
  if (uses.empty())
    return MoveOutcome::Nothing;
  const Use &use = uses[random.below(int64_t(uses.size()))];
  Handle reader = kNone;
  int32_t end = simulator.numSlots();
  if (use.reader != kNone) {
    const std::vector<Handle> &readers = simulator.executions(use.reader);
    reader = readers[random.below(int64_t(readers.size()))];
    end = simulator.slot(reader);
  }
  Handle before = simulator.lastUseBefore(use.storage, reader);
  int32_t gap = end - simulator.slot(before);
  if (gap < kShortestGap)
    return MoveOutcome::Nothing;
  Handle where = reader;
  if (random.below(4) == 0)
    where = simulator.atOrAfter(end - random.below(gap));

  OpIndex op = problem.storages[use.storage].producer;
  if (random.unit() >= 0.7) {
    chainLeft = kLongestChain;
    return insertWithInputs(op, where, limit) ? MoveOutcome::Made
                                              : MoveOutcome::Unfinished;
  }
  double cost = simulator.recomputeCost() + problem.ops[op].cost;
  if (!limit.admits(0, cost))
    return MoveOutcome::Nothing;
  Forecast forecast = simulator.forecastInsert(op, where);
  if (forecast.kind == Forecast::Illegal ||
      (forecast.kind == Forecast::Known &&
       !limit.admits(forecast.overflow, cost)))
    return MoveOutcome::Nothing;
  return simulator.insert(op, where) == kNone ? MoveOutcome::Nothing
                                              : MoveOutcome::Made;
}

/// Inserts `op` and, for inputs that would otherwise be kept for it alone, by
/// the toss of a coin their producers too.
bool ScheduleMoves::insertWithInputs(OpIndex op, Handle where,
                                     const EnergyLimit &limit) {
  if (!limit.admits(0, simulator.recomputeCost() + problem.ops[op].cost))
    return false;
  Handle handle = simulator.insert(op, where);
  if (handle == kNone)
    return false;
  --chainLeft;
  for (StorageIndex s : problem.ops[op].inputs) {
    OpIndex producer = problem.storages[s].producer;
    if (chainLeft == 0)
      break;
    if (producer == kNone || !mayRunAgain[producer] ||
        simulator.isLiveAfter(s, simulator.source(s, handle), handle))
      continue;
    Handle before = simulator.lastUseBefore(s, handle);
    if (simulator.slot(handle) - simulator.slot(before) >= kShortestGap &&
        random.below(2) == 0 && !insertWithInputs(producer, handle, limit))
      return false;
  }
  return true;
}

/// An execution of a repeated op, or kNone.
ScheduleMoves::Handle ScheduleMoves::drawRecompute() {
  const std::vector<OpIndex> &repeated = simulator.repeatedOps();
  if (repeated.empty())
    return kNone;
  OpIndex op = repeated[random.below(int64_t(repeated.size()))];
  const std::vector<Handle> &list = simulator.executions(op);
  // In a fixed order the first execution stays where it is.
  int32_t first = fixed ? 1 : 0;
  return list[first + random.below(int64_t(list.size()) - first)];
}

/// Removes the execution and what served it alone.
bool ScheduleMoves::takeBack(Handle handle) {
  OpIndex op = simulator.op(handle);
  if (!simulator.remove(handle))
    return false;
  dropUseless(op);
  return true;
}

MoveOutcome ScheduleMoves::dropRecompute(const EnergyLimit &limit) {
  Handle handle = drawRecompute();
  if (handle == kNone)
    return MoveOutcome::Nothing;
  Forecast forecast = simulator.forecastRemove(handle);
  if (forecast.kind == Forecast::Illegal)
    return MoveOutcome::Nothing;
  // What served the recompute alone goes with it, which the forecast does not
  // see: do not always believe it.
  double saved = problem.ops[simulator.op(handle)].cost;
  if (forecast.kind == Forecast::Known &&
      !limit.admits(forecast.overflow, simulator.recomputeCost() - saved) &&
      random.below(10) != 0)
    return MoveOutcome::Nothing;
  return takeBack(handle) ? MoveOutcome::Made : MoveOutcome::Nothing;
}

MoveOutcome ScheduleMoves::exchangeRecompute(const EnergyLimit &limit) {
  Handle handle = drawRecompute();
  if (handle == kNone || !takeBack(handle))
    return MoveOutcome::Nothing;
  return addRecompute(limit) == MoveOutcome::Made ? MoveOutcome::Made
                                                  : MoveOutcome::Unfinished;
}

/// Takes back executions of the inputs of `reader` that nothing reads.
void ScheduleMoves::dropUseless(OpIndex reader) {
  std::vector<OpIndex> work = {reader};
  while (!work.empty()) {
    OpIndex op = work.back();
    work.pop_back();
    for (StorageIndex s : problem.ops[op].inputs) {
      OpIndex producer = problem.storages[s].producer;
      if (producer == kNone)
        continue;
      const std::vector<Handle> &list = simulator.executions(producer);
      for (size_t i = list.size(); i-- > (fixed ? 1u : 0u) && list.size() > 1;)
        if (simulator.isUseless(list[i]) && simulator.remove(list[i]))
          work.push_back(producer);
    }
  }
}

MoveOutcome ScheduleMoves::relocate(const EnergyLimit &limit) {
  Handle handle = randomExecution();
  int32_t low, high;
  if (!findWindow(handle, low, high))
    return MoveOutcome::Nothing;
  Handle where = drawPlace(handle, low, high);
  if (where == handle)
    where = simulator.next(handle);
  if (where == simulator.next(handle))
    return MoveOutcome::Nothing;
  Forecast forecast = simulator.forecastMove(handle, where);
  if (forecast.kind == Forecast::Illegal ||
      (forecast.kind == Forecast::Known &&
       !limit.admits(forecast.overflow, simulator.recomputeCost())))
    return MoveOutcome::Nothing;
  return simulator.move(handle, where) ? MoveOutcome::Made
                                       : MoveOutcome::Nothing;
}

/// Slots between the inputs' copies and the first reader; false when the
/// execution may not move.
bool ScheduleMoves::findWindow(Handle handle, int32_t &low, int32_t &high) {
  OpIndex op = simulator.op(handle);
  bool first = simulator.executions(op).front() == handle;
  if (first && (fixed || problem.ops[op].ordered))
    return false;
  low = 0;
  high = simulator.numSlots();
  for (StorageIndex s : problem.ops[op].inputs) {
    OpIndex producer = problem.storages[s].producer;
    if (producer == kNone)
      continue;
    // Mostly the copy read now; at times any copy will do.
    Handle source = random.below(8) == 0
                        ? simulator.executions(producer).front()
                        : simulator.source(s, handle);
    low = std::max(low, simulator.slot(source) + 1);
  }
  if (!first && fixed)
    low = std::max(low, simulator.slot(simulator.executions(op).front()) + 1);
  for (StorageIndex s : problem.ops[op].outputs) {
    Handle reader = simulator.firstReader(s, handle);
    if (reader != kNone)
      high = std::min(high, simulator.slot(reader));
  }
  return low < high;
}

ScheduleMoves::Handle ScheduleMoves::drawPlace(Handle handle, int32_t low,
                                               int32_t high) {
  switch (random.below(8)) {
  case 0:
    return simulator.atOrAfter(low);
  case 1:
    return simulator.atOrAfter(high);
  case 2:
  case 3:
  case 4: {
    int32_t way = 1 + random.below(kShortWay);
    int32_t slot = simulator.slot(handle) + (random.below(2) ? way : -way);
    return simulator.atOrAfter(std::clamp(slot, low, high));
  }
  default:
    return simulator.atOrAfter(low + random.below(high - low + 1));
  }
}

} // namespace ringi::planner
