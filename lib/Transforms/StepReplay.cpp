//===- StepReplay.cpp - The verifier's own reading of a step --------------===//
//
// Part of Ringi. A walk, last reads, and a running sum of resident bytes.
//
//===----------------------------------------------------------------------===//

#include "StepReplay.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/Matchers.h"
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
  for (BlockArgument argument : function.getArguments())
    if (failed(replay.addStorage(
            argument, true,
            function.getArgAttr(argument.getArgNumber(), attr::kBytes), 0)))
      return failure();
  Block &body = function.getFunctionBody().front();
  if (failed(replay.visit(body, false, "")))
    return failure();
  for (Value value : body.getTerminator()->getOperands())
    replay.storages[replay.places.lookup(value).storage].leavesStep = true;
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

LogicalResult StepReplay::add(Operation *op, bool replayed,
                              StringRef regionPhase) {
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
  runs.push_back(std::move(run));
  return success();
}

/// The operand is a whole storage that dies here, as large as the result, and
/// no other operand of the op lies elsewhere in it.
bool StepReplay::mayOverwrite(const ReplayRun &run, unsigned pair,
                              int index) const {
  InPlaceOperand named = run.pairs[pair];
  const ReplayRange &from = run.reads[named.operand];
  const ReplayStorage &source = storages[from.storage];
  const ReplayStorage &target = storages[run.firstResult + named.result];
  if (from.offset != 0 || source.bytes != target.bytes)
    return false;
  for (const ReplayRange &other : run.reads)
    if (other.storage == from.storage && other.offset != 0)
      return false;
  return source.lastRead == index && !source.leavesStep &&
         (!source.beforeStep || named.required);
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
    int64_t scratch = run.workspace;
    if (run.opClass == planner::OpClass::Gemm)
      scratch += gemmWorkspace;
    peak = std::max(peak, resident + roundUp(scratch, alignment));
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
