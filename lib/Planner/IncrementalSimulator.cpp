//===- IncrementalSimulator.cpp - A schedule under edit -----------------===//
//
// Part of Ringi. Loads a plan, answers questions about the schedule and gives
// it back as a plan. Edits stand in IncrementalEdits.cpp, what they do to
// lifetimes in IncrementalLifetimes.cpp.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/IncrementalSimulator.h"

#include "IncrementalLookups.h"
#include "MemoryProfile.h"

#include <algorithm>

namespace ringi::planner {

IncrementalSimulator::~IncrementalSimulator() = default;

IncrementalSimulator::IncrementalSimulator(const Problem &problem,
                                           const Plan &plan, int64_t budget)
    : problem(problem), entry(OpIndex(problem.ops.size())),
      memory(std::make_unique<MemoryProfile>()) {
  const double base = indexProblem();
  load(plan);
  memory->reset(0, double(budget));
  respace(2 * executionCount + 64);
  memory->add(0, int32_t(at.size()) - 1, base);
  fillMemory();
}

/// Fills all lists that depend on the problem alone. \returns the bytes that
/// are resident during the whole step.
double IncrementalSimulator::indexProblem() {
  const size_t n = problem.ops.size(), m = problem.storages.size();
  copies.resize(n + 1);
  freeNodes.resize(n + 1);
  readers.resize(m);
  tracked.assign(m, false);
  producers.assign(m, kNone);
  resultIndex.assign(m, 0);
  overwriter.assign(m, kNone);
  repeatedIndex.assign(n + 1, kNone);

  std::vector<char> isRead(m, false);
  for (OpIndex op = 0; op < entry; ++op) {
    for (StorageIndex s : problem.ops[op].inputs)
      isRead[s] = true;
    for (const InPlacePair &pair : problem.ops[op].inPlace) {
      anyInPlace = true;
      if (pair.required)
        overwriter[pair.input] = op;
    }
  }
  double base = 0;
  std::vector<StorageIndex> before;
  for (StorageIndex s = 0; s < StorageIndex(m); ++s) {
    const Storage &storage = problem.storages[s];
    bytes.push_back(double(storage.bytes));
    producers[s] = storage.producer != kNone ? storage.producer : entry;
    if (storage.persistent || (storage.producer == kNone && storage.output))
      base += double(storage.bytes);
    else
      tracked[s] = storage.producer != kNone || isRead[s];
    if (storage.producer == kNone && tracked[s]) {
      resultIndex[s] = int32_t(before.size());
      before.push_back(s);
    }
  }
  for (OpIndex op = 0; op < entry; ++op) {
    workspace.push_back(double(problem.ops[op].workspace));
    cost.push_back(problem.ops[op].cost);
    int32_t index = 0;
    for (StorageIndex s : problem.ops[op].outputs) {
      results.values.push_back(s);
      resultIndex[s] = index++;
    }
    results.closeList();
    for (StorageIndex s : problem.ops[op].inputs)
      // Overwritten storages are followed although their bytes are constant:
      // nothing may read them after the overwrite.
      if (tracked[s] || overwriter[s] != kNone)
        trackedInputs.values.push_back(s);
    trackedInputs.closeList();
  }
  results.values.insert(results.values.end(), before.begin(), before.end());
  results.closeList();
  trackedInputs.closeList();
  return base;
}

/// Links the executions of the plan in their order.
void IncrementalSimulator::load(const Plan &plan) {
  Node head;
  head.op = entry;
  nodes.push_back(head);
  slots.push_back(0);
  lastUse.assign(results[entry].size(), kNone);
  livesInPersistent.assign(results[entry].size(), false);
  copies[entry].push_back(kHead);

  std::vector<Handle> order;
  for (const Execution &execution : plan.schedule) {
    Handle handle = makeNode(execution.op);
    order.push_back(handle);
    copies[execution.op].push_back(handle);
    countCopies(execution.op, true);
    for (StorageIndex s : trackedInputs[execution.op])
      readers[s].push_back(handle);
  }
  executionCount = int32_t(order.size());
  Handle last = kHead;
  for (Handle handle : order) {
    nodes[handle].prev = last;
    nodes[last].next = handle;
    last = handle;
  }
  nodes[last].next = kNone;
  nodes[kHead].prev = last;
}

void IncrementalSimulator::fillMemory() {
  for (Handle handle = kHead; handle != kNone; handle = nodes[handle].next) {
    const Node &node = nodes[handle];
    for (size_t i = 0; i < results[node.op].size(); ++i) {
      addBytes(slots[handle], slots[handle], bytes[results[node.op][i]]);
      refresh(handle, int32_t(i));
    }
    if (handle == kHead)
      continue;
    addBytes(slots[handle], slots[handle], workspace[node.op]);
    mark(handle);
    flush();
  }
  refreshInPlace();
  flush();
}

IncrementalSimulator::Handle IncrementalSimulator::makeNode(OpIndex op) {
  if (!freeNodes[op].empty()) {
    Handle handle = freeNodes[op].back();
    freeNodes[op].pop_back();
    return handle;
  }
  Node node;
  node.op = op;
  node.firstBuffer = int32_t(lastUse.size());
  lastUse.resize(lastUse.size() + results[op].size(), kNone);
  livesInPersistent.resize(lastUse.size(), false);
  nodes.push_back(node);
  slots.push_back(0);
  return Handle(nodes.size() - 1);
}

int64_t IncrementalSimulator::peak() const { return int64_t(memory->peak()); }
int64_t IncrementalSimulator::resident(Handle handle) const {
  return int64_t(memory->get(slots[handle]));
}
double IncrementalSimulator::overflow() const { return memory->overflow(); }
void IncrementalSimulator::setBudget(int64_t budget) {
  memory->setLimit(double(budget));
}

IncrementalSimulator::Handle
IncrementalSimulator::atOrAfter(int32_t slot) const {
  for (; slot < int32_t(at.size()); ++slot)
    if (at[slot] > kHead)
      return at[slot];
  return kNone;
}

IncrementalSimulator::Handle IncrementalSimulator::source(StorageIndex storage,
                                                          Handle reader) const {
  Handle copy = lookUpCopy(producers[storage], slots[reader]);
  return copy == kHead ? kNone : copy;
}

IncrementalSimulator::Handle
IncrementalSimulator::lastUseBefore(StorageIndex storage, Handle where) const {
  int32_t slot = where == kNone ? int32_t(at.size()) : slots[where];
  Handle copy = lookUpCopy(producers[storage], slot);
  if (copy == kNone)
    return kNone;
  Handle reader = lastReaderBefore(storage, slot);
  return reader != kNone && slots[reader] > slots[copy] ? reader : copy;
}

IncrementalSimulator::Handle
IncrementalSimulator::firstReader(StorageIndex storage, Handle copy) const {
  const std::vector<Handle> &list = readers[storage];
  auto it = std::upper_bound(
      list.begin(), list.end(), slots[copy],
      [&](int32_t slot, Handle reader) { return slot < slots[reader]; });
  return it == list.end() || source(storage, *it) != copy ? kNone : *it;
}

bool IncrementalSimulator::isUseless(Handle handle) const {
  const Node &node = nodes[handle];
  for (size_t i = 0; i < results[node.op].size(); ++i)
    if (lastUse[node.firstBuffer + i] != kNone)
      return false;
  return true;
}

Plan IncrementalSimulator::toPlan() const {
  Plan plan;
  std::vector<ExecutionIndex> index(nodes.size(), kNone);
  std::vector<ExecutionIndex> latest(problem.ops.size(), kNone);
  for (Handle h = front(); h != kNone; h = nodes[h].next) {
    const Op &op = problem.ops[nodes[h].op];
    Execution execution;
    execution.op = nodes[h].op;
    for (StorageIndex s : op.inputs)
      execution.reads.push_back(producers[s] == entry ? kNone
                                                      : latest[producers[s]]);
    if (latest[execution.op] != kNone) {
      plan.claims.recomputeCost += op.cost;
      plan.claims.recomputeFlops += op.flops;
      ++plan.claims.recomputes;
    }
    latest[execution.op] = ExecutionIndex(plan.schedule.size());
    plan.schedule.push_back(std::move(execution));
  }
  for (StorageIndex s : outputStorages(problem))
    plan.outputs.push_back(latest[problem.storages[s].producer]);
  plan.claims.livePeak = peak();
  return plan;
}

} // namespace ringi::planner
