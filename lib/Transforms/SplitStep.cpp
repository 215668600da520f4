//===- SplitStep.cpp - A forward and a backward function of one step ------===//
//
// Part of Ringi. Sorts the ops of a joint step by phase; ops that are in no
// plan (views, constants, destinations) go wherever they are read.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

namespace ringi {
#define GEN_PASS_DEF_SPLITSTEP
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

/// Builds the two functions of one step.
class StepSplitter {
public:
  StepSplitter(func::FuncOp step, const ActivationGraph &graph)
      : step(step), graph(graph), body(step.getBody().front()) {
    for (OpIndex v = 0; v < OpIndex(graph.problem().ops.size()); ++v) {
      // Ops of a region move with it.
      Operation *op = body.findAncestorOpInBlock(*graph.operation(v));
      placed[op] = isa<RecomputeOp>(op)
                       ? op->getAttrOfType<StringAttr>(attr::kPhase) ==
                             StringAttr::get(op->getContext(), "forward")
                       : graph.problem().ops[v].phase == Phase::Forward;
    }
  }

  void run(StringRef forwardName, StringRef backwardName) {
    sortResults();
    findSaved();
    int64_t bytes = 0;
    llvm::SmallDenseSet<StorageIndex> counted;
    for (Value value : saved)
      if (counted.insert(graph.place(value).storage).second)
        bytes += graph.problem().storages[graph.place(value).storage].bytes;

    OpBuilder builder(step);
    SmallVector<Value> returned(forwardResults);
    returned.append(saved.begin(), saved.end());
    make(builder, forwardName, {}, true, returned, forwardNumbers, bytes);
    make(builder, backwardName, saved.getArrayRef(), false, backwardResults,
         backwardNumbers, bytes);
    step.erase();
  }

private:
  /// Where the op that computes `value` goes; nothing for arguments and ops
  /// that go wherever they are read.
  std::optional<bool> isForward(Value value) const {
    Operation *op = value.getDefiningOp();
    auto it = op ? placed.find(op) : placed.end();
    return it == placed.end() ? std::nullopt : std::optional<bool>(it->second);
  }

  /// What `op` reads from outside of it.
  static SmallVector<Value> readsOf(Operation *op) {
    llvm::SetVector<Value> reads(op->operand_begin(), op->operand_end());
    getUsedValuesDefinedAbove(op->getRegions(), reads);
    return reads.takeVector();
  }

  /// Calls `leaf` with the arguments and computed values that `value` is made
  /// of by ops that go wherever they are read.
  void trace(Value value, llvm::function_ref<void(Value)> leaf) const {
    SmallVector<Value> stack = {value};
    llvm::SmallDenseSet<Value> seen;
    while (!stack.empty()) {
      Value top = stack.pop_back_val();
      if (!seen.insert(top).second)
        continue;
      if (!top.getDefiningOp() || isForward(top)) {
        leaf(top);
        continue;
      }
      for (Value read : readsOf(top.getDefiningOp()))
        stack.push_back(read);
    }
  }

  void sortResults() {
    for (auto [number, value] :
         llvm::enumerate(body.getTerminator()->getOperands())) {
      bool first = true;
      trace(value,
            [&](Value leaf) { first &= isForward(leaf).value_or(true); });
      (first ? forwardResults : backwardResults).push_back(value);
      (first ? forwardNumbers : backwardNumbers).push_back(unsigned(number));
    }
  }

  void findSaved() {
    auto look = [&](Value value) {
      trace(value, [&](Value leaf) {
        if (isForward(leaf).value_or(false))
          saved.insert(leaf);
      });
    };
    for (Operation &op : body.without_terminator())
      if (auto it = placed.find(&op); it != placed.end() && !it->second)
        for (Value value : readsOf(&op))
          look(value);
    for (Value value : backwardResults)
      look(value);
  }

  /// One half: `taken` values as first arguments, then the step's arguments
  /// that it reads.
  void make(OpBuilder &builder, StringRef name, ArrayRef<Value> taken,
            bool isFirst, ArrayRef<Value> returned, ArrayRef<unsigned> numbers,
            int64_t bytes) {
    // The ops of this half, and those that it needs from nobody's.
    llvm::SetVector<Value> arguments;
    llvm::SmallDenseSet<Operation *> members;
    SmallVector<Value> stack(returned);
    llvm::SmallDenseSet<Value> seen(taken.begin(), taken.end());
    for (Operation &op : body.without_terminator())
      if (auto it = placed.find(&op);
          it != placed.end() && it->second == isFirst) {
        members.insert(&op);
        llvm::append_range(stack, readsOf(&op));
      }
    while (!stack.empty()) {
      Value value = stack.pop_back_val();
      if (!seen.insert(value).second)
        continue;
      Operation *op = value.getDefiningOp();
      if (!op) {
        arguments.insert(value);
      } else if (members.insert(op).second) {
        llvm::append_range(stack, readsOf(op));
      }
    }
    SmallVector<Value> takes(taken);
    for (Value argument : step.getArguments())
      if (arguments.contains(argument))
        takes.push_back(argument);

    auto half = func::FuncOp::create(
        builder, step.getLoc(), name,
        builder.getFunctionType(ValueRange(takes).getTypes(),
                                ValueRange(returned).getTypes()));
    half.setVisibility(step.getVisibility());
    Block *block = half.addEntryBlock();
    IRMapping mapping;
    for (auto [number, value] : llvm::enumerate(takes)) {
      mapping.map(value, block->getArgument(number));
      if (number < taken.size())
        half.setArgAttr(
            number, attr::kSaved,
            builder.getI64IntegerAttr(int64_t(forwardResults.size() + number)));
      else if (DictionaryAttr given = step.getArgAttrDict(
                   cast<BlockArgument>(value).getArgNumber()))
        half.setArgAttrs(number, given);
    }
    OpBuilder inside = OpBuilder::atBlockBegin(block);
    for (Operation &op : body.without_terminator())
      if (members.contains(&op))
        inside.clone(op, mapping);
    SmallVector<Value> results;
    for (Value value : returned)
      results.push_back(mapping.lookup(value));
    func::ReturnOp::create(inside, body.getTerminator()->getLoc(), results);
    for (auto [number, original] : llvm::enumerate(numbers))
      if (DictionaryAttr given = step.getResultAttrDict(original))
        half.setResultAttrs(number, given);
    half->setAttr(attr::kSavedBytes, builder.getI64IntegerAttr(bytes));
  }

  func::FuncOp step;
  const ActivationGraph &graph;
  Block &body;
  /// Of each op in the plan: in the forward function?
  DenseMap<Operation *, bool> placed;
  SmallVector<Value> forwardResults, backwardResults;
  SmallVector<unsigned> forwardNumbers, backwardNumbers;
  llvm::SetVector<Value> saved;
};

struct SplitStepPass : ringi::impl::SplitStepBase<SplitStepPass> {
  using SplitStepBase::SplitStepBase;

  void runOnOperation() override {
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    std::optional<ActivationGraph> found;
    for (FunctionOpInterface each : *functions) {
      FailureOr<GraphOptions> options = graphOptionsFor(each);
      if (failed(options))
        return signalPassFailure();
      FailureOr<ActivationGraph> graph = ActivationGraph::build(each, *options);
      if (failed(graph))
        return signalPassFailure();
      if (llvm::all_of(graph->problem().ops, [](const planner::Op &op) {
            return op.phase == Phase::Forward;
          }))
        continue;
      if (found) {
        mlir::emitError(each->getLoc())
            << "'" << FunctionOpInterface(found->function()).getName()
            << "' and '" << each.getName()
            << "' have backward parts; name one by the option 'function'";
        return signalPassFailure();
      }
      found = std::move(*graph);
    }
    if (!found) {
      mlir::emitError(getOperation().getLoc())
          << "no function with a backward part to split; mark its operations "
             "'"
          << attr::kPhase << "'";
      return signalPassFailure();
    }
    if (failed(split(*found)))
      signalPassFailure();
  }

private:
  LogicalResult split(const ActivationGraph &graph) {
    auto step = dyn_cast<func::FuncOp>(graph.function().getOperation());
    if (!step)
      return mlir::emitError(graph.function()->getLoc())
             << "is a '" << graph.function()->getName()
             << "' but only func.func steps can be split";
    if (auto uses = SymbolTable::getSymbolUses(step, getOperation());
        uses && !uses->empty())
      return mlir::emitError(uses->begin()->getUser()->getLoc())
             << "calls '" << step.getName()
             << "', which becomes two functions; remove the call";
    std::string first = forward.empty() ? (step.getName() + "_forward").str()
                                        : forward.getValue();
    std::string second = backward.empty() ? (step.getName() + "_backward").str()
                                          : backward.getValue();
    for (const std::string &name : {first, second})
      if (Operation *other = getOperation().lookupSymbol(name);
          (other && other != step) || first == second)
        return mlir::emitError(step.getLoc())
               << "the module would have two functions named '" << name
               << "'; give the halves other names";
    StepSplitter(step, graph).run(first, second);
    return success();
  }
};

} // namespace
