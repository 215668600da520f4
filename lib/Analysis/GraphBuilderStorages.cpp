//===- GraphBuilderStorages.cpp - Bytes and who shares them ---------------===//
//
// Part of Ringi. Arguments, constants, results, views, in-place pairs, and
// values that each reader makes for itself.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

std::string ringi::locationText(Location location) {
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

static Category categoryOfRole(StringRef role) {
  if (role == "parameter")
    return Category::Parameter;
  if (role == "optimizer_state")
    return Category::OptimizerState;
  if (role == "constant_state")
    return Category::Constant;
  return Category::Input;
}

FailureOr<int64_t> GraphBuilder::bytesOf(Value value, Attribute override,
                                         unsigned number, Location location) {
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
  } else if (std::optional<int64_t> known = getStorageBytes(value.getType())) {
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

std::string GraphBuilder::describe(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value))
    return ("argument " + Twine(argument.getArgNumber())).str();
  auto opResult = cast<OpResult>(value);
  return ("result " + Twine(opResult.getResultNumber()) + " of '" +
          opResult.getOwner()->getName().getStringRef() + "'")
      .str();
}

StorageIndex GraphBuilder::addStorage(Storage storage, Value value) {
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

LogicalResult GraphBuilder::addArguments() {
  FunctionOpInterface function = result.func;
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    Storage storage;
    auto name = function.getArgAttrOfType<StringAttr>(number, attr::kName);
    storage.name = name ? llvm::json::fixUTF8(name.getValue())
                        : ("%arg" + Twine(number)).str();
    storage.persistent = true;
    storage.category = Category::Input;
    if (auto role = function.getArgAttrOfType<StringAttr>(number, attr::kRole))
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

bool GraphBuilder::isMadeByReaders(Operation *op) const {
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

LogicalResult GraphBuilder::addMadeByReaders(Operation *op) {
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

StorageIndex GraphBuilder::storageOf(Value value) const {
  return result.places.lookup(value).storage;
}

SmallVector<InPlaceOperand>
GraphBuilder::madeDestinations(Operation *op,
                               ArrayRef<InPlaceOperand> pairs) const {
  SmallVector<InPlaceOperand> made;
  for (const InPlaceOperand &pair : pairs)
    if (StorageIndex s = storageOf(op->getOperand(pair.operand));
        result.isMadeByReaders(s) &&
        result.madeBytes.at(s) ==
            exactBytes[storageOf(op->getResult(pair.result))])
      made.push_back(pair);
  return made;
}

int64_t GraphBuilder::bytesMadeBy(ArrayRef<Value> operands,
                                  ArrayRef<InPlaceOperand> destinations) const {
  int64_t bytes = 0;
  llvm::SmallDenseSet<StorageIndex> counted;
  for (auto [number, operand] : llvm::enumerate(operands)) {
    StorageIndex s = storageOf(operand);
    bool isDestination =
        llvm::any_of(destinations, [number = number](InPlaceOperand pair) {
          return pair.operand == number;
        });
    if (result.isMadeByReaders(s) && !isDestination && counted.insert(s).second)
      bytes += llvm::alignTo(uint64_t(result.madeBytes.at(s)),
                             result.settings.alignment);
  }
  return bytes;
}

LogicalResult GraphBuilder::addConstant(Operation *op, Attribute content) {
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

LogicalResult GraphBuilder::addInPlacePairs(Operation *op,
                                            ArrayRef<InPlaceOperand> pairs,
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
      if (place.storage == from.storage && (place.byteOffset != 0 || !isTarget))
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
