//===- PlanApplierRegions.cpp - Regions of clones -------------------------===//
//
// Part of Ringi. Makes the ringi.recompute regions: what crosses into them,
// clones with their origin, and views and destinations made anew inside.
//
//===----------------------------------------------------------------------===//

#include "PlanApplier.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/Transforms/RegionUtils.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

/// The operand whose storage a view's result shares.
static Value viewedOperand(OpResult view, const OpModel &model) {
  Operation *op = view.getOwner();
  if (OpSemantics known = model(op))
    if (auto source = known.getViewSource(view.getResultNumber()))
      return op->getOperand(source->operand);
  return op->getOperand(0);
}

SmallVector<Value> ringi::readValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() > 0) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    values.append(captured.begin(), captured.end());
  }
  return values;
}

Value PlanApplier::viewOf(Value value, Value base, Value newBase) {
  SmallVector<OpResult> chain;
  for (Value current = value; current != base;) {
    auto view = cast<OpResult>(current);
    chain.push_back(view);
    current = viewedOperand(view, graph.model());
  }
  Value current = newBase;
  for (OpResult view : llvm::reverse(chain)) {
    Operation *op = view.getOwner();
    // What a clone computes is read where it is: nothing crosses.
    if (isa<SaveOp, LoadOp>(op))
      continue;
    auto [it, isNew] = views.try_emplace({current, op}, nullptr);
    if (isNew) {
      IRMapping mapping;
      mapping.map(viewedOperand(view, graph.model()), current);
      it->second = builder.clone(*op, mapping);
    }
    current = it->second->getResult(view.getResultNumber());
  }
  return current;
}

Value PlanApplier::cloneRead(Value value, ArrayRef<ExecutionIndex> reads,
                             OpIndex op) {
  StorageIndex s = graph.place(value).storage;
  if (graph.isMadeByReaders(s))
    return {};
  const std::vector<StorageIndex> &inputs = problem.ops[op].inputs;
  size_t number = llvm::find(inputs, s) - inputs.begin();
  ExecutionIndex from = reads[number];
  if (from == kNone || group[from] == kNone)
    return {};
  return copies.lookup({from, s});
}

Value PlanApplier::crossing(Value value, Operation *reader) {
  OpIndex producer = problem.storages[graph.place(value).storage].producer;
  if (!usesSaves || producer == kNone ||
      problem.ops[producer].phase != Phase::Forward ||
      phaseOf(reader) == "forward" || value.getDefiningOp<LoadOp>() ||
      !isa<RankedTensorType>(value.getType()))
    return value;
  Value &loaded = loads[value];
  if (loaded)
    return loaded;
  SaveOp &save = saves[value];
  if (!save) {
    OpBuilder atValue(builder.getContext());
    atValue.setInsertionPointAfterValue(value);
    save = SaveOp::create(atValue, value.getLoc(), value);
    save->setAttr(attr::kPhase, builder.getStringAttr("forward"));
  }
  auto load = LoadOp::create(builder, value.getLoc(), save.getSaved());
  load->setAttr(attr::kPhase, builder.getStringAttr("backward"));
  loaded = load.getValue();
  return loaded;
}

StringRef PlanApplier::phaseOf(Operation *op) {
  auto phase = op->getAttrOfType<StringAttr>(attr::kPhase);
  return phase ? phase.getValue() : StringRef("backward");
}

PlanApplier::OutsideReads PlanApplier::readOutside(ExecutionIndex begin,
                                                   ExecutionIndex end) {
  OutsideReads reads;
  for (ExecutionIndex e = begin; e < end; ++e) {
    const planner::Execution &execution = plan.schedule[e];
    for (Value value : originalReads[execution.op]) {
      if (isMade(value))
        continue;
      ExecutionIndex from = readOf(execution, value);
      if (from >= begin)
        continue;
      Value clone = cloneRead(value, execution.reads, execution.op);
      Value live = clone ? viewOf(value, baseOf(value), clone)
                         : crossing(value, host[begin]);
      reads.live[{from, value}] = live;
      reads.inputs.insert(live);
    }
  }
  return reads;
}

void PlanApplier::cloneInto(Block &inner, ExecutionIndex begin,
                            ExecutionIndex end, const OutsideReads &outside) {
  DenseMap<Value, Value> arguments;
  for (Value input : outside.inputs)
    arguments[input] = inner.addArgument(input.getType(), input.getLoc());
  builder.setInsertionPointToStart(&inner);
  DenseMap<Value, Value> made;
  for (ExecutionIndex e = begin; e < end; ++e) {
    const planner::Execution &execution = plan.schedule[e];
    Operation *origin = graph.operation(execution.op);
    IRMapping mapping;
    // The original's operands may have been pointed at a clone already.
    for (auto [value, current] :
         llvm::zip(originalReads[execution.op], readValues(origin))) {
      if (isMade(value)) {
        mapping.map(current, makeHere(value, made));
        continue;
      }
      ExecutionIndex from = readOf(execution, value);
      Value inside;
      if (from >= begin)
        inside = viewOf(value, baseOf(value),
                        copies.lookup({from, graph.place(value).storage}));
      else
        inside = arguments.lookup(outside.live.lookup({from, value}));
      mapping.map(current, inside);
    }
    Operation *clone = cloneOp(origin, mapping);
    for (StorageIndex s : problem.ops[execution.op].outputs)
      if (auto value = dyn_cast_or_null<OpResult>(graph.value(s)))
        copies[{e, s}] = clone->getResult(value.getResultNumber());
  }
}

void PlanApplier::makeRegion(ExecutionIndex begin, ExecutionIndex end) {
  Operation *reader = host[begin];
  builder.setInsertionPoint(reader);
  OutsideReads outside = readOutside(begin, end);

  SmallVector<std::pair<ExecutionIndex, StorageIndex>> results;
  SmallVector<Type> types;
  for (ExecutionIndex e = begin; e < end; ++e)
    for (StorageIndex s : problem.ops[plan.schedule[e].op].outputs)
      if (leaves[e].contains(s)) {
        results.push_back({e, s});
        types.push_back(graph.value(s).getType());
      }
  auto region = RecomputeOp::create(builder, reader->getLoc(), types,
                                    outside.inputs.getArrayRef());
  region->setAttr(attr::kPhase, builder.getStringAttr(phaseOf(reader)));
  Block *inner = region.getBody().empty() ? &region.getBody().emplaceBlock()
                                          : &region.getBody().front();
  inner->clear();
  cloneInto(*inner, begin, end, outside);
  SmallVector<Value> yielded;
  for (auto &result : results)
    yielded.push_back(copies.lookup(result));
  YieldOp::create(builder, reader->getLoc(), yielded);
  for (auto [result, value] : llvm::zip(results, region.getResults()))
    copies[result] = value;
}

bool PlanApplier::isMade(Value value) const {
  return graph.isMadeByReaders(graph.place(value).storage);
}

Value PlanApplier::makeHere(Value value, DenseMap<Value, Value> &made) {
  if (Value known = made.lookup(value))
    return known;
  Operation *op = value.getDefiningOp();
  IRMapping mapping;
  for (Value operand : op->getOperands())
    mapping.map(operand, makeHere(operand, made));
  Operation *copy = builder.clone(*op, mapping);
  Value here = copy->getResult(cast<OpResult>(value).getResultNumber());
  return made[value] = here;
}

Operation *PlanApplier::cloneOp(Operation *origin, IRMapping &mapping) {
  OpSemantics known = graph.model()(origin);
  Operation *clone = known ? known.cloneForRecompute(builder, mapping)
                           : builder.clone(*origin, mapping);
  Attribute id = origin->getAttr(attr::kId);
  for (StringRef name :
       {attr::kId, attr::kReplay, attr::kPosition, attr::kDecision,
        attr::kMustKeep, attr::kMustRecompute, attr::kPhase})
    clone->removeAttr(name);
  clone->setAttr(attr::kOrigin, id);
  return clone;
}
