//===- RewriteResidualPair.cpp - Stack less, compute again ----------------===//
//
// Part of Ringi. Arrays that are no longer wanted go, arrays of other values
// come; where the backward loop took a row that is gone, the ops that make it
// stand in a ringi.recompute region right before its first reader.
//
//===----------------------------------------------------------------------===//

#include "ResidualPair.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ringi;

namespace {

class PairThinner {
public:
  PairThinner(ResidualPair &pair, const PairProblem &problem,
              const OpModel &model, ArrayRef<Value> stored)
      : pair(pair), problem(problem), model(model), ahead(pair.forward),
        back(pair.backward) {
    this->stored.insert(stored.begin(), stored.end());
  }

  void run() {
    chooseStacks();
    for (ResidualStack &stack : pair.stacks)
      for (RowAccess &take : stack.takes) {
        if (take.index)
          hoist(take.index);
        sink(take.op);
      }
    for (Value root : stored)
      if (!keptBy.contains(root))
        addStack(root);
    replaceTakes();
    outlineGroups();
    for (Operation *prototype : prototypes)
      prototype->destroy();
    dropStacks();
    eraseDead(ahead.body());
    eraseDead(back.body());
  }

private:
  /// Arrays whose rows are wanted as they are; of several with the same rows
  /// the first.
  void chooseStacks() {
    for (ResidualStack &stack : pair.stacks)
      if (stack.stays)
        keptBy.try_emplace(problem.rootOf(stack.put.row), &stack);
    for (ResidualStack &stack : pair.stacks) {
      if (stack.stays)
        continue;
      Value root = problem.rootOf(stack.put.row);
      if (!stored.contains(root) || !keptBy.try_emplace(root, &stack).second)
        dropped.insert(&stack);
    }
  }

  /// Moves a number's computation to the front of the backward body: it depends
  /// on numbers only.
  void hoist(Value number) {
    Operation *op = number.getDefiningOp();
    if (!op || op->getBlock() != back.body() || !hoisted.insert(op).second)
      return;
    for (Value operand : op->getOperands())
      hoist(operand);
    if (lastHoisted)
      op->moveAfter(lastHoisted);
    else
      op->moveBefore(&back.body()->front());
    lastHoisted = op;
  }

  /// Moves a row, and what gives it another shape, to its first reader.
  void sink(Operation *op) {
    Operation *first = nullptr;
    for (Operation *user : op->getUsers()) {
      Operation *here = back.body()->findAncestorOpInBlock(*user);
      if (here && here == user && isReshape(user, model))
        sink(user);
    }
    for (Operation *user : op->getUsers())
      if (Operation *here = back.body()->findAncestorOpInBlock(*user);
          here && (!first || here->isBeforeInBlock(first)))
        first = here;
    if (first)
      op->moveBefore(first);
  }

  Value reshape(OpBuilder &builder, Location location, Value value, Type type) {
    if (value.getType() == type)
      return value;
    OperationState state(location, model.reshapeName());
    state.addOperands(value);
    state.addTypes(type);
    return builder.create(state)->getResult(0);
  }

  /// An array of `root`'s rows, made like the pattern.
  void addStack(Value root) {
    const ResidualStack *pattern = problem.patternFor(root);
    unsigned number = ahead.add(ahead.init(pattern->forward));
    OpBuilder builder(&ahead.body()->back());
    Location location = pattern->put.op->getLoc();
    IRMapping mapping;
    mapping.map(pattern->put.array, ahead.argument(number));
    mapping.map(pattern->put.row,
                reshape(builder, location, root, pattern->put.row.getType()));
    ahead.yielded(number).set(
        builder.clone(*pattern->put.op, mapping)->getResult(0));
    Value array = ahead.result(number);
    if (!back.captures()) {
      unsigned read = back.add(array);
      array = back.argument(read);
    }
    RowAccess take = *matchTake(pattern->takes.front().op, model);
    IRMapping other;
    other.map(take.array, array);
    Operation *prototype = take.op->clone(other);
    prototypes.push_back(prototype);
    newTakes[root] = prototype;
  }

  void replaceTakes() {
    std::vector<std::pair<Operation *, ResidualStack *>> takes;
    for (ResidualStack &stack : pair.stacks)
      if (dropped.contains(&stack))
        for (RowAccess &take : stack.takes)
          takes.push_back({take.op, &stack});
    llvm::sort(takes, [](const auto &a, const auto &b) {
      return a.first->isBeforeInBlock(b.first);
    });
    for (auto [take, stack] : takes) {
      if (!take->use_empty())
        take->getResult(0).replaceAllUsesWith(compute(stack->put.row, take));
      take->erase();
    }
  }

  bool isLeaf(Value value) const {
    return there.contains(value) || stored.contains(value) ||
           keptBy.contains(value) || problem.isThere(value);
  }

  /// What `value` of the forward body is in the backward body, computed before
  /// `place` where it is not there yet.
  Value compute(Value value, Operation *place) {
    llvm::SetVector<Operation *> cone;
    llvm::SetVector<Value> leaves;
    SmallVector<Value> stack = {value};
    while (!stack.empty()) {
      Value top = stack.pop_back_val();
      if (isLeaf(top)) {
        leaves.insert(top);
        continue;
      }
      Operation *op = top.getDefiningOp();
      if (!cone.insert(op))
        continue;
      llvm::append_range(stack, op->getOperands());
      llvm::SetVector<Value> captured;
      getUsedValuesDefinedAbove(op->getRegions(), captured);
      llvm::append_range(stack, captured.takeVector());
    }
    for (Value leaf : leaves)
      there[leaf] = fetch(leaf, place);
    SmallVector<Operation *> ordered = cone.takeVector();
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    IRMapping mapping;
    for (auto [from, to] : there)
      mapping.map(from, to);
    OpBuilder builder(place);
    SmallVector<Operation *> group;
    for (Operation *op : ordered) {
      Operation *copy = builder.clone(*op, mapping);
      for (auto [from, to] : llvm::zip(op->getResults(), copy->getResults()))
        there[from] = to;
      group.push_back(copy);
    }
    if (!group.empty())
      groups.push_back(std::move(group));
    return there.lookup(value);
  }

  Value fetch(Value leaf, Operation *place) {
    if (Value known = there.lookup(leaf))
      return known;
    if (problem.isThere(leaf))
      return fetchFree(leaf, place);
    OpBuilder builder(place);
    Value row;
    if (Operation *prototype = newTakes.lookup(leaf)) {
      row = builder.clone(*prototype)->getResult(0);
    } else {
      Operation *take = keptBy.lookup(leaf)->takes.front().op;
      for (RowAccess &other : keptBy.lookup(leaf)->takes)
        if (other.op->isBeforeInBlock(take))
          take = other.op;
      if (!take->isBeforeInBlock(place))
        take->moveBefore(place);
      row = take->getResult(0);
    }
    return reshape(builder, place->getLoc(), row, leaf.getType());
  }

  Value fetchFree(Value leaf, Operation *place) {
    if (leaf.getParentBlock() != ahead.body())
      return leaf;
    std::optional<unsigned> carried = ahead.numberOf(leaf);
    if (!carried || !ahead.isInvariant(*carried)) {
      Value number = pair.matchScalar(leaf);
      hoist(number);
      return number;
    }
    return fetchOuter(ahead.init(*carried), place);
  }

  /// A value from outside of both loops: carried along, or made inside from
  /// something smaller.
  Value fetchOuter(Value outer, Operation *place) {
    if (back.captures())
      return outer;
    for (unsigned i = 0; i < back.size(); ++i)
      if (back.init(i) == outer && back.isInvariant(i))
        return back.argument(i);
    if (std::optional<Value> made = makeInside(outer, place))
      return *made;
    unsigned number = back.add(outer);
    return back.argument(number);
  }

  /// A value that costs nothing but bytes, as a broadcast constant: its ops in
  /// the backward body, unless what they read has as many bytes.
  std::optional<Value> makeInside(Value outer, Operation *place) {
    llvm::SetVector<Operation *> cone;
    llvm::SetVector<Value> leaves;
    SmallVector<Value> stack = {outer};
    while (!stack.empty()) {
      Value top = stack.pop_back_val();
      Operation *op = top.getDefiningOp();
      if (!op || !isFree(op))
        leaves.insert(top);
      else if (cone.insert(op))
        llvm::append_range(stack, op->getOperands());
    }
    auto bytesOf = [](Value value) {
      return getStorageBytes(value.getType()).value_or(0);
    };
    int64_t bytes = 0;
    for (Value leaf : leaves)
      bytes += bytesOf(leaf);
    if (cone.empty() || bytes >= bytesOf(outer))
      return std::nullopt;
    IRMapping mapping;
    for (Value leaf : leaves)
      mapping.map(leaf, fetchOuter(leaf, place));
    SmallVector<Operation *> ordered(cone.begin(), cone.end()), group;
    llvm::sort(ordered, [](Operation *a, Operation *b) {
      return a->isBeforeInBlock(b);
    });
    OpBuilder builder(place);
    for (Operation *op : ordered)
      group.push_back(builder.clone(*op, mapping));
    groups.push_back(std::move(group));
    return mapping.lookup(outer);
  }

  /// Computes nothing, or one number.
  bool isFree(Operation *op) const {
    if (op->getBlock() != back.op()->getBlock() || op->getNumRegions() != 0)
      return false;
    if (model.getConstant(op))
      return true;
    OpSemantics known = model(op);
    bool scalar = llvm::all_of(op->getResultTypes(), [](Type type) {
      auto tensor = dyn_cast<RankedTensorType>(type);
      return !tensor || tensor.getRank() == 0;
    });
    return known && known.isRecomputable() && !known.hasEffects() &&
           (scalar || known.getFlops() == 0);
  }

  /// Puts the ops that were computed in one place into a region of their own.
  void outlineGroups() {
    for (ArrayRef<Operation *> group : groups) {
      llvm::SmallPtrSet<Operation *, 16> inside(group.begin(), group.end());
      auto isInside = [&](Operation *user) {
        Operation *here = back.body()->findAncestorOpInBlock(*user);
        return here && inside.contains(here);
      };
      llvm::SetVector<Value> inputs, outputs;
      for (Operation *op : group) {
        for (Value operand : op->getOperands())
          if (!inside.contains(operand.getDefiningOp()))
            inputs.insert(operand);
        llvm::SetVector<Value> captured;
        getUsedValuesDefinedAbove(op->getRegions(), captured);
        for (Value value : captured)
          if (!inside.contains(value.getDefiningOp()))
            inputs.insert(value);
        for (OpResult result : op->getResults())
          if (!llvm::all_of(result.getUsers(), isInside))
            outputs.insert(result);
      }
      OpBuilder builder(group.front());
      auto region = RecomputeOp::create(
          builder, group.front()->getLoc(),
          TypeRange(ValueRange(outputs.getArrayRef())), inputs.getArrayRef());
      if (Attribute phase = back.op()->getAttr(attr::kPhase))
        region->setAttr(attr::kPhase, phase);
      Block *block = region.getBody().empty() ? &region.getBody().emplaceBlock()
                                              : &region.getBody().front();
      block->clear();
      for (Value input : inputs.getArrayRef()) {
        BlockArgument argument =
            block->addArgument(input.getType(), input.getLoc());
        input.replaceUsesWithIf(
            argument, [&](OpOperand &use) { return isInside(use.getOwner()); });
      }
      for (auto [output, result] :
           llvm::zip(outputs.getArrayRef(), region->getResults())) {
        Value made = output;
        made.replaceUsesWithIf(
            result, [&](OpOperand &use) { return !isInside(use.getOwner()); });
      }
      for (Operation *op : group)
        op->moveBefore(block, block->end());
      builder.setInsertionPointToEnd(block);
      YieldOp::create(builder, region.getLoc(), outputs.getArrayRef());
    }
  }

  void dropStacks() {
    SmallVector<unsigned> behind, before;
    llvm::SetVector<Value> inits;
    for (ResidualStack &stack : pair.stacks) {
      if (!dropped.contains(&stack))
        continue;
      before.push_back(stack.forward);
      inits.insert(ahead.init(stack.forward));
      if (!stack.isCaptured)
        behind.push_back(stack.backward);
      ahead.yielded(stack.forward).set(ahead.argument(stack.forward));
      stack.put.op->erase();
    }
    back.erase(behind);
    ahead.erase(before);
    // An array that nobody fills must not be made either.
    while (!inits.empty()) {
      Operation *op = inits.pop_back_val().getDefiningOp();
      if (!op || !isDead(op))
        continue;
      inits.insert(op->operand_begin(), op->operand_end());
      op->erase();
    }
  }

  bool isDead(Operation *op) const {
    OpSemantics known = model(op);
    return op->getNumResults() > 0 && op->use_empty() &&
           (model.getConstant(op) ||
            (known && known.isRecomputable() && !known.hasEffects()));
  }

  void eraseDead(Block *block) {
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block)))
      if (&op != &block->back() && isDead(&op))
        op.erase();
  }

  ResidualPair &pair;
  const PairProblem &problem;
  const OpModel &model;
  /// The loops of `pair`.
  CarriedLoop &ahead, &back;
  llvm::SetVector<Value> stored;
  llvm::DenseMap<Value, ResidualStack *> keptBy;
  llvm::SmallPtrSet<ResidualStack *, 16> dropped;
  llvm::SmallPtrSet<Operation *, 16> hoisted;
  Operation *lastHoisted = nullptr;
  /// Per newly stacked value the op that takes a row of it, outside of any
  /// block.
  llvm::DenseMap<Value, Operation *> newTakes;
  SmallVector<Operation *> prototypes;
  /// What a value of the forward body is in the backward body.
  llvm::MapVector<Value, Value> there;
  std::vector<SmallVector<Operation *>> groups;
};

} // namespace

void ringi::rewriteResidualPair(ResidualPair &pair, const PairProblem &problem,
                                const OpModel &model, ArrayRef<Value> stored) {
  PairThinner(pair, problem, model, stored).run();
}
