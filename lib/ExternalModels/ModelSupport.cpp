//===- ModelSupport.cpp - What the models of dialects share ---------------===//
//
// Part of Ringi. Splat constants; cost of a region that runs as a part of one
// op.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;

bool ringi::isSplatConstant(Operation *op) {
  Attribute content;
  return matchPattern(op, m_Constant(&content)) &&
         isa_and_nonnull<SplatElementsAttr>(content);
}

namespace {

/// Bytes of the values of one block while its ops run in order.
class BodyWalk {
public:
  BodyWalk(Block &block, Yielded yielded) : block(block) {
    for (Operation &op : block)
      for (Value operand : op.getOperands())
        lastUse[baseOf(operand)] = &op;
    if (yielded == Yielded::AreResults)
      for (Value result : block.getTerminator()->getOperands())
        for (Value value = baseOf(result);
             value && elsewhere.insert(value).second;)
          value = overwrittenBy(value);
  }

  BodyCost run() {
    for (Operation &op : block.without_terminator())
      visit(op);
    return cost;
  }

private:
  /// The value that `value` is a view of.
  static Value baseOf(Value value) {
    while (auto known = value.getDefiningOp<RecomputeOpInterface>()) {
      auto source =
          known.getViewSource(cast<OpResult>(value).getResultNumber());
      if (!source)
        break;
      value = known->getOperand(source->operand);
    }
    return value;
  }

  /// The value of this block that dies where `value` is written over it.
  Value overwrittenBy(Value value) const {
    auto result = dyn_cast<OpResult>(value);
    auto known = value.getDefiningOp<RecomputeOpInterface>();
    if (!result || !known || known->getBlock() != &block)
      return {};
    SmallVector<InPlaceOperand> pairs;
    known.getInPlacePairs(pairs);
    for (InPlaceOperand pair : pairs)
      if (Value from = known->getOperand(pair.operand);
          pair.result == result.getResultNumber() && mayTakeOver(known, pair) &&
          from.getDefiningOp())
        return from;
    return {};
  }

  bool mayTakeOver(Operation *op, InPlaceOperand pair) const {
    Value from = op->getOperand(pair.operand);
    return from.getType() == op->getResult(pair.result).getType() &&
           !isMadeByReaders(from) && lastUse.lookup(from) == op &&
           from.getParentBlock() == &block;
  }

  void visit(Operation &op) {
    auto known = dyn_cast<RecomputeOpInterface>(op);
    cost.mayRepeat &= op.hasTrait<OpTrait::ConstantLike>() ||
                      (known && known.isRecomputable());
    int64_t scratch = known ? known.getWorkspaceBytes() : 0;
    if (known)
      cost.flops += known.getFlops();
    if (auto replay = dyn_cast<RecomputeOp>(op)) {
      BodyCost inner = costOfBody(replay.getBody(), Yielded::AreResults);
      cost.flops += inner.flops;
      scratch = inner.peakBytes;
    }
    scratch += takeOver(op, known);
    for (Value result : op.getResults())
      live += bytesOf(result);
    cost.peakBytes = std::max(cost.peakBytes, live + scratch);
    llvm::SmallDenseSet<Value> seen;
    for (Value operand : op.getOperands())
      if (Value base = baseOf(operand);
          lastUse.lookup(base) == &op && seen.insert(base).second)
        live -= bytesOf(base);
    for (Value result : op.getResults())
      if (result.use_empty())
        live -= bytesOf(result);
  }

  /// Results written over an operand that dies have no bytes of their own when
  /// that comes from outside, else its bytes. Returns the bytes of what the op
  /// makes for itself.
  int64_t takeOver(Operation &op, RecomputeOpInterface known) {
    SmallVector<InPlaceOperand> pairs;
    if (known)
      known.getInPlacePairs(pairs);
    llvm::SmallDenseSet<Value> written, placed;
    for (InPlaceOperand pair : pairs)
      if (Value from = op.getOperand(pair.operand);
          isMadeByReaders(from) &&
          from.getType() == op.getResult(pair.result).getType()) {
        written.insert(from);
        placed.insert(op.getResult(pair.result));
      }
    for (InPlaceOperand pair : pairs) {
      Value from = op.getOperand(pair.operand), to = op.getResult(pair.result);
      if (!mayTakeOver(&op, pair) || placed.contains(to) ||
          !taken.insert(from).second)
        continue;
      placed.insert(to);
      if (bytesOf(from) > 0)
        live -= bytesOf(from);
      else
        elsewhere.insert(to);
      elsewhere.insert(from);
    }
    int64_t made = 0;
    llvm::SmallDenseSet<Value> counted;
    if (!isReadByReaders(op))
      for (Value operand : op.getOperands())
        if (isMadeByReaders(operand) && !written.contains(operand) &&
            counted.insert(operand).second)
          made += getStorageBytes(operand.getType()).value_or(0);
    return made;
  }

  /// Ops whose result is made, or a view: they hold nothing themselves.
  static bool isReadByReaders(Operation &op) {
    return op.getNumResults() == 1 && isMadeByReaders(op.getResult(0));
  }

  int64_t bytesOf(Value value) const {
    auto own = dyn_cast<OpResult>(value);
    if (!own || own.getOwner()->getBlock() != &block ||
        elsewhere.contains(value) || isMadeByReaders(value))
      return 0;
    if (auto source = dyn_cast<RecomputeOpInterface>(own.getOwner());
        source && source.getViewSource(own.getResultNumber()))
      return 0;
    return getStorageBytes(value.getType()).value_or(0);
  }

  Block &block;
  BodyCost cost;
  int64_t live = 0;
  DenseMap<Value, Operation *> lastUse;
  /// Values whose bytes are counted elsewhere, and operands taken over.
  llvm::SmallDenseSet<Value> elsewhere, taken;
};

} // namespace

BodyCost ringi::costOfBody(Region &region, Yielded yielded) {
  if (!llvm::hasSingleElement(region)) {
    BodyCost cost;
    cost.mayRepeat = region.empty();
    return cost;
  }
  return BodyWalk(region.front(), yielded).run();
}
