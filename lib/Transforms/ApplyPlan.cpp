//===- ApplyPlan.cpp - Clones in ringi.recompute regions ------------------===//
//
// Part of Ringi. Walks the planned schedule: original ops stay (or move when
// the order changes), each run of clones becomes a region right before the op
// that needs it, and every operand is pointed at the computation the plan says.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Interfaces/RingiInterfaces.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "ViewSimplification.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace ringi {
#define GEN_PASS_DEF_APPLYPLAN
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

/// The operand whose storage a view's result shares.
Value viewedOperand(OpResult view, const OpModel &model) {
  Operation *op = view.getOwner();
  if (OpSemantics known = model(op))
    if (auto source = known.getViewSource(view.getResultNumber()))
      return op->getOperand(source->operand);
  return op->getOperand(0);
}

/// What an op reads: its operands, then what its regions capture.
SmallVector<Value> readValues(Operation *op) {
  SmallVector<Value> values(op->getOperands());
  if (op->getNumRegions() > 0) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    values.append(captured.begin(), captured.end());
  }
  return values;
}

class PlanApplier {
public:
  PlanApplier(const ActivationGraph &graph, const Plan &plan)
      : graph(graph), problem(graph.problem()), plan(plan),
        body(FunctionOpInterface(graph.function()).getFunctionBody().front()),
        builder(body.getTerminator()) {}

  void run() {
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

private:
  /// Numbers the runs of clones. One region never holds an op twice: stock CSE
  /// would merge the two.
  void findGroups() {
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

  /// Moves the ops into the order of their first executions; views and
  /// constants go along with their first reader.
  void reorder() {
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

  /// `value` as it hangs on `base`, made again on `newBase`. Views are made
  /// where the builder stands, once per computation.
  Value viewOf(Value value, Value base, Value newBase) {
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

  Value baseOf(Value value) { return graph.value(graph.place(value).storage); }

  /// The computation that a read names: null for the original one.
  Value cloneRead(Value value, ArrayRef<ExecutionIndex> reads, OpIndex op) {
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

  void pointOperands(Operation *op, ArrayRef<ExecutionIndex> reads,
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

  void pointOutputs() {
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

  /// A forward value as the backward part reads it: through save and load where
  /// the function has them.
  Value crossing(Value value, Operation *reader) {
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

  static StringRef phaseOf(Operation *op) {
    auto phase = op->getAttrOfType<StringAttr>(attr::kPhase);
    return phase ? phase.getValue() : StringRef("backward");
  }

  void makeRegion(ExecutionIndex begin, ExecutionIndex end) {
    Operation *reader = host[begin];
    builder.setInsertionPoint(reader);

    // What each clone reads from outside, in order of first use; views of what
    // another region computed are made outside.
    llvm::SetVector<Value> inputs;
    DenseMap<std::pair<ExecutionIndex, Value>, Value> outside;
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
                           : crossing(value, reader);
        outside[{from, value}] = live;
        inputs.insert(live);
      }
    }

    SmallVector<std::pair<ExecutionIndex, StorageIndex>> results;
    SmallVector<Type> types;
    for (ExecutionIndex e = begin; e < end; ++e)
      for (StorageIndex s : problem.ops[plan.schedule[e].op].outputs)
        if (leaves[e].contains(s)) {
          results.push_back({e, s});
          types.push_back(graph.value(s).getType());
        }
    auto region = RecomputeOp::create(builder, reader->getLoc(), types,
                                      inputs.getArrayRef());
    region->setAttr(attr::kPhase, builder.getStringAttr(phaseOf(reader)));
    Block *inner = region.getBody().empty() ? &region.getBody().emplaceBlock()
                                            : &region.getBody().front();
    inner->clear();
    DenseMap<Value, Value> arguments;
    for (Value input : inputs)
      arguments[input] = inner->addArgument(input.getType(), input.getLoc());
    builder.setInsertionPointToStart(inner);
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
          inside = arguments.lookup(outside.lookup({from, value}));
        mapping.map(current, inside);
      }
      Operation *clone = cloneOp(origin, mapping);
      for (StorageIndex s : problem.ops[execution.op].outputs)
        if (auto value = dyn_cast_or_null<OpResult>(graph.value(s)))
          copies[{e, s}] = clone->getResult(value.getResultNumber());
    }
    SmallVector<Value> yielded;
    for (auto &result : results)
      yielded.push_back(copies.lookup(result));
    YieldOp::create(builder, reader->getLoc(), yielded);
    for (auto [result, value] : llvm::zip(results, region.getResults()))
      copies[result] = value;
  }

  bool isMade(Value value) const {
    return graph.isMadeByReaders(graph.place(value).storage);
  }

  /// A destination or splat of the region's own: one from outside would tie
  /// the lifetimes of clone and origin together.
  Value makeHere(Value value, DenseMap<Value, Value> &made) {
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

  ExecutionIndex readOf(const planner::Execution &execution, Value value) {
    StorageIndex s = graph.place(value).storage;
    const std::vector<StorageIndex> &inputs = problem.ops[execution.op].inputs;
    return execution.reads[llvm::find(inputs, s) - inputs.begin()];
  }

  Operation *cloneOp(Operation *origin, IRMapping &mapping) {
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

  void eraseDeadViews() {
    SmallVector<Operation *> ops;
    for (Operation &op : body.without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops)) {
      if (!op->use_empty() || op->getNumResults() == 0 ||
          op->getNumRegions() > 0)
        continue;
      StorageIndex s = graph.place(op->getResult(0)).storage;
      if (s != kNone && graph.value(s) != op->getResult(0))
        op->erase();
    }
  }

  void finishAttributes() {
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
      for (StringRef name : {attr::kReplay, attr::kPosition})
        graph.operation(v)->removeAttr(name);
    body.getTerminator()->removeAttr(attr::kReplay);
  }

  const ActivationGraph &graph;
  const Problem &problem;
  const Plan &plan;
  Block &body;
  OpBuilder builder;
  /// Per execution its region's number, kNone for an original op; the original
  /// op that follows; the results that are read outside the region.
  std::vector<int32_t> group;
  std::vector<Operation *> host;
  std::vector<llvm::SmallDenseSet<StorageIndex, 2>> leaves;
  /// Per op what it read before anything was rewritten.
  std::vector<SmallVector<Value>> originalReads;
  /// What clones compute: inside their region while it is made, then its
  /// results.
  DenseMap<std::pair<ExecutionIndex, StorageIndex>, Value> copies;
  DenseMap<std::pair<Value, Operation *>, Operation *> views;
  DenseMap<Value, SaveOp> saves;
  DenseMap<Value, Value> loads;
  bool usesSaves = false;
};

struct ApplyPlanPass : ringi::impl::ApplyPlanBase<ApplyPlanPass> {
  using ApplyPlanBase::ApplyPlanBase;

  void runOnOperation() override {
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface step : *functions)
      if (step->hasAttr(attr::kPlan) && failed(apply(step)))
        return signalPassFailure();
  }

  LogicalResult apply(FunctionOpInterface step) {
    FailureOr<GraphOptions> options = graphOptionsFor(step);
    if (failed(options))
      return failure();
    FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
    if (failed(graph))
      return failure();
    if (graph->hasClones())
      return mlir::emitError(step->getLoc())
             << "'" << step.getName()
             << "' already holds ringi.recompute regions; a plan is applied "
                "once";
    FailureOr<Plan> plan = readPlan(*graph);
    if (failed(plan))
      return failure();
    if (Expected<Timeline> timeline = simulate(graph->problem(), *plan);
        !timeline)
      return mlir::emitError(step->getLoc()) << timeline.error().message;
    PlanApplier(*graph, *plan).run();
    return success();
  }
};

} // namespace
