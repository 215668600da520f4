//===- OpModelBodies.cpp - What runs inside an op of a table --------------===//
//
// Part of Ringi. Bodies are regions of the op or functions of its module. Their
// most bytes alive at once are the op's workspace, their FLOPs count once per
// round, and an op runs again only when all inside may.
//
// The rounds of a loop are known when its condition holds one integer scalar
// constant, the bound that the round number is compared with; else one round
// counts.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/OpModel.h"

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;

/// The one block of a function that `symbol` names.
static Block *bodyOfFunction(Operation *op, SymbolRefAttr symbol) {
  auto function =
      SymbolTable::lookupNearestSymbolFrom<FunctionOpInterface>(op, symbol);
  if (!function || function.isExternal() ||
      !llvm::hasSingleElement(function.getFunctionBody()))
    return nullptr;
  return &function.getFunctionBody().front();
}

/// Appends the blocks that `reference` names; a null one for each that is not
/// there or has several blocks.
void OpModel::findBodies(Operation *op, const BodyReference &reference,
                         SmallVectorImpl<Block *> &blocks) const {
  if (reference.region >= 0) {
    bool has = reference.region < int(op->getNumRegions()) &&
               llvm::hasSingleElement(op->getRegion(reference.region));
    blocks.push_back(has ? &op->getRegion(reference.region).front() : nullptr);
    return;
  }
  Attribute names = op->getAttr(reference.attribute);
  if (auto symbol = dyn_cast_or_null<SymbolRefAttr>(names))
    blocks.push_back(bodyOfFunction(op, symbol));
  if (auto list = dyn_cast_or_null<ArrayAttr>(names))
    for (Attribute element : list) {
      auto symbol = dyn_cast<SymbolRefAttr>(element);
      blocks.push_back(symbol ? bodyOfFunction(op, symbol) : nullptr);
    }
}

/// Bytes of the values that `op` makes.
static int64_t bytesOfResults(Operation *op) {
  int64_t bytes = 0;
  for (Type type : op->getResultTypes())
    bytes += getStorageBytes(type).value_or(0);
  return bytes;
}

/// The integer that a constant's contents are: an attribute of a value, or
/// text.
static std::optional<int64_t> scalarOf(Attribute contents) {
  auto pair = dyn_cast_or_null<ArrayAttr>(contents);
  if (pair && pair.size() == 2) {
    contents = pair[0];
    auto type = dyn_cast<TypeAttr>(pair[1]);
    auto shaped = type ? dyn_cast<RankedTensorType>(type.getValue()) : nullptr;
    if (!shaped || shaped.getRank() != 0 ||
        !shaped.getElementType().isInteger())
      return std::nullopt;
  }
  int64_t value = 0;
  if (auto text = dyn_cast_or_null<StringAttr>(contents);
      text && !text.getValue().getAsInteger(10, value))
    return value;
  if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(contents);
      dense && dense.getNumElements() == 1)
    return dense.getSplatValue<APInt>().sextOrTrunc(64).getSExtValue();
  if (auto integer = dyn_cast_or_null<IntegerAttr>(contents))
    return integer.getValue().sextOrTrunc(64).getSExtValue();
  return std::nullopt;
}

std::optional<int64_t> OpModel::getScalarConstant(Operation *op) const {
  std::optional<Attribute> contents = getConstant(op);
  return contents ? scalarOf(*contents) : std::nullopt;
}

double OpModel::countTrips(Operation *op, const OpEntry &entry) const {
  SmallVector<Block *> condition;
  if (entry.condition)
    findBodies(op, *entry.condition, condition);
  if (condition.size() != 1 || !condition.front())
    return 1;
  std::optional<int64_t> bound;
  for (Operation &inner : *condition.front()) {
    std::optional<Attribute> contents = getConstant(&inner);
    std::optional<int64_t> value =
        contents ? scalarOf(*contents) : std::nullopt;
    if (value && bound)
      return 1;
    if (value)
      bound = value;
  }
  return bound ? double(std::max<int64_t>(*bound, 0)) : 1;
}

BodySummary OpModel::summarizeBodies(Operation *op,
                                     const OpEntry &entry) const {
  bool hasNone = op->getNumRegions() == 0 && entry.bodies.empty() &&
                 entry.branches.empty() && !entry.condition;
  if (hasNone)
    return {};
  if (auto it = ofOps.find(op); it != ofOps.end())
    return it->second;
  auto read = [&](Block *block) {
    BodySummary unknown;
    unknown.known = unknown.mayRepeat = false;
    return block ? summarize(*block, /*owned=*/true) : unknown;
  };
  auto readAll = [&](ArrayRef<BodyReference> references) {
    SmallVector<Block *> blocks;
    for (const BodyReference &reference : references)
      findBodies(op, reference, blocks);
    return blocks;
  };
  BodySummary total;
  auto join = [&](const BodySummary &body, double flops) {
    total.peakBytes = std::max(total.peakBytes, body.peakBytes);
    total.known &= body.known;
    total.mayRepeat &= body.mayRepeat;
    total.flops = flops;
  };

  // Regions that the table does not explain combine elements: they decide
  // whether the op may repeat and cost nothing beside the op's own formula.
  bool combines =
      entry.bodies.empty() && entry.branches.empty() && !entry.anyRegion;
  if (combines)
    for (Region &region : op->getRegions()) {
      BodySummary body =
          read(llvm::hasSingleElement(region) ? &region.front() : nullptr);
      body.peakBytes = 0;
      join(body, 0);
    }
  for (Block *block : readAll(entry.bodies)) {
    BodySummary body = read(block);
    join(body, total.flops + body.flops);
  }
  if (entry.condition) {
    BodySummary body;
    for (Block *block : readAll(*entry.condition))
      body = read(block);
    join(body, (total.flops + body.flops) * countTrips(op, entry));
  }
  double most = 0;
  SmallVector<Block *> branches = readAll(entry.branches);
  if (entry.anyRegion)
    for (Region &region : op->getRegions())
      branches.push_back(llvm::hasSingleElement(region) ? &region.front()
                                                        : nullptr);
  for (Block *block : branches) {
    BodySummary body = read(block);
    // What a branch returns are the op's results.
    body.peakBytes = std::max<int64_t>(body.peakBytes - bytesOfResults(op), 0);
    most = std::max(most, body.flops);
    join(body, total.flops);
  }
  total.flops += most;
  ofOps[op] = total;
  return total;
}

namespace {

/// Bytes alive inside a body while it runs from top to bottom. What a result is
/// written over counts once; what the body was given counts for its owner.
class BodyMemory {
public:
  BodyMemory(const OpModel &model, Block &block, bool owned)
      : model(model), block(block), owned(owned) {
    for (Operation &op : block)
      for (Value operand : op.getOperands())
        lastUse[baseOf(operand)] = &op;
  }

  void run(Operation *op, int64_t scratch) {
    SmallVector<InPlaceOperand> pairs;
    if (OpSemantics known = model(op))
      known.getInPlacePairs(pairs);
    llvm::SmallDenseSet<unsigned> reused;
    for (InPlaceOperand pair : pairs) {
      Value from = baseOf(op->getOperand(pair.operand));
      Value to = op->getResult(pair.result);
      if (lastUse.lookup(from) != op || reused.contains(pair.result) ||
          takenOver.contains(from) || from.getType() != to.getType() ||
          from.getParentBlock() != &block ||
          (isa<BlockArgument>(from) && !owned))
        continue;
      reused.insert(pair.result);
      takenOver.insert(from);
      own[to] = own.lookup(from);
    }
    for (OpResult result : op->getResults())
      if (!reused.contains(result.getResultNumber()) &&
          baseOf(result) == Value(result)) {
        own[result] = getStorageBytes(result.getType()).value_or(0);
        live += own[result];
      }
    peak = std::max(peak, live + scratch);
    llvm::SmallDenseSet<Value> seen;
    for (Value operand : op->getOperands())
      if (Value base = baseOf(operand);
          lastUse.lookup(base) == op && seen.insert(base).second)
        release(base);
    for (Value result : op->getResults())
      if (!lastUse.contains(result) && baseOf(result) == result)
        release(result);
  }

  int64_t peakBytes() const { return peak; }

private:
  void release(Value value) {
    if (!takenOver.contains(value))
      live -= own.lookup(value);
  }

  Value baseOf(Value value) const {
    while (auto result = dyn_cast<OpResult>(value)) {
      OpSemantics known = model(result.getOwner());
      std::optional<ViewSource> source =
          known ? known.getViewSource(result.getResultNumber()) : std::nullopt;
      if (!source || source->operand >= result.getOwner()->getNumOperands())
        break;
      value = result.getOwner()->getOperand(source->operand);
    }
    return value;
  }

  const OpModel &model;
  Block &block;
  bool owned;
  DenseMap<Value, Operation *> lastUse;
  DenseMap<Value, int64_t> own;
  llvm::DenseSet<Value> takenOver;
  int64_t live = 0, peak = 0;
};

} // namespace

BodySummary OpModel::summarize(Block &block, bool owned) const {
  if (auto it = bodies.find({&block, owned}); it != bodies.end())
    return it->second;
  // A function that reaches itself stays unknown.
  BodySummary unknown;
  unknown.known = unknown.mayRepeat = false;
  bodies[{&block, owned}] = unknown;
  if (block.empty())
    return unknown;

  BodySummary total;
  BodyMemory memory(*this, block, owned);
  for (Operation &op : block) {
    // Nobody knows whether an unregistered op ends its block.
    bool ends = &op == &block.back() && op.getNumResults() == 0;
    if (ends || getConstant(&op))
      continue;
    OpSemantics known = (*this)(&op);
    int64_t scratch = known ? known.getWorkspaceBytes() : 0;
    double flops = known ? known.getFlops() : 0;
    bool mayRepeat = known && known.isRecomputable();
    bool isKnown = known && !known.hasEffects();
    // What the backward loop computes again.
    if (auto replay = dyn_cast<RecomputeOp>(op)) {
      BodySummary body = summarize(replay.getBody().front(), /*owned=*/false);
      scratch = std::max<int64_t>(body.peakBytes - bytesOfResults(&op), 0);
      flops = body.flops;
      mayRepeat = body.mayRepeat;
      isKnown = body.known;
    }
    // What a call's interface does not see through, the table may.
    if (auto call = dyn_cast<CallOpInterface>(op); call && table && !mayRepeat)
      if (auto symbol = dyn_cast<SymbolRefAttr>(call.getCallableForCallee()))
        if (Block *callee = bodyOfFunction(&op, symbol)) {
          BodySummary body = summarize(*callee, /*owned=*/false);
          scratch = std::max<int64_t>(body.peakBytes - bytesOfResults(&op), 0);
          flops = body.flops;
          mayRepeat = body.mayRepeat;
          isKnown = body.known;
        }
    total.flops += flops;
    total.mayRepeat &= mayRepeat;
    total.known &= isKnown;
    memory.run(&op, scratch);
  }
  total.peakBytes = memory.peakBytes();
  return bodies[{&block, owned}] = total;
}
