//===- CarriedLoop.cpp - One look at loops of any dialect -----------------===//
//
// Part of Ringi. Numbers of operands, arguments and results, and a new op in
// the place of the old one when they change.
//
//===----------------------------------------------------------------------===//

#include "CarriedLoop.h"

#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace ringi;

/// Regions of one block that ends with as many values as the loop carries.
static bool hasShape(Operation *op, unsigned bodyRegion, int conditionRegion,
                     unsigned firstInit, unsigned firstArgument) {
  unsigned size = op->getNumResults();
  auto block = [&](unsigned region) -> Block * {
    return region < op->getNumRegions() &&
                   llvm::hasSingleElement(op->getRegion(region)) &&
                   !op->getRegion(region).front().empty()
               ? &op->getRegion(region).front()
               : nullptr;
  };
  Block *body = block(bodyRegion);
  if (size == 0 || op->getNumOperands() != firstInit + size || !body ||
      body->getNumArguments() != firstArgument + size ||
      body->back().getNumOperands() != size ||
      body->back().getNumResults() != 0)
    return false;
  for (unsigned i = 0; i < size; ++i)
    if (Type type = op->getResult(i).getType();
        op->getOperand(firstInit + i).getType() != type ||
        body->getArgument(firstArgument + i).getType() != type ||
        body->back().getOperand(i).getType() != type)
      return false;
  if (conditionRegion < 0)
    return true;
  Block *condition = block(unsigned(conditionRegion));
  return condition && condition->getArgumentTypes() == op->getResultTypes() &&
         condition->back().getNumOperands() == 1;
}

std::optional<CarriedLoop> CarriedLoop::get(Operation *op,
                                            const OpModel &model) {
  CarriedLoop loop;
  loop.loop = op;
  if (auto known = dyn_cast<LoopLikeOpInterface>(op)) {
    if (known.getLoopRegions().size() != 1 || op->getNumRegions() != 1 ||
        known.getInits().size() != op->getNumResults() ||
        known.getRegionIterArgs().size() != op->getNumResults() ||
        !known.getLoopResults())
      return std::nullopt;
    loop.firstInit = op->getNumOperands() - op->getNumResults();
    Block &body = known.getLoopRegions().front()->front();
    loop.firstArgument = body.getNumArguments() - op->getNumResults();
  } else {
    const OpEntry *entry = model.entryOf(op);
    if (!entry || !entry->carriesEach || entry->bodies.size() != 1 ||
        entry->bodies.front().region < 0 || !entry->condition ||
        entry->condition->region < 0)
      return std::nullopt;
    loop.bodyRegion = unsigned(entry->bodies.front().region);
    loop.conditionRegion = entry->condition->region;
  }
  if (!hasShape(op, loop.bodyRegion, loop.conditionRegion, loop.firstInit,
                loop.firstArgument))
    return std::nullopt;
  return loop;
}

std::optional<unsigned> CarriedLoop::numberOf(OpOperand &operand) const {
  if (operand.getOwner() != loop || operand.getOperandNumber() < firstInit)
    return std::nullopt;
  return operand.getOperandNumber() - firstInit;
}

std::optional<unsigned> CarriedLoop::numberOf(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != body() ||
      argument.getArgNumber() < firstArgument)
    return std::nullopt;
  return argument.getArgNumber() - firstArgument;
}

unsigned CarriedLoop::add(ValueRange inits) {
  unsigned first = size();
  if (!inits.empty())
    rebuild({}, inits);
  return first;
}

void CarriedLoop::erase(ArrayRef<unsigned> carried) {
  if (!carried.empty())
    rebuild(carried, {});
}

void CarriedLoop::rebuild(ArrayRef<unsigned> dropped, ValueRange inits) {
  llvm::BitVector drop(size());
  for (unsigned number : dropped)
    drop.set(number);
  SmallVector<Value> operands(loop->getOperands().take_front(firstInit));
  SmallVector<Type> types;
  for (unsigned i = 0; i < size(); ++i)
    if (!drop.test(i)) {
      operands.push_back(init(i));
      types.push_back(result(i).getType());
    }
  llvm::append_range(operands, inits);
  llvm::append_range(types, inits.getTypes());

  Block *bodyBlock = body(), *conditionBlock = condition();
  // What the body hands on of a dropped value is the last use of its argument.
  bodyBlock->back().eraseOperands(drop);
  auto change = [&](Block *block, unsigned first) {
    for (unsigned i = drop.size(); i-- > 0;)
      if (drop.test(i))
        block->eraseArgument(first + i);
    for (Value value : inits)
      block->addArgument(value.getType(), loop->getLoc());
  };
  change(bodyBlock, firstArgument);
  unsigned kept = bodyBlock->getNumArguments() - inits.size();
  for (unsigned i = 0; i < inits.size(); ++i)
    bodyBlock->back().insertOperands(bodyBlock->back().getNumOperands(),
                                     bodyBlock->getArgument(kept + i));
  if (conditionBlock)
    change(conditionBlock, 0);

  Operation *old = loop;
  Operation *now = Operation::create(
      old->getLoc(), old->getName(), types, operands,
      old->getDiscardableAttrDictionary(), old->getPropertiesStorage(),
      BlockRange(), old->getNumRegions());
  for (unsigned region = 0; region < old->getNumRegions(); ++region)
    now->getRegion(region).takeBody(old->getRegion(region));
  old->getBlock()->getOperations().insert(Block::iterator(old), now);
  unsigned next = 0;
  for (unsigned i = 0; i < drop.size(); ++i)
    if (!drop.test(i))
      old->getResult(i).replaceAllUsesWith(now->getResult(next++));
  old->erase();
  loop = now;
}
