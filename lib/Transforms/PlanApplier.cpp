//===- PlanApplier.cpp - Walk the planned schedule ------------------------===//
//
// Part of Ringi. Finds the runs of clones, moves ops where the order changes,
// and points every operand at the computation that the plan says.
//
//===----------------------------------------------------------------------===//

#include "PlanApplier.h"
#include "ViewSimplification.h"

#include "ringi/Analysis/AttributeNames.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

void PlanApplier::run() {
  findGroups();
  reorder();
  graph.function()->walk([&](SaveOp save) {
    usesSaves = true;
    saves.try_emplace(save.getValue(), save);
  });
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
    originalReads.push_back(readValues(graph.operation(v)));
  ExecutionIndex count = ExecutionIndex(plan.schedule.size());
  for (ExecutionIndex e = 0; e < count;) {
    if (group[e] == kNone) {
      pointOperands(graph.operation(plan.schedule[e].op),
                    plan.schedule[e].reads, plan.schedule[e].op);
      ++e;
      continue;
    }
    ExecutionIndex end = e;
    while (end < count && group[end] == group[e])
      ++end;
    makeRegion(e, end);
    e = end;
  }
  pointOutputs();
  eraseDeadViews();
  finishAttributes();
  simplifyViews(body);
  graph.function()->walk(
      [&](RecomputeOp region) { simplifyViews(region.getBody().front()); });
}

void PlanApplier::findGroups() {
  group.assign(plan.schedule.size(), kNone);
  host.assign(plan.schedule.size(), body.getTerminator());
  std::vector<bool> done(problem.ops.size(), false);
  llvm::SmallDenseSet<OpIndex> inGroup;
  int32_t groups = 0;
  bool open = false;
  for (auto [e, execution] : llvm::enumerate(plan.schedule)) {
    if (!done[execution.op]) {
      done[execution.op] = true;
      open = false;
      continue;
    }
    if (!open || inGroup.contains(execution.op)) {
      ++groups;
      inGroup.clear();
      open = true;
    }
    inGroup.insert(execution.op);
    group[e] = groups;
  }
  Operation *next = body.getTerminator();
  for (size_t e = plan.schedule.size(); e-- > 0;) {
    if (group[e] == kNone)
      next = graph.operation(plan.schedule[e].op);
    host[e] = next;
  }
  leaves.resize(plan.schedule.size());
  auto read = [&](StorageIndex s, ExecutionIndex from, int32_t reader) {
    if (from != kNone && group[from] != kNone && group[from] != reader)
      leaves[from].insert(s);
  };
  for (auto [e, execution] : llvm::enumerate(plan.schedule))
    for (auto [from, s] :
         llvm::zip(execution.reads, problem.ops[execution.op].inputs))
      read(s, from, group[e]);
  for (auto [s, from] : llvm::zip(outputStorages(problem), plan.outputs))
    read(s, from, kNone);
}

void PlanApplier::reorder() {
  OpIndex expected = 0;
  bool same = true;
  for (auto [e, execution] : llvm::enumerate(plan.schedule))
    if (group[e] == kNone)
      same &= execution.op == expected++;
  if (same)
    return;
  llvm::DenseSet<Operation *> free, placed;
  for (Operation &op : body.without_terminator())
    free.insert(&op);
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
    free.erase(graph.operation(v));
  auto place = [&](Operation *op) {
    SmallVector<Operation *> stack = {op};
    while (!stack.empty()) {
      Operation *top = stack.back();
      bool ready = true;
      for (Value value : readValues(top))
        if (Operation *def = value.getDefiningOp();
            def && free.contains(def) && !placed.contains(def)) {
          stack.push_back(def);
          ready = false;
        }
      if (!ready)
        continue;
      stack.pop_back();
      if (placed.insert(top).second)
        top->moveBefore(body.getTerminator());
    }
  };
  SmallVector<Operation *> rest;
  for (Operation &op : body.without_terminator())
    if (free.contains(&op))
      rest.push_back(&op);
  for (auto [e, execution] : llvm::enumerate(plan.schedule))
    if (group[e] == kNone)
      place(graph.operation(execution.op));
  for (Operation *op : rest)
    place(op);
  for (Operation *op : rest)
    if (auto save = dyn_cast<SaveOp>(op))
      if (Operation *def = save.getValue().getDefiningOp())
        op->moveAfter(def);
}

Value PlanApplier::baseOf(Value value) {
  return graph.value(graph.place(value).storage);
}

void PlanApplier::pointOperands(Operation *op, ArrayRef<ExecutionIndex> reads,
                                OpIndex index) {
  builder.setInsertionPoint(op);
  for (Value value : readValues(op)) {
    Value clone = cloneRead(value, reads, index);
    if (!clone)
      continue;
    Value replacement = viewOf(value, baseOf(value), clone);
    value.replaceUsesWithIf(replacement, [&](OpOperand &use) {
      return op->isAncestor(use.getOwner());
    });
  }
}

void PlanApplier::pointOutputs() {
  DenseMap<StorageIndex, ExecutionIndex> from;
  for (auto [s, e] : llvm::zip(outputStorages(problem), plan.outputs))
    from[s] = e;
  Operation *terminator = body.getTerminator();
  builder.setInsertionPoint(terminator);
  for (OpOperand &operand : terminator->getOpOperands()) {
    StorageIndex s = graph.place(operand.get()).storage;
    auto it = from.find(s);
    if (it == from.end() || group[it->second] == kNone)
      continue;
    operand.set(viewOf(operand.get(), baseOf(operand.get()),
                       copies.lookup({it->second, s})));
  }
}

ExecutionIndex PlanApplier::readOf(const planner::Execution &execution,
                                   Value value) {
  StorageIndex s = graph.place(value).storage;
  const std::vector<StorageIndex> &inputs = problem.ops[execution.op].inputs;
  return execution.reads[llvm::find(inputs, s) - inputs.begin()];
}

void PlanApplier::eraseDeadViews() {
  SmallVector<Operation *> ops;
  for (Operation &op : body.without_terminator())
    ops.push_back(&op);
  for (Operation *op : llvm::reverse(ops)) {
    if (!op->use_empty() || op->getNumResults() == 0 || op->getNumRegions() > 0)
      continue;
    StorageIndex s = graph.place(op->getResult(0)).storage;
    if (s != kNone && graph.value(s) != op->getResult(0))
      op->erase();
  }
}

void PlanApplier::finishAttributes() {
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
    for (StringRef name : {attr::kReplay, attr::kPosition})
      graph.operation(v)->removeAttr(name);
  body.getTerminator()->removeAttr(attr::kReplay);
}
