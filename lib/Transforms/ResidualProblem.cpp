//===- ResidualProblem.cpp - What to stack, as a planner's problem --------===//
//
// Part of Ringi. One iteration of the forward loop as values and ops; bytes and
// FLOPs are those of all iterations.
//
//===----------------------------------------------------------------------===//

#include "ResidualPair.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

/// The integers of an attribute, where they ascend.
static bool ascends(Attribute attribute) {
  SmallVector<int64_t> numbers;
  if (auto array = dyn_cast_or_null<DenseI64ArrayAttr>(attribute))
    llvm::append_range(numbers, array.asArrayRef());
  else if (auto dense = dyn_cast_or_null<DenseIntElementsAttr>(attribute))
    for (const llvm::APInt &number : dense.getValues<llvm::APInt>())
      numbers.push_back(number.getSExtValue());
  else
    return false;
  return llvm::is_sorted(numbers);
}

bool ringi::isReshape(Operation *op, const OpModel &model) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1 ||
      op->getNumRegions() != 0)
    return false;
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !to || !from.hasStaticShape() || !to.hasStaticShape() ||
      from.getElementType() != to.getElementType() ||
      from.getNumElements() != to.getNumElements())
    return false;
  if (const OpEntry *entry = model.entryOf(op);
      entry && !entry->ordered.empty())
    return ascends(op->getAttr(entry->ordered));
  OpSemantics known = model(op);
  std::optional<ViewSource> source =
      known ? known.getViewSource(0) : std::nullopt;
  return source && source->byteOffset == 0;
}

static int64_t alignedBytes(Type type, int64_t alignment) {
  return int64_t(llvm::alignTo(uint64_t(getStorageBytes(type).value_or(0)),
                               uint64_t(alignment)));
}

PairProblem::PairProblem(const ResidualPair &pair, const OpModel &model,
                         int64_t alignment)
    : pair(pair), model(model) {
  const CarriedLoop &loop = pair.forward;
  llvm::SmallPtrSet<Operation *, 16> puts;
  llvm::SmallDenseSet<unsigned> arrays;
  for (const ResidualStack &stack : pair.stacks) {
    puts.insert(stack.put.op);
    arrays.insert(stack.forward);
  }
  for (unsigned i = 0; i < loop.size(); ++i)
    if (!arrays.contains(i) && !isThere(loop.argument(i)))
      addValue(loop.argument(i), -1);
  double trips = double(pair.forwardTrace.trips());
  for (Operation &op : *loop.body()) {
    if (&op == &loop.body()->back() || puts.contains(&op))
      continue;
    bool shapes =
        op.getNumResults() == 1 && rootOf(op.getResult(0)) != op.getResult(0);
    if (shapes)
      continue;
    ResidualProblem::Op entry;
    OpSemantics known = model(&op);
    bool constant = model.getConstant(&op).has_value();
    entry.repeatable =
        constant || (known && known.isRecomputable() && !known.hasEffects());
    entry.flops = known && !constant ? known.getFlops() * trips : 0;
    for (Value operand : op.getOperands())
      read(operand, entry.reads);
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op.getRegions(), captured);
    for (Value value : captured)
      read(value, entry.reads);
    for (OpResult result : op.getResults())
      addValue(result, int32_t(graph.ops.size()));
    graph.ops.push_back(std::move(entry));
    operations.push_back(&op);
  }
  for (ResidualProblem::Value &value : graph.values) {
    Value root = values[&value - graph.values.data()];
    if (const ResidualStack *pattern = patternFor(root)) {
      value.storable = true;
      value.bytes = alignedBytes(pattern->put.array.getType(), alignment);
    }
  }
  for (const ResidualStack &stack : pair.stacks) {
    Value root = rootOf(stack.put.row);
    auto number = numbers.find(root);
    if (stack.stays) {
      if (number != numbers.end()) {
        graph.values[number->second].storable = true;
        graph.values[number->second].bytes = 0;
      }
      continue;
    }
    bytesNow += alignedBytes(stack.put.array.getType(), alignment);
    if (!isThere(root) && number != numbers.end())
      graph.needed.push_back(number->second);
  }
}

void PairProblem::addValue(Value root, int32_t op) {
  numbers[root] = int32_t(values.size());
  values.push_back(root);
  ResidualProblem::Value value;
  value.op = op;
  graph.values.push_back(value);
}

void PairProblem::read(Value operand, std::vector<int32_t> &reads) {
  Value root = rootOf(operand);
  if (isThere(root))
    return;
  auto number = numbers.find(root);
  if (number != numbers.end() && !llvm::is_contained(reads, number->second))
    reads.push_back(number->second);
}

Value PairProblem::rootOf(Value value) const {
  // Only loops of a table name an op that gives a shape back.
  if (!pair.forward.condition() || model.reshapeName().empty())
    return value;
  while (Operation *op = value.getDefiningOp()) {
    if (op->getBlock() != pair.forward.body() || !isReshape(op, model))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool PairProblem::isThere(Value root) const {
  if (root.getParentBlock() != pair.forward.body())
    return true;
  if (std::optional<unsigned> carried = pair.forward.numberOf(root);
      carried && pair.forward.isInvariant(*carried))
    return true;
  return isIntegerScalar(root.getType()) && pair.matchScalar(root);
}

const ResidualStack *PairProblem::patternFor(Value root) const {
  auto type = dyn_cast<RankedTensorType>(root.getType());
  if (!type || !type.hasStaticShape())
    return nullptr;
  bool sameType = !pair.forward.condition() || model.reshapeName().empty();
  for (const ResidualStack &stack : pair.stacks) {
    auto row = cast<RankedTensorType>(stack.put.row.getType());
    if (sameType ? row == type
                 : row.getElementType() == type.getElementType() &&
                       row.getNumElements() == type.getNumElements())
      return &stack;
  }
  return nullptr;
}
