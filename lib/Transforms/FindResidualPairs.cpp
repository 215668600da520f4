//===- FindResidualPairs.cpp - A loop that stacks and the one that reads --===//
//
// Part of Ringi. Rows are compared by the numbers they have in each iteration,
// not by how the program computes them.
//
//===----------------------------------------------------------------------===//

#include "ResidualPair.h"

#include "ringi/Analysis/AttributeNames.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ringi;

/// A part of an array that is one row of it.
static bool isRow(Type part, Type array) {
  auto row = dyn_cast<RankedTensorType>(part);
  auto all = dyn_cast<RankedTensorType>(array);
  return row && all && row.hasStaticShape() && all.hasStaticShape() &&
         row.getRank() == all.getRank() && row.getRank() > 0 &&
         row.getDimSize(0) == 1 &&
         row.getShape().drop_front() == all.getShape().drop_front();
}

/// The slice of an op that is loaded: strides 1, one row.
static bool matchSlice(OffsetSizeAndStrideOpInterface slice, Type array,
                       RowAccess &access) {
  auto type = dyn_cast<RankedTensorType>(array);
  SmallVector<OpFoldResult> offsets = slice.getMixedOffsets();
  SmallVector<OpFoldResult> sizes = slice.getMixedSizes();
  if (!type || !type.hasStaticShape() || offsets.empty() ||
      !isConstantIntValue(sizes[0], 1) ||
      !llvm::all_of(slice.getMixedStrides(), [](OpFoldResult stride) {
        return isConstantIntValue(stride, 1);
      }))
    return false;
  for (size_t d = 1; d < offsets.size(); ++d)
    if (!isConstantIntValue(offsets[d], 0) ||
        !isConstantIntValue(sizes[d], type.getDimSize(d)))
      return false;
  access.index = dyn_cast<Value>(offsets[0]);
  if (!access.index)
    access.constant = *getConstantIntValue(offsets[0]);
  return true;
}

std::optional<RowAccess> ringi::matchTake(Operation *op, const OpModel &model) {
  RowAccess access;
  access.op = op;
  if (auto extract = dyn_cast<tensor::ExtractSliceOp>(op)) {
    access.array = extract.getSource();
    access.row = extract.getResult();
    return matchSlice(extract, extract.getSourceType(), access)
               ? std::optional(access)
               : std::nullopt;
  }
  const OpEntry *entry = model.entryOf(op);
  if (!entry || !entry->partOf || op->getNumResults() != 1 ||
      op->getNumOperands() < *entry->partOf + 2)
    return std::nullopt;
  access.array = op->getOperand(*entry->partOf);
  access.row = op->getResult(0);
  access.index = op->getOperand(*entry->partOf + 1);
  return isRow(access.row.getType(), access.array.getType())
             ? std::optional(access)
             : std::nullopt;
}

std::optional<RowAccess> ringi::matchPut(Operation *op, const OpModel &model) {
  RowAccess access;
  access.op = op;
  if (auto insert = dyn_cast<tensor::InsertSliceOp>(op)) {
    access.array = insert.getDest();
    access.row = insert.getSource();
    return matchSlice(insert, insert.getDestType(), access)
               ? std::optional(access)
               : std::nullopt;
  }
  const OpEntry *entry = model.entryOf(op);
  if (!entry || !entry->partInto || op->getNumResults() != 1 ||
      op->getNumOperands() < *entry->partInto + 3)
    return std::nullopt;
  access.array = op->getOperand(*entry->partInto);
  access.row = op->getOperand(*entry->partInto + 1);
  access.index = op->getOperand(*entry->partInto + 2);
  return isRow(access.row.getType(), access.array.getType())
             ? std::optional(access)
             : std::nullopt;
}

Value ResidualPair::matchScalar(Value scalar) const {
  const ScalarTrace::Sequence *sequence = forwardTrace.find(scalar);
  if (!sequence)
    return {};
  for (const auto &[value, numbers] : backwardTrace.all()) {
    Value candidate = value;
    if (candidate.getType() != scalar.getType() ||
        candidate.getParentBlock() != backward.body())
      continue;
    bool same = true;
    for (size_t k = 0; same && k < iterations.size(); ++k)
      same = numbers[k] == (*sequence)[iterations[k]];
    if (same)
      return candidate;
  }
  return {};
}

std::vector<Operation *> ringi::findLoopsInRow(FunctionOpInterface function,
                                               const OpModel &model) {
  llvm::SetVector<Operation *> loops;
  for (Operation &op : function.getFunctionBody().front()) {
    if (!CarriedLoop::get(&op, model))
      continue;
    for (Operation *user : op.getUsers())
      if (user->getBlock() == op.getBlock() && CarriedLoop::get(user, model)) {
        loops.insert(&op);
        loops.insert(user);
      }
  }
  return {loops.begin(), loops.end()};
}

namespace {

class PairMatcher {
public:
  PairMatcher(Operation *op, const OpModel &model)
      : loop(*CarriedLoop::get(op, model)), model(model) {}

  /// The pair, or a reason; neither when the loop stacks nothing for a later
  /// one.
  std::optional<ResidualPair> run(std::string &reason) {
    for (unsigned i = 0; i < loop.size(); ++i)
      if (std::optional<RowAccess> put = findPut(i))
        addReader(i, *put);
    if (stacks.empty())
      return std::nullopt;
    reason = findReason();
    if (!reason.empty())
      return std::nullopt;
    ResidualPair pair(loop, *CarriedLoop::get(backward, model));
    Expected<ScalarTrace> ahead = ScalarTrace::of(pair.forward, model);
    Expected<ScalarTrace> back = ScalarTrace::of(pair.backward, model);
    if (!ahead || !back) {
      reason = ahead
                   ? "of the loop that takes the rows: " + back.error().message
                   : ahead.error().message;
      return std::nullopt;
    }
    pair.forwardTrace = std::move(*ahead);
    pair.backwardTrace = std::move(*back);
    if (pair.forwardTrace.trips() == 0)
      return std::nullopt;
    for (const ResidualStack &stack : stacks)
      if (std::string why = addStack(pair, stack); reason.empty())
        reason = why;
    if (pair.stacks.empty())
      return std::nullopt;
    reason.clear();
    return pair;
  }

private:
  /// The array only has one row replaced in each iteration.
  std::optional<RowAccess> findPut(unsigned carried) const {
    BlockArgument argument = loop.argument(carried);
    Operation *put = loop.yielded(carried).get().getDefiningOp();
    if (!argument.hasOneUse() || !put || put->getBlock() != loop.body() ||
        !put->getResult(0).hasOneUse() || *argument.getUsers().begin() != put ||
        (loop.condition() &&
         !loop.condition()->getArgument(carried).use_empty()))
      return std::nullopt;
    std::optional<RowAccess> access = matchPut(put, model);
    if (!access || access->array != argument || access->row == argument)
      return std::nullopt;
    return access;
  }

  /// A loop behind this one in the same block that takes the array.
  void addReader(unsigned carried, RowAccess put) {
    ResidualStack stack;
    stack.forward = carried;
    stack.put = put;
    bool found = false;
    for (OpOperand &use : loop.result(carried).getUses()) {
      std::optional<CarriedLoop> reader =
          CarriedLoop::get(use.getOwner(), model);
      if (reader && use.getOwner()->getBlock() == loop.op()->getBlock() &&
          (!backward || use.getOwner() == backward) && !found)
        if (std::optional<unsigned> number = reader->numberOf(use)) {
          backward = use.getOwner();
          stack.backward = *number;
          found = true;
          continue;
        }
      // A loop that is loaded may read the array from inside.
      if (Operation *around =
              loop.op()->getBlock()->findAncestorOpInBlock(*use.getOwner());
          around && around != use.getOwner() &&
          (!found || captured.contains(carried)) &&
          CarriedLoop::get(around, model) &&
          (!backward || around == backward)) {
        backward = around;
        captured.insert(carried);
        found = true;
        continue;
      }
      stack.stays = true;
    }
    if (found)
      stacks.push_back(stack);
  }

  std::string findReason() const {
    for (const CarriedLoop &each : {loop, *CarriedLoop::get(backward, model)})
      for (StringRef own : {attr::kCost, attr::kRecomputable, attr::kBytes,
                            attr::kMustKeep, attr::kMustRecompute})
        if (each.op()->hasAttr(own))
          return "a loop of the pair carries '" + own.str() +
                 "', which is meant for the loop as it is";
    return "";
  }

  /// Empty when the stack was added.
  std::string addStack(ResidualPair &pair, ResidualStack stack) {
    int64_t trips = pair.forwardTrace.trips();
    auto array = cast<RankedTensorType>(stack.put.array.getType());
    std::vector<int64_t> iterationOf(array.getDimSize(0), -1);
    std::optional<ScalarTrace::Sequence> rows =
        rowsOf(stack.put, pair.forwardTrace);
    if (!rows)
      return "the number of a row that it puts is not known";
    for (int64_t i = 0; i < trips; ++i) {
      int64_t row = (*rows)[i];
      if (row < 0 || row >= int64_t(iterationOf.size()) ||
          iterationOf[row] != -1)
        return "its rows are not one per iteration";
      iterationOf[row] = i;
    }
    SmallVector<Operation *> readers;
    if (captured.contains(stack.forward)) {
      stack.isCaptured = true;
      for (OpOperand &use : pair.forward.result(stack.forward).getUses())
        if (pair.backward.op()->isProperAncestor(use.getOwner()))
          readers.push_back(use.getOwner());
    } else {
      if (!pair.backward.isInvariant(stack.backward))
        return "the later loop changes an array that it takes rows from";
      if (Block *condition = pair.backward.condition();
          condition && !condition->getArgument(stack.backward).use_empty())
        return "the later loop's condition reads an array of rows";
      if (!pair.backward.result(stack.backward).use_empty())
        stack.stays = true;
      BlockArgument argument = pair.backward.argument(stack.backward);
      for (OpOperand &use : argument.getUses())
        if (&use != &pair.backward.yielded(stack.backward))
          readers.push_back(use.getOwner());
    }
    for (Operation *reader : readers) {
      std::optional<RowAccess> take = reader->getBlock() == pair.backward.body()
                                          ? matchTake(reader, model)
                                          : std::nullopt;
      if (!take)
        return "the later loop reads an array of rows in another way than by "
               "taking one row";
      if (take->row.getType() != stack.put.row.getType())
        return "the later loop takes rows of another shape than it puts";
      std::optional<ScalarTrace::Sequence> taken =
          rowsOf(*take, pair.backwardTrace);
      if (!taken)
        return "the number of a row that the later loop takes is not known";
      std::vector<int64_t> iterations;
      for (int64_t row : *taken) {
        if (row < 0 || row >= int64_t(iterationOf.size()) ||
            iterationOf[row] < 0)
          return "the later loop takes a row that no iteration put";
        iterations.push_back(iterationOf[row]);
      }
      if (pair.iterations.empty())
        pair.iterations = iterations;
      if (pair.iterations != iterations)
        return "the later loop takes rows of several iterations at once";
      stack.takes.push_back(*take);
    }
    if (stack.takes.empty())
      return "the later loop takes no row";
    pair.stacks.push_back(std::move(stack));
    return "";
  }

  static std::optional<ScalarTrace::Sequence> rowsOf(const RowAccess &access,
                                                     const ScalarTrace &trace) {
    if (!access.index)
      return ScalarTrace::Sequence(trace.trips(), access.constant);
    if (const ScalarTrace::Sequence *sequence = trace.find(access.index))
      return *sequence;
    return std::nullopt;
  }

  CarriedLoop loop;
  const OpModel &model;
  /// The loop that takes the rows.
  Operation *backward = nullptr;
  std::vector<ResidualStack> stacks;
  /// Carried values of the forward loop that the later loop's body reads
  /// directly.
  llvm::SmallDenseSet<unsigned> captured;
};

} // namespace

std::vector<ResidualPair>
ringi::findResidualPairs(FunctionOpInterface function, const OpModel &model,
                         std::vector<RefusedPair> &refused) {
  std::vector<ResidualPair> pairs;
  llvm::SmallPtrSet<Operation *, 8> used;
  for (Operation &op : function.getFunctionBody().front()) {
    if (!CarriedLoop::get(&op, model))
      continue;
    std::string reason;
    std::optional<ResidualPair> pair = PairMatcher(&op, model).run(reason);
    if (pair && (used.contains(&op) || used.contains(pair->backward.op()))) {
      pair.reset();
      reason = "a loop of the pair belongs to another pair already";
    }
    if (pair) {
      used.insert(&op);
      used.insert(pair->backward.op());
      pairs.push_back(std::move(*pair));
    } else if (!reason.empty()) {
      refused.push_back({&op, reason});
    }
  }
  return pairs;
}
