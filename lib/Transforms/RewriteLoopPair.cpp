//===- RewriteLoopPair.cpp - A pair of loops under a schedule -------------===//
//
// Part of Ringi. Every action of the schedule becomes one scf.for with constant
// bounds: which carries are alive when is then plain liveness of values.
//
//===----------------------------------------------------------------------===//

#include "LoopPair.h"

#include "ringi/Analysis/AttributeNames.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

class PairRewriter {
public:
  PairRewriter(LoopPair &pair)
      : pair(pair), forward(pair.forward), backward(pair.backward),
        builder(forward) {
    for (auto [number, init] : llvm::enumerate(forward.getInitArgs()))
      if (!pair.isStack(number)) {
        carried.push_back(unsigned(number));
        carries.push_back(init);
      }
  }

  void run(const LoopPlan &plan) {
    DenseMap<int64_t, SmallVector<Value>> stored;
    bool first = true;
    for (const LoopAction &action : expandLoop(pair.trips, plan)) {
      builder.setInsertionPoint(first ? forward : backward);
      phaseOf = first ? forward : backward;
      switch (action.kind) {
      case LoopAction::Store:
        stored[action.from] = carries;
        break;
      case LoopAction::Load:
        carries = stored.lookup(action.from);
        break;
      case LoopAction::Discard:
        break;
      case LoopAction::Advance:
        advance(action.from, action.to, false);
        break;
      case LoopAction::Record:
        advance(action.from, action.to, true);
        if (action.to == pair.trips)
          finishForward();
        break;
      case LoopAction::Reverse:
        first = false;
        builder.setInsertionPoint(backward);
        phaseOf = backward;
        reverse(action.from, action.to);
        break;
      }
    }
    backward->replaceAllUsesWith(gradients);
    backward.erase();
    forward.erase();
  }

private:
  Value index(int64_t value) {
    return arith::ConstantIndexOp::create(builder, forward.getLoc(), value);
  }
  Value plus(Value value, int64_t number) {
    if (number == 0)
      return value;
    return arith::AddIOp::create(builder, value.getLoc(), value, index(number));
  }

  scf::ForOp makeLoop(scf::ForOp like, int64_t from, int64_t to,
                      ValueRange inits) {
    auto loop = scf::ForOp::create(builder, like.getLoc(), index(from),
                                   index(to), index(1), inits);
    for (StringRef name : {attr::kPhase, attr::kBlock})
      if (Attribute given = phaseOf->getAttr(name))
        loop->setAttr(name, given);
    if (!loop.getBody()->empty())
      loop.getBody()->getTerminator()->erase();
    return loop;
  }

  static RankedTensorType rowsOf(RankedTensorType type, int64_t rows) {
    SmallVector<int64_t> shape(type.getShape());
    shape[0] = rows;
    return RankedTensorType::get(shape, type.getElementType());
  }

  /// Iterations [from, to) forward; with `record`, their rows in stacks.
  void advance(int64_t from, int64_t to, bool record) {
    SmallVector<Value> inits(carries);
    SmallVector<LoopStack *> recorded;
    for (LoopStack &stack : pair.stacks)
      if (record && !stack.remade) {
        auto type = stack.insert.getDestType();
        recorded.push_back(&stack);
        inits.push_back(tensor::EmptyOp::create(
            builder, forward.getLoc(), rowsOf(type, to - from).getShape(),
            type.getElementType()));
      }
    scf::ForOp loop = makeLoop(forward, from, to, inits);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    IRMapping mapping;
    mapping.map(forward.getInductionVar(), loop.getInductionVar());
    for (auto [place, number] : llvm::enumerate(carried))
      mapping.map(forward.getRegionIterArg(number),
                  loop.getRegionIterArg(place));
    llvm::SmallDenseSet<Operation *> inserts;
    for (LoopStack &stack : pair.stacks)
      inserts.insert(stack.insert);
    for (Operation &op : forward.getBody()->without_terminator())
      if (!inserts.contains(&op))
        builder.clone(op, mapping);
    SmallVector<Value> yielded;
    Operation *yield = forward.getBody()->getTerminator();
    for (unsigned number : carried)
      yielded.push_back(mapping.lookupOrDefault(yield->getOperand(number)));
    Value row =
        recorded.empty() ? Value() : plus(loop.getInductionVar(), -from);
    for (auto [place, stack] : llvm::enumerate(recorded)) {
      tensor::InsertSliceOp insert = stack->insert;
      SmallVector<OpFoldResult> offsets = insert.getMixedOffsets();
      offsets[0] = row;
      yielded.push_back(tensor::InsertSliceOp::create(
          builder, insert.getLoc(), mapping.lookupOrDefault(insert.getSource()),
          loop.getRegionIterArg(carried.size() + place), offsets,
          insert.getMixedSizes(), insert.getMixedStrides()));
    }
    scf::YieldOp::create(builder, forward.getLoc(), yielded);
    dropDead(loop);
    for (size_t i = 0; i < carries.size(); ++i)
      carries[i] = loop.getResult(i);
    for (auto [place, stack] : llvm::enumerate(recorded))
      rows[stack] = loop.getResult(carries.size() + place);
  }

  /// What only made a row that is not recorded.
  static void dropDead(scf::ForOp loop) {
    SmallVector<Operation *> ops;
    for (Operation &op : loop.getBody()->without_terminator())
      ops.push_back(&op);
    for (Operation *op : llvm::reverse(ops))
      if (isOpTriviallyDead(op))
        op->erase();
  }

  /// The last iteration has run: what follows the loop reads its carries.
  void finishForward() {
    if (finished)
      return;
    finished = true;
    for (auto [place, number] : llvm::enumerate(carried))
      forward.getResult(number).replaceAllUsesWith(carries[place]);
    gradients.assign(backward.getInitArgs().begin(),
                     backward.getInitArgs().end());
  }

  /// Iterations [from, to) backward, the last first, from the recorded rows.
  void reverse(int64_t from, int64_t to) {
    scf::ForOp loop = makeLoop(backward, 0, to - from, gradients);
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToEnd(loop.getBody());
    IRMapping mapping;
    mapping.map(backward.getInductionVar(),
                plus(loop.getInductionVar(), pair.trips - to));
    mapping.map(backward.getRegionIterArgs(), loop.getRegionIterArgs());
    DenseMap<Operation *, LoopStack *> extracts;
    for (LoopStack &stack : pair.stacks)
      for (tensor::ExtractSliceOp extract : stack.extracts)
        extracts[extract] = &stack;
    Value row;
    for (Operation &op : backward.getBody()->without_terminator()) {
      LoopStack *stack = extracts.lookup(&op);
      if (!stack) {
        builder.clone(op, mapping);
        continue;
      }
      auto extract = cast<tensor::ExtractSliceOp>(op);
      if (stack->remade) {
        mapping.map(extract.getResult(), remake(*stack, extract, mapping));
        continue;
      }
      if (!row)
        row = arith::SubIOp::create(builder, op.getLoc(), index(to - from - 1),
                                    loop.getInductionVar());
      SmallVector<OpFoldResult> offsets = extract.getMixedOffsets();
      offsets[0] = row;
      mapping.map(extract.getResult(),
                  tensor::ExtractSliceOp::create(
                      builder, op.getLoc(), extract.getType(),
                      rows.lookup(stack), offsets, extract.getMixedSizes(),
                      extract.getMixedStrides())
                      .getResult());
    }
    SmallVector<Value> yielded;
    for (Value value : backward.getBody()->getTerminator()->getOperands())
      yielded.push_back(mapping.lookupOrDefault(value));
    scf::YieldOp::create(builder, backward.getLoc(), yielded);
    dropDead(loop);
    gradients.assign(loop.getResults().begin(), loop.getResults().end());
  }

  /// The row as the forward iteration of the same number made it.
  Value remake(LoopStack &stack, tensor::ExtractSliceOp extract,
               IRMapping &mapping) {
    IRMapping inner;
    inner.map(forward.getInductionVar(), mapping.lookupOrDefault(cast<Value>(
                                             extract.getMixedOffsets()[0])));
    Value source = stack.insert.getSource();
    std::optional<SmallVector<Operation *>> ops =
        findRemakingOps(source, forward);
    for (Operation *op : *ops)
      builder.clone(*op, inner);
    return inner.lookupOrDefault(source);
  }

  LoopPair &pair;
  scf::ForOp forward, backward;
  OpBuilder builder;
  /// The loop whose phase a new one has.
  Operation *phaseOf = nullptr;
  /// Numbers of the arguments that are no stacks, and their current values.
  SmallVector<unsigned> carried;
  SmallVector<Value> carries, gradients;
  DenseMap<LoopStack *, Value> rows;
  bool finished = false;
};

} // namespace

void ringi::rewriteLoopPair(LoopPair &pair, const LoopPlan &plan) {
  PairRewriter(pair).run(plan);
}
