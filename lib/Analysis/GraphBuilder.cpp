//===- GraphBuilder.cpp - Ops of a function as ops of the planner ---------===//
//
// Part of Ringi. Visits ops in execution order; an op that says nothing is
// kept, never recomputed, and stays in order with others that may have effects.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/JSON.h"

#include <map>

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

FailureOr<ActivationGraph> GraphBuilder::run() {
  FunctionOpInterface function = result.func;
  if (!llvm::hasSingleElement(function.getFunctionBody()))
    return mlir::emitError(function->getLoc())
           << "function '" << function.getName() << "' has "
           << function.getFunctionBody().getBlocks().size()
           << " blocks but a step to plan has 1; turn branches into scf "
              "operations";
  findPhases();
  storesSplats = storesSplatConstants(function);
  if (failed(addArguments()) ||
      failed(visitBlock(function.getFunctionBody().front())) ||
      failed(addOutputs()))
    return failure();
  if (!result.anyPhase)
    inferPhases(graph, result);
  resolveOrigins();
  setCategories();
  // A function without ops has nothing to plan and nothing wrong.
  if (!graph.ops.empty())
    if (Status status = graph.check(); !status)
      return mlir::emitError(function->getLoc()) << status.error().message;
  return std::move(result);
}

LogicalResult GraphBuilder::visitBlock(Block &block) {
  for (Operation &op : block)
    if (failed(visit(&op)))
      return failure();
  return success();
}

LogicalResult GraphBuilder::visit(Operation *op) {
  if (op->hasTrait<OpTrait::IsTerminator>())
    return success();
  if (isTransparent(op))
    return visitTransparent(op);
  if (isMadeByReaders(op))
    return addMadeByReaders(op);
  if (std::optional<Attribute> contents = result.opModel.getConstant(op))
    return addConstant(op, *contents);
  if (failed(result.opModel.check(op)))
    return failure();
  OpSemantics known = result.opModel(op);
  SmallVector<Value> operands(op->getOperands());
  if (op->getNumRegions() > 0) {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    operands.append(captured.begin(), captured.end());
  }
  for (Value operand : operands)
    if (!result.places.contains(operand))
      return op->emitError() << "reads a value that no operation of '"
                             << result.func.getName() << "' computes";
  if (addViews(op, known)) {
    result.anyKnown |= bool(known);
    return applyMarks(op);
  }
  return addOp(op, known, operands);
}

bool GraphBuilder::isTransparent(Operation *op) {
  return isa<RecomputeOp, BlockOp, NoGradOp>(op);
}

LogicalResult GraphBuilder::visitTransparent(Operation *op) {
  Scope outer = scope;
  Region &region = op->getRegion(0);
  if (auto block = dyn_cast<BlockOp>(op))
    scope.block =
        outer.block
            ? StringAttr::get(op->getContext(),
                              outer.block.getValue() + "/" + block.getLabel())
            : block.getLabelAttr();
  if (isa<RecomputeOp>(op)) {
    scope.replay = true;
    scope.phase = phaseOf(op).value_or(Phase::Backward);
  }
  for (auto [argument, operand] :
       llvm::zip(region.getArguments(), op->getOperands()))
    result.places[argument] = result.places.lookup(operand);
  if (failed(visitBlock(region.front())))
    return failure();
  for (auto [opResult, yielded] : llvm::zip(
           op->getResults(), region.front().getTerminator()->getOperands()))
    result.places[opResult] = result.places.lookup(yielded);
  scope = outer;
  return applyMarks(op);
}

bool GraphBuilder::addViews(Operation *op, OpSemantics known) {
  if (op->getNumResults() == 0)
    return false;
  SmallVector<ViewSource> sources;
  for (OpResult opResult : op->getResults()) {
    std::optional<ViewSource> source;
    if (known)
      source = known.getViewSource(opResult.getResultNumber());
    else if (auto view = dyn_cast<ViewLikeOpInterface>(op);
             view && op->getNumOperands() > 0)
      source = ViewSource{0, 0};
    if (!source)
      return false;
    sources.push_back(*source);
  }
  for (auto [opResult, source] : llvm::zip(op->getResults(), sources)) {
    StoragePlace place = result.places.lookup(op->getOperand(source.operand));
    place.byteOffset += source.byteOffset;
    result.places[opResult] = place;
  }
  return true;
}

planner::Op GraphBuilder::describeOp(Operation *op, OpSemantics known) {
  OpIndex index = OpIndex(graph.ops.size());
  planner::Op entry;
  entry.kind = op->getName().getStringRef().str();
  entry.name = (op->getName().stripDialect() + "." + Twine(index)).str();
  if (auto name = dyn_cast<NameLoc>(op->getLoc());
      name && !name.getName().empty())
    entry.name = llvm::json::fixUTF8(name.getName().getValue());
  entry.location = locationText(op->getLoc());

  OpCost cost = getOpCost(op, result.opModel);
  entry.flops = cost.flops;
  entry.opClass = cost.opClass;
  entry.cost = result.settings.cost == CostKind::Time && result.settings.device
                   ? predictSeconds(cost, *result.settings.device)
                   : cost.flops;
  auto override = op->getAttrOfType<BoolAttr>(attr::kRecomputable);
  entry.recomputable =
      override ? override.getValue() : known && known.isRecomputable();
  result.anyKnown |= bool(known) || override;
  if ((!known || known.hasUnknownBody()) && !override)
    result.unknown.push_back(index);

  int64_t workspace = known ? known.getWorkspaceBytes() : 0;
  if (entry.opClass == OpClass::Gemm)
    workspace += result.settings.gemmWorkspace;
  entry.workspace =
      llvm::alignTo(uint64_t(workspace), result.settings.alignment);
  setPhaseAndBlock(op, entry);
  return entry;
}

LogicalResult GraphBuilder::addResults(Operation *op, planner::Op &entry) {
  for (OpResult opResult : op->getResults()) {
    FailureOr<int64_t> bytes =
        bytesOf(opResult, op->getAttr(attr::kBytes), opResult.getResultNumber(),
                op->getLoc());
    if (failed(bytes))
      return failure();
    Storage storage;
    storage.name = entry.name;
    if (op->getNumResults() > 1)
      storage.name.append("#").append(
          std::to_string(opResult.getResultNumber()));
    storage.bytes = *bytes;
    storage.producer = OpIndex(graph.ops.size());
    storage.location = entry.location;
    entry.outputs.push_back(addStorage(std::move(storage), opResult));
  }
  return success();
}

LogicalResult GraphBuilder::addOp(Operation *op, OpSemantics known,
                                  ArrayRef<Value> operands) {
  planner::Op entry = describeOp(op, known);
  llvm::SmallDenseSet<StorageIndex> seen;
  for (Value operand : operands)
    if (StorageIndex storage = storageOf(operand);
        !result.isMadeByReaders(storage) && seen.insert(storage).second)
      entry.inputs.push_back(storage);
  if (failed(addResults(op, entry)))
    return failure();
  SmallVector<InPlaceOperand> pairs;
  if (known)
    known.getInPlacePairs(pairs);
  SmallVector<InPlaceOperand> destinations = madeDestinations(op, pairs);
  // What a known op reads inside of its regions is in its own workspace.
  entry.workspace +=
      bytesMadeBy(known ? operands.take_front(op->getNumOperands()) : operands,
                  destinations);
  llvm::erase_if(pairs, [&](const InPlaceOperand &pair) {
    return llvm::any_of(destinations, [&](const InPlaceOperand &made) {
      return made.result == pair.result;
    });
  });
  if (failed(addInPlacePairs(op, pairs, entry)))
    return failure();
  if (!op->hasAttrOfType<BoolAttr>(attr::kRecomputable) &&
      (known ? known.hasEffects() : !isMemoryEffectFree(op)))
    chainEffects(entry, OpIndex(graph.ops.size()));

  graph.ops.push_back(std::move(entry));
  result.operations.push_back(op);
  isReplay.push_back(scope.replay);
  return applyMarks(op);
}

void GraphBuilder::chainEffects(planner::Op &entry, OpIndex index) {
  if (lastToken != kNone)
    entry.inputs.push_back(lastToken);
  Storage token;
  token.name = "effects of " + entry.name;
  token.producer = index;
  lastToken = addStorage(std::move(token), Value());
  entry.outputs.push_back(lastToken);
}

void GraphBuilder::resolveOrigins() {
  // No DenseMap: two of its keys are reserved, and ids are the user's.
  std::map<int64_t, OpIndex> byId;
  for (auto [index, op] : llvm::enumerate(result.operations))
    if (!isReplay[index])
      if (auto id = op->getAttrOfType<IntegerAttr>(attr::kId))
        byId[id.getInt()] = OpIndex(index);
  result.origins.assign(graph.ops.size(), kNone);
  for (auto [index, op] : llvm::enumerate(result.operations))
    if (auto id = op->getAttrOfType<IntegerAttr>(attr::kOrigin))
      if (auto it = byId.find(id.getInt()); it != byId.end()) {
        result.origins[index] = it->second;
        result.anyClone = true;
      }
}

void GraphBuilder::setCategories() {
  for (const planner::Op &op : graph.ops)
    for (StorageIndex s : op.outputs)
      graph.storages[s].category = op.phase == Phase::Forward
                                       ? Category::Activation
                                       : Category::GradientInFlight;
  for (auto [index, op] : llvm::enumerate(graph.ops)) {
    if (isReplay[index])
      for (StorageIndex s : op.outputs)
        graph.storages[s].category = Category::Activation;
    if (op.phase != Phase::Optimizer)
      continue;
    // What an optimizer op reads of the backward phase is a parameter's
    // gradient; what it writes in place is what it overwrites.
    for (StorageIndex s : op.inputs)
      if (Storage &storage = graph.storages[s];
          storage.producer != kNone &&
          graph.ops[storage.producer].phase == Phase::Backward &&
          !isReplay[storage.producer])
        storage.category = Category::Gradient;
    for (const InPlacePair &pair : op.inPlace)
      if (pair.required)
        graph.storages[pair.output].category =
            graph.storages[pair.input].category;
  }
  for (Storage &storage : graph.storages)
    if (storage.output && storage.category == Category::GradientInFlight)
      storage.category = Category::Gradient;
}
