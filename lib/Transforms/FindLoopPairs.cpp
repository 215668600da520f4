//===- FindLoopPairs.cpp - Loops that stack residuals and their reversal --===//
//
// Part of Ringi. The shape that scans of differentiating frontends have: row i
// inserted at iteration i, row trips - 1 - k extracted at iteration k.
//
// Bounds must be constants, from 0 in steps of 1.
//
//===----------------------------------------------------------------------===//

#include "LoopPair.h"

#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ringi;

/// Iterations of a loop from 0 in steps of 1; nothing for others.
static std::optional<int64_t> plainTrips(scf::ForOp loop) {
  std::optional<int64_t> lower = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> upper = getConstantIntValue(loop.getUpperBound());
  std::optional<int64_t> step = getConstantIntValue(loop.getStep());
  if (!lower || !upper || !step || *lower != 0 || *step != 1)
    return std::nullopt;
  return std::max<int64_t>(*upper, 0);
}

/// One row of the first dimension and all of the others; gives the row's index.
static Value rowOf(OffsetSizeAndStrideOpInterface slice,
                   RankedTensorType stack) {
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  if (offsets.empty() || !isConstantIntValue(sizes[0], 1) ||
      !llvm::all_of(slice.getMixedStrides(), [](OpFoldResult stride) {
        return isConstantIntValue(stride, 1);
      }))
    return {};
  for (size_t d = 1; d < offsets.size(); ++d)
    if (!isConstantIntValue(offsets[d], 0) ||
        !isConstantIntValue(sizes[d], stack.getDimSize(d)))
      return {};
  return dyn_cast<Value>(offsets[0]);
}

/// `index` is `last` - induction variable of `loop`.
static bool countsDown(Value index, scf::ForOp loop, int64_t last) {
  auto difference = index.getDefiningOp<arith::SubIOp>();
  return difference && difference.getRhs() == loop.getInductionVar() &&
         getConstantIntValue(difference.getLhs()) == last;
}

/// Ops of the loop's body that `value` is made of, in order; nothing when it
/// depends on what the iteration before computed, or costs FLOPs.
std::optional<SmallVector<Operation *>>
ringi::findRemakingOps(Value value, scf::ForOp loop) {
  llvm::SetVector<Operation *> ops;
  SmallVector<Value> stack = {value};
  llvm::SmallDenseSet<Value> seen;
  while (!stack.empty()) {
    Value top = stack.pop_back_val();
    if (!seen.insert(top).second || top.getParentBlock() != loop.getBody())
      continue;
    Operation *op = top.getDefiningOp();
    if (!op) {
      if (top != loop.getInductionVar())
        return std::nullopt;
      continue;
    }
    auto known = dyn_cast<RecomputeOpInterface>(op);
    bool scalar = llvm::none_of(
        op->getResultTypes(), [](Type type) { return isa<ShapedType>(type); });
    if (op->getNumRegions() > 0 || !(op->hasTrait<OpTrait::ConstantLike>() ||
                                     (known && known.isRecomputable() &&
                                      (scalar || known.getFlops() == 0))))
      return std::nullopt;
    ops.insert(op);
    llvm::append_range(stack, op->getOperands());
  }
  SmallVector<Operation *> ordered = ops.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return ordered;
}

bool LoopPair::isStack(unsigned carried) const {
  return llvm::any_of(
      stacks, [&](const LoopStack &stack) { return stack.carried == carried; });
}

planner::LoopProblem LoopPair::problem(int64_t alignment) const {
  planner::LoopProblem result;
  result.trips = trips;
  auto aligned = [&](Type type) {
    return int64_t(llvm::alignTo(uint64_t(getStorageBytes(type).value_or(0)),
                                 uint64_t(alignment)));
  };
  scf::ForOp loop = forward;
  for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
    if (!isStack(number))
      result.carryBytes += aligned(argument.getType());
  for (const LoopStack &stack : stacks) {
    // The incoming carry is counted with every recorded iteration.
    tensor::InsertSliceOp insert = stack.insert;
    if (!stack.remade &&
        !llvm::is_contained(loop.getRegionIterArgs(), insert.getSource()))
      result.internalBytes += aligned(insert.getSourceType());
  }
  return result;
}

namespace {

class PairFinder {
public:
  explicit PairFinder(scf::ForOp loop) : loop(loop) {}

  /// False when the loop stacks nothing.
  bool run(LoopPair &pair, std::string &reason) {
    for (auto [number, argument] : llvm::enumerate(loop.getRegionIterArgs()))
      addStack(unsigned(number), argument, pair, reason);
    if (pair.stacks.empty())
      return false;
    pair.forward = loop;
    std::optional<int64_t> trips = plainTrips(loop);
    if (!trips) {
      reason = "its bounds are no constants from 0 in steps of 1";
      return true;
    }
    pair.trips = *trips;
    for (LoopStack &stack : pair.stacks) {
      if (reason.empty())
        reason = findReaders(stack, pair);
      auto isRow = [&](tensor::ExtractSliceOp extract) {
        return extract.getType() == stack.insert.getSourceType();
      };
      stack.remade =
          llvm::all_of(stack.extracts, isRow) &&
          findRemakingOps(stack.insert.getSource(), loop).has_value();
    }
    return true;
  }

private:
  /// The argument only has one row replaced, by the iteration's own.
  void addStack(unsigned number, BlockArgument argument, LoopPair &pair,
                std::string &reason) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !type.hasStaticShape() || type.getRank() == 0 ||
        !argument.hasOneUse())
      return;
    auto insert = dyn_cast<tensor::InsertSliceOp>(*argument.getUsers().begin());
    if (!insert || insert.getDest() != argument ||
        insert->getBlock() != loop.getBody() ||
        rowOf(insert, type) != loop.getInductionVar() ||
        !insert.getResult().hasOneUse() ||
        loop.getBody()->getTerminator()->getOperand(number) !=
            insert.getResult())
      return;
    if (loop.getResult(number).use_empty())
      return;
    LoopStack stack;
    stack.carried = number;
    stack.insert = insert;
    pair.stacks.push_back(std::move(stack));
  }

  /// Empty when a later loop takes the rows from the last to the first.
  std::string findReaders(LoopStack &stack, LoopPair &pair) {
    Value rows = loop.getResult(stack.carried);
    auto type = cast<RankedTensorType>(rows.getType());
    if (type.getDimSize(0) != pair.trips)
      return "its stack has " + std::to_string(type.getDimSize(0)) +
             " rows for " + std::to_string(pair.trips) + " iterations";
    for (Operation *user : rows.getUsers()) {
      auto extract = dyn_cast<tensor::ExtractSliceOp>(user);
      auto reader = dyn_cast<scf::ForOp>(user->getParentOp());
      if (!extract || !reader || reader->getBlock() != loop->getBlock())
        return "its stack is read by '" + user->getName().getStringRef().str() +
               "' and not by rows in one backward loop";
      if (pair.backward && pair.backward != reader)
        return "its stacks are read by two loops";
      Value row = rowOf(extract, type);
      if (plainTrips(reader) != pair.trips || !row ||
          !countsDown(row, reader, pair.trips - 1))
        return "its stack is not read from the last row to the first";
      pair.backward = reader;
      stack.extracts.push_back(extract);
    }
    return "";
  }

  scf::ForOp loop;
};

} // namespace

std::vector<LoopPair>
ringi::findLoopPairs(FunctionOpInterface function,
                     std::vector<std::pair<scf::ForOp, std::string>> &refused) {
  std::vector<LoopPair> pairs;
  for (auto loop : function.getFunctionBody().front().getOps<scf::ForOp>()) {
    LoopPair pair;
    std::string reason;
    if (!PairFinder(loop).run(pair, reason))
      continue;
    if (reason.empty())
      pairs.push_back(std::move(pair));
    else
      refused.push_back({loop, reason});
  }
  return pairs;
}
