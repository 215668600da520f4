//===- GapExpansion.cpp - From drops between uses to a schedule -*- C++ -*-===//
//
// Part of Ringi. One walk over the ops emits the schedule, one walk over the
// emitted executions adds up the bytes.
//
//===----------------------------------------------------------------------===//

#include "GapExpansion.h"

#include <algorithm>

namespace ringi::planner {

GapStates holdEverything(const FlatProblem &flat) {
  GapStates states(flat.numGaps(), Hold);
  // After its last use a value is not held for replays.
  for (StorageIndex s = 0; s < flat.numStorages; ++s)
    if (!flat.output[s])
      states[flat.gap(s, flat.readers(s).size())] = Drop;
  return states;
}

GapExpander::GapExpander(const FlatProblem &flat) : flat(flat) {
  hasPairs = !flat.pairs.empty();
  forced.assign(flat.numStorages, 0);
  for (StorageIndex s = 0; s < flat.numStorages; ++s)
    if (flat.problem->storages[s].mark == Mark::MustRecompute)
      forced[s] = hasForced = true;
}

bool GapExpander::stale(StorageIndex s, bool forBackward) const {
  if (gone[s])
    return true;
  return hasForced && forced[s] && forBackward && forwardCopy[s];
}

void GapExpander::emit(OpIndex op, bool clone, FlatSchedule &schedule) {
  ExecutionIndex index = ExecutionIndex(schedule.ops.size());
  schedule.ops.push_back(op);
  schedule.readBegin.push_back(int32_t(schedule.reads.size()));
  for (StorageIndex s : flat.inputs(op))
    schedule.reads.push_back(copy[s]);
  for (StorageIndex s : flat.outputs(op)) {
    copy[s] = index;
    overwritten[s] = 0;
    forwardCopy[s] = !clone && flat.problem->ops[op].phase == Phase::Forward;
    if (clone) {
      gone[s] = 0;
      if ((*states)[flat.gap(s, used[s])] == DropTwice)
        transient.push_back(s);
    } else {
      gone[s] = (*states)[flat.gap(s, 0)] != Hold;
    }
  }
  if (hasPairs)
    for (int32_t i = flat.pairBegin[op]; i < flat.pairBegin[op + 1]; ++i)
      if (flat.pairs[i].required)
        overwritten[flat.pairs[i].input] = gone[flat.pairs[i].input] = 1;
  if (clone) {
    schedule.cost += flat.cost[op];
    ++schedule.recomputes;
  }
}

bool GapExpander::bringBack(StorageIndex s, bool forBackward,
                            FlatSchedule &schedule) {
  // The closure of what is missing, then a replay in the given order.
  auto ask = [&](StorageIndex needed) {
    if (!stale(needed, forBackward))
      return true;
    OpIndex op = flat.producer[needed];
    if (op == kNone || !flat.rerunnable[op]) {
      if (overwritten[needed]) {
        failed = op;
        return false;
      }
      gone[needed] = 0;
      return true;
    }
    if (!pending[op]) {
      pending[op] = 1;
      stack.push_back(op);
    }
    return true;
  };
  bool possible = ask(s);
  while (possible && !stack.empty()) {
    OpIndex op = stack.back();
    stack.pop_back();
    wanted.push_back(op);
    for (StorageIndex input : flat.inputs(op))
      if (!ask(input)) {
        failed = op;
        possible = false;
        break;
      }
  }
  std::sort(wanted.begin(), wanted.end());
  for (OpIndex op : wanted) {
    pending[op] = 0;
    // A replayed overwrite may have taken an operand of a later replay.
    for (StorageIndex input : flat.inputs(op))
      if (possible && overwritten[input]) {
        failed = op;
        possible = false;
      }
    if (possible)
      emit(op, true, schedule);
  }
  for (OpIndex op : stack)
    pending[op] = 0;
  stack.clear();
  wanted.clear();
  return possible;
}

bool GapExpander::expand(const GapStates &gapStates, FlatSchedule &schedule) {
  states = &gapStates;
  failed = kNone;
  schedule.ops.clear();
  schedule.readBegin.clear();
  schedule.reads.clear();
  schedule.outputs.clear();
  schedule.cost = 0;
  schedule.recomputes = 0;
  gone.assign(flat.numStorages, 0);
  overwritten.assign(flat.numStorages, 0);
  forwardCopy.assign(flat.numStorages, 0);
  used.assign(flat.numStorages, 0);
  copy.assign(flat.numStorages, kNone);
  pending.assign(flat.numOps, 0);

  for (OpIndex op = 0; op < flat.numOps; ++op) {
    bool forBackward = flat.problem->ops[op].phase != Phase::Forward;
    bool afterSplit = op >= flat.firstBackward;
    for (StorageIndex s : flat.inputs(op))
      if (stale(s, forBackward) && !bringBack(s, afterSplit, schedule))
        return false;
    // A replay for one operand may have overwritten another.
    if (hasPairs)
      for (StorageIndex s : flat.inputs(op))
        if (overwritten[s]) {
          failed = op;
          return false;
        }
    emit(op, false, schedule);
    for (StorageIndex s : flat.inputs(op))
      if ((*states)[flat.gap(s, ++used[s])] != Hold)
        gone[s] = 1;
    for (StorageIndex s : transient)
      if ((*states)[flat.gap(s, used[s])] == DropTwice)
        gone[s] = 1;
    transient.clear();
  }
  for (StorageIndex s = 0; s < flat.numStorages; ++s)
    if (flat.output[s] && flat.producer[s] != kNone) {
      if (gone[s] && !bringBack(s, true, schedule))
        return false;
      schedule.outputs.push_back(copy[s]);
    }
  schedule.readBegin.push_back(int32_t(schedule.reads.size()));
  measure(schedule);
  return true;
}

void GapExpander::measure(FlatSchedule &schedule) {
  int32_t count = int32_t(schedule.ops.size());
  base.resize(count + 1);
  int32_t copies = flat.numStorages;
  for (ExecutionIndex e = 0; e < count; ++e) {
    base[e] = copies;
    copies += flat.outputs(schedule.ops[e]).size();
  }
  base[count] = copies;
  lastRead.assign(copies, kNone);
  auto copyOf = [&](StorageIndex s, ExecutionIndex e) {
    if (e == kNone)
      return s;
    IndexRange outputs = flat.outputs(schedule.ops[e]);
    int32_t i = 0;
    while (outputs[i] != s)
      ++i;
    return base[e] + i;
  };
  for (ExecutionIndex e = 0; e < count; ++e) {
    IndexRange inputs = flat.inputs(schedule.ops[e]);
    for (int32_t i = 0; i < inputs.size(); ++i)
      lastRead[copyOf(inputs[i], schedule.reads[schedule.readBegin[e] + i])] =
          e;
  }
  leaves.assign(copies, 0);
  size_t next = 0;
  for (StorageIndex s = 0; s < flat.numStorages; ++s)
    if (flat.output[s])
      leaves[flat.producer[s] == kNone ? s
                                       : copyOf(s, schedule.outputs[next++])] =
          1;

  change.assign(count + 1, 0);
  auto add = [&](int32_t first, int32_t last, int64_t bytes) {
    change[first] += bytes;
    change[last + 1] -= bytes;
  };
  // In-place pairs: the copy written over, which then starts one later.
  settled.assign(copies, 0);
  taken.clear();
  if (hasPairs) {
    taken.assign(copies, 0);
    for (StorageIndex s = 0; s < flat.numStorages; ++s)
      settled[s] = flat.persistent[s];
    for (ExecutionIndex e = 0; e < count; ++e) {
      OpIndex op = schedule.ops[e];
      for (int32_t i = flat.pairBegin[op]; i < flat.pairBegin[op + 1]; ++i) {
        const InPlacePair &pair = flat.pairs[i];
        IndexRange inputs = flat.inputs(op);
        int32_t operand = 0;
        while (inputs[operand] != pair.input)
          ++operand;
        ExecutionIndex read = schedule.reads[schedule.readBegin[e] + operand];
        int32_t source = copyOf(pair.input, read);
        int32_t target = copyOf(pair.output, e);
        bool parameter = read == kNone && flat.persistent[pair.input];
        // Bit 1: written over; bit 2: itself written over another.
        if (lastRead[source] != e || leaves[source] || (taken[source] & 1) ||
            (taken[target] & 2) || (parameter && !pair.required))
          continue;
        taken[source] |= 1;
        taken[target] |= 2;
        if (settled[source])
          settled[target] = 1;
      }
    }
  }
  for (StorageIndex s = 0; s < flat.numStorages; ++s) {
    if (flat.producer[s] != kNone)
      continue;
    int64_t bytes = flat.problem->storages[s].bytes;
    if (flat.persistent[s] || leaves[s])
      add(0, count - 1, bytes);
    else if (lastRead[s] != kNone)
      add(0, lastRead[s], bytes);
  }
  for (ExecutionIndex e = 0; e < count; ++e) {
    OpIndex op = schedule.ops[e];
    if (flat.workspace[op] != 0)
      add(e, e, flat.workspace[op]);
    IndexRange outputs = flat.outputs(op);
    for (int32_t i = 0; i < outputs.size(); ++i) {
      int32_t index = base[e] + i;
      if (settled[index])
        continue; // its bytes are those of a persistent storage
      int64_t bytes = flat.problem->storages[outputs[i]].bytes;
      int32_t last = leaves[index] ? count - 1 : std::max(lastRead[index], e);
      // At e the bytes are counted with the copy that is written over.
      int32_t first = hasPairs && (taken[index] & 2) ? e + 1 : e;
      if (first <= last)
        add(first, last, bytes);
    }
  }
  schedule.resident.resize(count);
  schedule.peak = 0;
  schedule.peakExecution = kNone;
  int64_t now = 0;
  for (ExecutionIndex e = 0; e < count; ++e) {
    now += change[e];
    schedule.resident[e] = now;
    if (schedule.peakExecution == kNone || now > schedule.peak) {
      schedule.peak = now;
      schedule.peakExecution = e;
    }
  }
}

Plan makePlan(const FlatProblem &flat, const FlatSchedule &schedule,
              const std::string &strategy) {
  Plan plan;
  plan.strategy = strategy;
  plan.schedule.resize(schedule.ops.size());
  for (size_t e = 0; e < schedule.ops.size(); ++e) {
    plan.schedule[e].op = schedule.ops[e];
    plan.schedule[e].reads.assign(
        schedule.reads.begin() + schedule.readBegin[e],
        schedule.reads.begin() + schedule.readBegin[e + 1]);
  }
  plan.outputs = schedule.outputs;
  plan.claims.livePeak = schedule.peak;
  plan.claims.recomputeCost = schedule.cost;
  plan.claims.recomputes = schedule.recomputes;
  std::vector<uint8_t> ran(flat.numOps, 0);
  for (OpIndex op : schedule.ops) {
    if (ran[op])
      plan.claims.recomputeFlops += flat.problem->ops[op].flops;
    ran[op] = 1;
  }
  return plan;
}

} // namespace ringi::planner
