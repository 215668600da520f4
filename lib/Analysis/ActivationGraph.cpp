//===- ActivationGraph.cpp - A function as a planning problem -------------===//
//
// Part of Ringi. One walk over the function in execution order. Semantics come
// from interfaces and overriding attributes only; an op that says nothing is
// kept, never recomputed, and stays in order with others that may have effects.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

std::string locationText(Location location) {
  return TypeSwitch<LocationAttr, std::string>(LocationAttr(location))
      .Case([](FileLineColLoc file) {
        return (file.getFilename().getValue() + ":" + Twine(file.getLine()))
            .str();
      })
      .Case([](NameLoc name) { return locationText(name.getChildLoc()); })
      .Case([](CallSiteLoc call) { return locationText(call.getCallee()); })
      .Case([](FusedLoc fused) {
        return fused.getLocations().empty()
                   ? std::string()
                   : locationText(fused.getLocations().front());
      })
      .Default([](LocationAttr) { return std::string(); });
}

Category categoryOfRole(StringRef role) {
  if (role == "parameter")
    return Category::Parameter;
  if (role == "optimizer_state")
    return Category::OptimizerState;
  if (role == "constant_state")
    return Category::Constant;
  return Category::Input;
}

} // namespace

namespace ringi {

class GraphBuilder {
public:
  GraphBuilder(FunctionOpInterface function, const GraphOptions &options) {
    result.func = function;
    result.settings = options;
    result.opModel = OpModel(options.table);
    graph.name = function.getName().str();
  }

  FailureOr<ActivationGraph> run() {
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

private:
  /// What the walk knows about the region it is in.
  struct Scope {
    StringAttr block;
    std::optional<Phase> phase;
    bool replay = false;
  };

  void findPhases() {
    result.func->walk([&](Operation *op) {
      if (!op->hasAttr(attr::kPhase))
        return WalkResult::advance();
      result.anyPhase = true;
      return WalkResult::interrupt();
    });
  }

  FailureOr<int64_t> bytesOf(Value value, Attribute override, unsigned number,
                             Location location) {
    int64_t bytes = 0;
    if (auto all = dyn_cast_or_null<IntegerAttr>(override)) {
      bytes = all.getInt();
    } else if (auto each = dyn_cast_or_null<DenseI64ArrayAttr>(override);
               each && number < each.size()) {
      bytes = each[number];
    } else if (override) {
      return emitError(location)
             << "'" << attr::kBytes
             << "' must be an integer or give one integer per result";
    } else if (std::optional<int64_t> known =
                   getStorageBytes(value.getType())) {
      bytes = *known;
    } else if (isa<BaseMemRefType>(value.getType())) {
      return emitError(location)
             << describe(value) << " of type " << value.getType()
             << " is a buffer, but plans are made of values; run this pass "
                "before bufferization";
    } else if (auto shaped = dyn_cast<ShapedType>(value.getType());
               isa_and_nonnull<RankedTensorType>(shaped) &&
               shaped.hasStaticShape()) {
      return emitError(location)
             << describe(value) << " of type " << value.getType()
             << " has more bytes than can be counted; choose smaller sizes";
    } else if (shaped) {
      return emitError(location)
             << "the bytes of " << describe(value) << " of type "
             << value.getType() << " are not known; give its largest size as '"
             << attr::kBytes << " = <bytes>'";
    }
    // Rounding up must not overflow.
    constexpr int64_t limit = int64_t(1) << 60;
    if (bytes < 0 || bytes > limit)
      return emitError(location)
             << "'" << attr::kBytes << "' is " << bytes
             << " but sizes are from 0 to " << limit << " bytes";
    return bytes;
  }

  static std::string describe(Value value) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return ("argument " + Twine(argument.getArgNumber())).str();
    auto opResult = cast<OpResult>(value);
    return ("result " + Twine(opResult.getResultNumber()) + " of '" +
            opResult.getOwner()->getName().getStringRef() + "'")
        .str();
  }

  /// `storage.bytes` is not aligned yet.
  StorageIndex addStorage(Storage storage, Value value) {
    exactBytes.push_back(storage.bytes);
    storage.bytes =
        llvm::alignTo(uint64_t(storage.bytes), result.settings.alignment);
    graph.storages.push_back(std::move(storage));
    result.values.push_back(value);
    StorageIndex index = StorageIndex(graph.storages.size()) - 1;
    if (value)
      result.places[value] = {index, 0};
    return index;
  }

  LogicalResult addArguments() {
    FunctionOpInterface function = result.func;
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      Storage storage;
      auto name = function.getArgAttrOfType<StringAttr>(number, attr::kName);
      storage.name = name ? name.str() : ("%arg" + Twine(number)).str();
      storage.persistent = true;
      storage.category = Category::Input;
      if (auto role =
              function.getArgAttrOfType<StringAttr>(number, attr::kRole))
        storage.category = categoryOfRole(role.getValue());
      FailureOr<int64_t> bytes =
          bytesOf(argument, function.getArgAttr(number, attr::kBytes), 0,
                  argument.getLoc());
      if (failed(bytes))
        return failure();
      storage.bytes = *bytes;
      storage.location = locationText(argument.getLoc());
      addStorage(std::move(storage), argument);
    }
    return success();
  }

  LogicalResult visitBlock(Block &block) {
    for (Operation &op : block)
      if (failed(visit(&op)))
        return failure();
    return success();
  }

  LogicalResult visit(Operation *op) {
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

  /// Region ops of the dialect that only group: their ops run where they stand.
  static bool isTransparent(Operation *op) {
    return isa<RecomputeOp, BlockOp, NoGradOp>(op);
  }

  LogicalResult visitTransparent(Operation *op) {
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

  bool isMadeByReaders(Operation *op) const {
    auto known = dyn_cast<RecomputeOpInterface>(op);
    return !storesSplats && known && known.isMadeByReaders() &&
           op->getNumResults() == 1 &&
           llvm::all_of(op->getOperands(), [&](Value operand) {
             StorageIndex s = result.places.lookup(operand).storage;
             return s != kNone && graph.storages[s].bytes == 0 &&
                    graph.storages[s].category == Category::Constant &&
                    !isa<BlockArgument>(result.values[s]);
           });
  }

  /// A storage without bytes: each reader counts them in its workspace.
  LogicalResult addMadeByReaders(Operation *op) {
    OpResult made = op->getResult(0);
    FailureOr<int64_t> bytes =
        bytesOf(made, op->getAttr(attr::kBytes), 0, op->getLoc());
    if (failed(bytes))
      return failure();
    result.anyKnown = true;
    Storage storage;
    storage.name = ("made." + Twine(result.madeBytes.size())).str();
    storage.persistent = true;
    storage.category = Category::Constant;
    storage.location = locationText(op->getLoc());
    result.madeBytes[addStorage(std::move(storage), made)] = *bytes;
    return applyMarks(op);
  }

  StorageIndex storageOf(Value value) const {
    return result.places.lookup(value).storage;
  }

  /// Of an op's in-place pairs those whose operand is made where the result is
  /// written: it has no bytes beside the result.
  SmallVector<InPlaceOperand>
  madeDestinations(Operation *op, ArrayRef<InPlaceOperand> pairs) const {
    SmallVector<InPlaceOperand> made;
    for (const InPlaceOperand &pair : pairs)
      if (StorageIndex s = storageOf(op->getOperand(pair.operand));
          result.isMadeByReaders(s) &&
          result.madeBytes.at(s) ==
              exactBytes[storageOf(op->getResult(pair.result))])
        made.push_back(pair);
    return made;
  }

  /// What `op` holds while it runs of values that it makes itself.
  int64_t bytesMadeBy(ArrayRef<Value> operands,
                      ArrayRef<InPlaceOperand> destinations) const {
    int64_t bytes = 0;
    llvm::SmallDenseSet<StorageIndex> counted;
    for (auto [number, operand] : llvm::enumerate(operands)) {
      StorageIndex s = storageOf(operand);
      bool isDestination =
          llvm::any_of(destinations, [number = number](InPlaceOperand pair) {
            return pair.operand == number;
          });
      if (result.isMadeByReaders(s) && !isDestination &&
          counted.insert(s).second)
        bytes += llvm::alignTo(uint64_t(result.madeBytes.at(s)),
                               result.settings.alignment);
    }
    return bytes;
  }

  LogicalResult addConstant(Operation *op, Attribute content) {
    auto known = constants.find(content);
    if (content && known != constants.end()) {
      result.places[op->getResult(0)] = {known->second, 0};
      return success();
    }
    FailureOr<int64_t> bytes =
        bytesOf(op->getResult(0), op->getAttr(attr::kBytes), 0, op->getLoc());
    if (failed(bytes))
      return failure();
    Storage storage;
    storage.name = "constant." + std::to_string(constants.size());
    storage.bytes = *bytes;
    storage.persistent = true;
    storage.category = Category::Constant;
    storage.location = locationText(op->getLoc());
    StorageIndex index = addStorage(std::move(storage), op->getResult(0));
    if (content)
      constants[content] = index;
    return success();
  }

  /// Folds `op` into its operands' storages when every result is a view.
  bool addViews(Operation *op, OpSemantics known) {
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

  LogicalResult addOp(Operation *op, OpSemantics known,
                      ArrayRef<Value> operands) {
    OpIndex index = OpIndex(graph.ops.size());
    planner::Op entry;
    entry.kind = op->getName().getStringRef().str();
    StringRef shortKind = op->getName().stripDialect();
    entry.name = (shortKind + "." + Twine(index)).str();
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      entry.name = name.getName().str();
    entry.location = locationText(op->getLoc());

    OpCost cost = getOpCost(op, result.opModel);
    entry.flops = cost.flops;
    entry.opClass = cost.opClass;
    entry.cost =
        result.settings.cost == CostKind::Time && result.settings.device
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
    llvm::SmallDenseSet<StorageIndex> seen;
    for (Value operand : operands)
      if (StorageIndex storage = result.places.lookup(operand).storage;
          !result.isMadeByReaders(storage) && seen.insert(storage).second)
        entry.inputs.push_back(storage);
    for (OpResult opResult : op->getResults()) {
      FailureOr<int64_t> bytes =
          bytesOf(opResult, op->getAttr(attr::kBytes),
                  opResult.getResultNumber(), op->getLoc());
      if (failed(bytes))
        return failure();
      Storage storage;
      storage.name = entry.name;
      if (op->getNumResults() > 1)
        storage.name.append("#").append(
            std::to_string(opResult.getResultNumber()));
      storage.bytes = *bytes;
      storage.producer = index;
      storage.location = entry.location;
      entry.outputs.push_back(addStorage(std::move(storage), opResult));
    }
    SmallVector<InPlaceOperand> pairs;
    if (known)
      known.getInPlacePairs(pairs);
    SmallVector<InPlaceOperand> destinations = madeDestinations(op, pairs);
    // What a known op reads inside of its regions is in its own workspace.
    entry.workspace += bytesMadeBy(
        known ? operands.take_front(op->getNumOperands()) : operands,
        destinations);
    llvm::erase_if(pairs, [&](const InPlaceOperand &pair) {
      return llvm::any_of(destinations, [&](const InPlaceOperand &made) {
        return made.result == pair.result;
      });
    });
    if (failed(addInPlacePairs(op, pairs, entry)))
      return failure();
    if (!override && (known ? known.hasEffects() : !isMemoryEffectFree(op)))
      chainEffects(entry, index);

    graph.ops.push_back(std::move(entry));
    result.operations.push_back(op);
    isReplay.push_back(scope.replay);
    return scope.replay ? success() : applyMarks(op);
  }

  /// Results that may overwrite an operand: only whole storages of equal bytes.
  /// What else the op reads of the storage must lie at its start and be such an
  /// operand too, or it would be read after it was overwritten.
  LogicalResult addInPlacePairs(Operation *op, ArrayRef<InPlaceOperand> pairs,
                                planner::Op &entry) {
    for (InPlaceOperand pair : pairs) {
      Value operand = op->getOperand(pair.operand);
      StoragePlace from = result.places.lookup(operand);
      StoragePlace to = result.places.lookup(op->getResult(pair.result));
      if (result.isMadeByReaders(from.storage))
        continue;
      int64_t have = exactBytes[from.storage];
      int64_t want = exactBytes[to.storage];
      bool whole = from.byteOffset == 0 && have == want;
      for (OpOperand &other : op->getOpOperands()) {
        StoragePlace place = result.places.lookup(other.get());
        bool isTarget = llvm::any_of(pairs, [&](InPlaceOperand candidate) {
          return candidate.operand == other.getOperandNumber() &&
                 candidate.result == pair.result;
        });
        if (place.storage == from.storage &&
            (place.byteOffset != 0 || !isTarget))
          whole = false;
      }
      if (whole) {
        entry.inPlace.push_back({from.storage, to.storage, pair.required});
        continue;
      }
      if (pair.required)
        return op->emitError() << "writes result " << pair.result << " of "
                               << want << " bytes over operand " << pair.operand
                               << ", which is part of a storage of " << have
                               << " bytes or read by another operand too; "
                                  "update the whole value";
    }
    return success();
  }

  /// Ops with unknown effects stay in their order: each reads a token of no
  /// bytes that the one before it wrote.
  void chainEffects(planner::Op &entry, OpIndex index) {
    if (lastToken != kNone)
      entry.inputs.push_back(lastToken);
    Storage token;
    token.name = "effects of " + entry.name;
    token.producer = index;
    lastToken = addStorage(std::move(token), Value());
    entry.outputs.push_back(lastToken);
  }

  /// The dialect's verifier knows the words.
  static std::optional<Phase> phaseOf(Operation *op) {
    if (auto text = op->getAttrOfType<StringAttr>(attr::kPhase))
      if (Expected<Phase> phase = parsePhase(text.str()))
        return *phase;
    return std::nullopt;
  }

  void setPhaseAndBlock(Operation *op, planner::Op &entry) {
    // A clone runs in the phase of its region, whatever its origin's was.
    entry.phase = scope.phase.value_or(phaseOf(op).value_or(lastPhase));
    if (!scope.replay)
      lastPhase = entry.phase;
    StringAttr block = scope.block;
    if (auto given = op->getAttrOfType<StringAttr>(attr::kBlock))
      block = given;
    if (!block)
      return;
    auto [it, isNew] =
        blockNumbers.try_emplace(block.getValue(), graph.blocks.size());
    if (isNew)
      graph.blocks.push_back(block.str());
    entry.block = it->second;
  }

  LogicalResult applyMarks(Operation *op) {
    if (scope.replay)
      return success();
    auto apply = [&](StringRef name, Mark mark) -> LogicalResult {
      Attribute given = op->getAttr(name);
      if (!given)
        return success();
      SmallVector<int64_t> numbers;
      if (auto list = dyn_cast<DenseI64ArrayAttr>(given))
        llvm::append_range(numbers, list.asArrayRef());
      else if (isa<UnitAttr>(given))
        llvm::append_range(numbers, llvm::seq<int64_t>(op->getNumResults()));
      else
        return op->emitError() << "'" << name
                               << "' must be a unit attribute or an array<i64> "
                                  "of result numbers";
      for (int64_t number : numbers) {
        if (number < 0 || number >= int64_t(op->getNumResults()))
          return op->emitError()
                 << "'" << name << "' names result " << number
                 << " but the op has " << op->getNumResults() << " results";
        StorageIndex storage =
            result.places.lookup(op->getResult(number)).storage;
        Mark &current = graph.storages[storage].mark;
        if (current != Mark::None && current != mark)
          return op->emitError()
                 << "'" << graph.storages[storage].name << "' is marked both '"
                 << attr::kMustKeep << "' and '" << attr::kMustRecompute << "'";
        current = mark;
      }
      return success();
    };
    if (failed(apply(attr::kMustKeep, Mark::MustKeep)))
      return failure();
    return apply(attr::kMustRecompute, Mark::MustRecompute);
  }

  LogicalResult addOutputs() {
    FunctionOpInterface function = result.func;
    Operation *terminator = function.getFunctionBody().front().getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      GraphOutput output;
      output.value = operand.get();
      StorageIndex s = result.places.lookup(output.value).storage;
      graph.storages[s].output = true;
      // The caller reads what nobody here would have stored.
      if (result.isMadeByReaders(s))
        graph.storages[s].bytes = llvm::alignTo(
            uint64_t(result.madeBytes.at(s)), result.settings.alignment);
      unsigned number = operand.getOperandNumber();
      if (number < function.getNumResults())
        if (Attribute updates = function.getResultAttr(number, attr::kUpdates))
          if (failed(findUpdated(updates, number, output)))
            return failure();
      result.results.push_back(output);
    }
    return success();
  }

  LogicalResult findUpdated(Attribute updates, unsigned number,
                            GraphOutput &output) {
    FunctionOpInterface function = result.func;
    if (auto index = dyn_cast<IntegerAttr>(updates))
      if (index.getInt() >= 0 &&
          index.getInt() < int64_t(function.getNumArguments())) {
        output.updates = index.getInt();
        return success();
      }
    if (auto name = dyn_cast<StringAttr>(updates))
      for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
        if (function.getArgAttrOfType<StringAttr>(i, attr::kName) == name) {
          output.updates = i;
          return success();
        }
    return mlir::emitError(function->getLoc())
           << "result " << number << " names " << updates
           << " as the argument it updates but the function has no such "
              "argument";
  }

  /// Clones name their origin by number; one whose origin is gone counts as an
  /// origin itself.
  void resolveOrigins() {
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

  void setCategories() {
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

  ActivationGraph result;
  Problem &graph = result.graph;
  Scope scope;
  Phase lastPhase = Phase::Forward;
  /// The function is a program of Ringi's own, whose constants are data.
  bool storesSplats = false;
  StorageIndex lastToken = kNone;
  llvm::StringMap<int32_t> blockNumbers;
  DenseMap<Attribute, StorageIndex> constants;
  std::vector<bool> isReplay;
  /// Bytes of each storage before alignment.
  std::vector<int64_t> exactBytes;
};

} // namespace ringi

bool ringi::storesSplatConstants(FunctionOpInterface function) {
  return function
      ->walk([](Operation *op) {
        return isa_and_nonnull<RingiDialect>(op->getDialect()) &&
                       !isa<RecomputeOp, BlockOp, NoGradOp, YieldOp, SaveOp,
                            LoadOp>(op)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

FailureOr<ActivationGraph> ActivationGraph::build(FunctionOpInterface function,
                                                  const GraphOptions &options) {
  return GraphBuilder(function, options).run();
}

std::vector<StorageIndex> ActivationGraph::savedActivations() const {
  std::vector<bool> crosses(graph.storages.size(), false);
  for (const planner::Op &op : graph.ops)
    if (op.phase != Phase::Forward)
      for (StorageIndex s : op.inputs)
        if (OpIndex producer = graph.storages[s].producer;
            producer != kNone && graph.ops[producer].phase == Phase::Forward)
          crosses[s] = true;
  std::vector<StorageIndex> saved;
  for (StorageIndex s = 0; s < StorageIndex(crosses.size()); ++s)
    if (crosses[s] && values[s])
      saved.push_back(s);
  return saved;
}

int64_t ActivationGraph::savedActivationBytes() const {
  int64_t bytes = 0;
  for (StorageIndex s : savedActivations())
    bytes += graph.storages[s].bytes;
  return bytes;
}
