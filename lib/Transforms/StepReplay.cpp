//===- StepReplay.cpp - The verifier's own reading of a step --------------===//
//
// Part of Ringi. A walk, last reads, and a running sum of resident bytes.
//
//===----------------------------------------------------------------------===//

#include "StepReplay.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;

static int64_t roundUp(int64_t bytes, int64_t multiple) {
  return (bytes + multiple - 1) / multiple * multiple;
}

FailureOr<StepReplay> StepReplay::read(FunctionOpInterface function,
                                       std::shared_ptr<const OpTable> table) {
  StepReplay replay;
  replay.model = OpModel(std::move(table));
  replay.storesSplats =
      function
          ->walk([](Operation *op) {
            if (isa<RecomputeOp, BlockOp, NoGradOp, YieldOp, SaveOp, LoadOp>(
                    op))
              return WalkResult::advance();
            return isa_and_nonnull<RingiDialect>(op->getDialect())
                       ? WalkResult::interrupt()
                       : WalkResult::advance();
          })
          .wasInterrupted();
  for (BlockArgument argument : function.getArguments())
    if (failed(replay.addStorage(
            argument, true,
            function.getArgAttr(argument.getArgNumber(), attr::kBytes), 0)))
      return failure();
  Block &body = function.getFunctionBody().front();
  if (failed(replay.visit(body, false, "")))
    return failure();
  for (Value value : body.getTerminator()->getOperands()) {
    ReplayStorage &storage =
        replay.storages[replay.places.lookup(value).storage];
    storage.leavesStep = true;
    if (storage.madeBytes >= 0)
      storage.bytes = storage.madeBytes;
  }
  for (auto [index, run] : llvm::enumerate(replay.runs))
    for (const ReplayRange &range : run.reads)
      replay.storages[range.storage].lastRead = int(index);
  return replay;
}

LogicalResult StepReplay::visit(Block &block, bool replayed,
                                StringRef regionPhase) {
  for (Operation &op : block.without_terminator()) {
    if (isa<RecomputeOp, BlockOp, NoGradOp>(op)) {
      Block &inner = op.getRegion(0).front();
      for (auto [argument, operand] :
           llvm::zip(inner.getArguments(), op.getOperands()))
        places[argument] = places.lookup(operand);
      bool repeats = isa<RecomputeOp>(op);
      StringRef phase = regionPhase;
      if (repeats) {
        auto given = op.getAttrOfType<StringAttr>(attr::kPhase);
        phase = given ? given.getValue() : StringRef("backward");
      }
      if (failed(visit(inner, replayed || repeats, phase)))
        return failure();
      for (auto [result, yielded] :
           llvm::zip(op.getResults(), inner.getTerminator()->getOperands()))
        places[result] = places.lookup(yielded);
      continue;
    }
    if (failed(add(&op, replayed, regionPhase)))
      return failure();
  }
  return success();
}

LogicalResult StepReplay::addStorage(Value value, bool beforeStep,
                                     Attribute size, unsigned number) {
  ReplayStorage storage;
  storage.value = value;
  storage.beforeStep = beforeStep;
  if (auto all = dyn_cast_or_null<IntegerAttr>(size))
    storage.bytes = all.getInt();
  else if (auto each = dyn_cast_or_null<DenseI64ArrayAttr>(size);
           each && number < each.size())
    storage.bytes = each[number];
  else if (std::optional<int64_t> known = getStorageBytes(value.getType()))
    storage.bytes = *known;
  else if (isa<ShapedType>(value.getType()))
    return emitError(value.getLoc()) << "the bytes of a value of type "
                                     << value.getType() << " are not known";
  // Sums of sizes, each rounded up by less than 2^40, must not overflow.
  constexpr int64_t limit = int64_t(1) << 60;
  if (storage.bytes < 0 || storage.bytes > limit - totalBytes)
    return emitError(value.getLoc())
           << "a value of " << storage.bytes << " bytes beside " << totalBytes
           << " before it, but a step holds from 0 to " << limit
           << "; correct '" << attr::kBytes << "'";
  totalBytes += storage.bytes;
  places[value] = {int(storages.size()), 0, storage.bytes};
  storages.push_back(storage);
  return success();
}

bool StepReplay::foldView(Operation *op) {
  if (op->getNumResults() == 0)
    return false;
  OpSemantics known = model(op);
  SmallVector<ReplayRange> ranges;
  for (OpResult result : op->getResults()) {
    ViewSource source;
    if (known) {
      std::optional<ViewSource> named =
          known.getViewSource(result.getResultNumber());
      if (!named)
        return false;
      source = *named;
    } else if (!isa<ViewLikeOpInterface>(op) || op->getNumOperands() == 0) {
      return false;
    }
    ReplayRange range = places.lookup(op->getOperand(source.operand));
    range.offset += source.byteOffset;
    if (std::optional<int64_t> bytes = getStorageBytes(result.getType()))
      range.bytes = std::min(range.bytes, *bytes);
    ranges.push_back(range);
  }
  for (auto [result, range] : llvm::zip(op->getResults(), ranges))
    places[result] = range;
  return true;
}

/// True when `op` is no run: its readers make its result, which stands for
/// nothing but bytes. Equal ones are one storage.
FailureOr<bool> StepReplay::foldMade(Operation *op) {
  auto known = dyn_cast<RecomputeOpInterface>(op);
  if (storesSplats || !known || op->getNumResults() != 1 ||
      !known.isMadeByReaders())
    return false;
  for (Value operand : op->getOperands()) {
    auto it = places.find(operand);
    if (it == places.end())
      return false;
    const ReplayStorage &from = storages[it->second.storage];
    if (from.bytes != 0 || !from.beforeStep || !from.value.getDefiningOp())
      return false;
  }
  constexpr auto flags =
      OperationEquivalence::Flags(OperationEquivalence::IgnoreLocations |
                                  OperationEquivalence::IgnoreDiscardableAttrs);
  size_t hash = OperationEquivalence::computeHash(
      op,
      [&](Value operand) {
        return llvm::hash_code(size_t(places.lookup(operand).storage));
      },
      OperationEquivalence::ignoreHashValue, flags);
  for (Operation *other : makers[hash]) {
    DenseMap<Value, Value> inside;
    auto areSame = [&](Value a, Value b) {
      auto x = places.find(a), y = places.find(b);
      if (x != places.end() && y != places.end())
        return success(x->second.storage == y->second.storage);
      return success(a == b || inside.lookup(a) == b);
    };
    if (!OperationEquivalence::isEquivalentTo(
            op, other, areSame, [&](Value a, Value b) { inside[a] = b; },
            flags))
      continue;
    places[op->getResult(0)] = places.lookup(other->getResult(0));
    return true;
  }
  makers[hash].push_back(op);
  if (failed(addStorage(op->getResult(0), true, op->getAttr(attr::kBytes), 0)))
    return failure();
  storages.back().madeBytes = std::exchange(storages.back().bytes, 0);
  places[op->getResult(0)].bytes = 0;
  return true;
}

/// What the op holds of values that it makes: nothing of one that is made where
/// a result of equal bytes goes. That result is then not written over another
/// operand.
void StepReplay::findMade(ReplayRun &run) {
  auto isDestination = [&](InPlaceOperand pair) {
    int64_t bytes = storages[run.reads[pair.operand].storage].madeBytes;
    return bytes >= 0 && bytes == storages[run.firstResult + pair.result].bytes;
  };
  llvm::SmallDenseSet<unsigned> operands, results;
  for (InPlaceOperand pair : run.pairs)
    if (isDestination(pair)) {
      operands.insert(pair.operand);
      results.insert(pair.result);
    }
  llvm::SmallDenseSet<int> seen;
  // A known op counts what it reads inside of its regions itself.
  size_t counted = model(run.op) ? run.op->getNumOperands() : run.reads.size();
  for (size_t index = 0; index < counted; ++index) {
    const ReplayRange &range = run.reads[index];
    int64_t bytes = storages[range.storage].madeBytes;
    if (bytes >= 0 && !operands.contains(index) &&
        seen.insert(range.storage).second)
      run.made.push_back(bytes);
  }
  llvm::erase_if(run.pairs, [&](InPlaceOperand pair) {
    return results.contains(pair.result);
  });
  run.inPlace.assign(run.pairs.size(), false);
}

LogicalResult StepReplay::add(Operation *op, bool replayed,
                              StringRef regionPhase) {
  FailureOr<bool> made = foldMade(op);
  if (failed(made))
    return failure();
  if (*made)
    return success();
  if (std::optional<Attribute> contents = model.getConstant(op)) {
    Attribute content = *contents;
    if (auto it = constants.find(content); content && it != constants.end()) {
      places[op->getResult(0)] = {it->second, 0, storages[it->second].bytes};
      return success();
    }
    if (content)
      constants[content] = int(storages.size());
    return addStorage(op->getResult(0), true, op->getAttr(attr::kBytes), 0);
  }
  if (failed(model.check(op)))
    return failure();
  if (foldView(op))
    return success();

  ReplayRun run;
  run.op = op;
  run.replayed = replayed;
  if (replayed) {
    run.phase = regionPhase;
  } else {
    if (auto phase = op->getAttrOfType<StringAttr>(attr::kPhase))
      lastPhase = phase.getValue();
    run.phase = lastPhase;
  }
  llvm::append_range(run.values, op->getOperands());
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op->getRegions(), captured);
  llvm::append_range(run.values, captured);
  for (Value value : run.values) {
    auto it = places.find(value);
    if (it == places.end())
      return op->emitError() << "reads a value that nothing has computed";
    run.reads.push_back(it->second);
  }
  if (OpSemantics known = model(op)) {
    run.opClass = known.getOpClass();
    run.flops = known.getFlops();
    run.mayRepeat = known.isRecomputable();
    run.workspace = known.getWorkspaceBytes();
    known.getInPlacePairs(run.pairs);
  }
  if (auto cost = op->getAttrOfType<FloatAttr>(attr::kCost))
    run.flops = cost.getValueAsDouble();
  else if (auto cost = op->getAttrOfType<IntegerAttr>(attr::kCost))
    run.flops = double(cost.getInt());
  if (auto override = op->getAttrOfType<BoolAttr>(attr::kRecomputable))
    run.mayRepeat = override.getValue();
  run.inPlace.assign(run.pairs.size(), false);
  run.firstResult = int(storages.size());
  for (OpResult result : op->getResults())
    if (failed(addStorage(result, false, op->getAttr(attr::kBytes),
                          result.getResultNumber())))
      return failure();
  findMade(run);
  runs.push_back(std::move(run));
  return success();
}

/// The operand is a whole storage that dies here, as large as the result, and
/// whatever else the op reads of it may be overwritten by that result as well.
bool StepReplay::mayOverwrite(const ReplayRun &run, unsigned pair,
                              int index) const {
  InPlaceOperand named = run.pairs[pair];
  const ReplayRange &from = run.reads[named.operand];
  const ReplayStorage &source = storages[from.storage];
  const ReplayStorage &target = storages[run.firstResult + named.result];
  if (source.madeBytes >= 0 || from.offset != 0 || source.bytes != target.bytes)
    return false;
  for (auto [number, other] : llvm::enumerate(run.reads)) {
    auto overwritten = [&, number = number](InPlaceOperand candidate) {
      return candidate.operand == number && candidate.result == named.result;
    };
    if (other.storage == from.storage &&
        (other.offset != 0 || llvm::none_of(run.pairs, overwritten)))
      return false;
  }
  return source.lastRead == index && !source.leavesStep &&
         (!source.beforeStep || named.required);
}

int64_t StepReplay::scratchBytes(const ReplayRun &run, int64_t alignment,
                                 int64_t gemmWorkspace) {
  int64_t scratch = run.workspace;
  if (run.opClass == planner::OpClass::Gemm)
    scratch += gemmWorkspace;
  scratch = roundUp(scratch, alignment);
  for (int64_t bytes : run.made)
    scratch += roundUp(bytes, alignment);
  return scratch;
}

int64_t StepReplay::livePeak(int64_t alignment, int64_t gemmWorkspace) {
  int64_t resident = 0;
  // A storage's bytes stay to the end: it exists before, or took over bytes of
  // one that does.
  std::vector<bool> stays(storages.size(), false);
  std::vector<bool> takenOver(storages.size(), false);
  std::vector<std::vector<int>> dies(runs.size());
  for (auto [index, storage] : llvm::enumerate(storages)) {
    if (storage.beforeStep) {
      stays[index] = true;
      resident += roundUp(storage.bytes, alignment);
    } else if (storage.lastRead >= 0) {
      dies[storage.lastRead].push_back(int(index));
    }
  }
  int64_t peak = resident;
  for (auto [index, run] : llvm::enumerate(runs)) {
    int results = int(run.op->getNumResults());
    std::vector<bool> reuses(results, false);
    for (unsigned pair = 0; pair < run.pairs.size(); ++pair) {
      int source = run.reads[run.pairs[pair].operand].storage;
      int result = int(run.pairs[pair].result);
      run.inPlace[pair] = !takenOver[source] && !reuses[result] &&
                          mayOverwrite(run, pair, int(index));
      if (!run.inPlace[pair])
        continue;
      takenOver[source] = true;
      reuses[result] = true;
      if (stays[source])
        stays[run.firstResult + result] = true;
    }
    for (int r = 0; r < results; ++r)
      if (!reuses[r])
        resident += roundUp(storages[run.firstResult + r].bytes, alignment);
    peak =
        std::max(peak, resident + scratchBytes(run, alignment, gemmWorkspace));
    auto release = [&](int s) {
      if (!stays[s] && !takenOver[s] && !storages[s].leavesStep)
        resident -= roundUp(storages[s].bytes, alignment);
    };
    for (int s : dies[index])
      release(s);
    for (int r = 0; r < results; ++r)
      if (storages[run.firstResult + r].lastRead < 0)
        release(run.firstResult + r);
  }
  return peak;
}
