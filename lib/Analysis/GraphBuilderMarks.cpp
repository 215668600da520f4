//===- GraphBuilderMarks.cpp - What the user wrote on a step --------------===//
//
// Part of Ringi. Phases, blocks, keep and recompute marks, and which argument a
// returned value replaces.
//
//===----------------------------------------------------------------------===//

#include "GraphBuilder.h"

#include "ringi/Analysis/AttributeNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

void GraphBuilder::findPhases() {
  result.func->walk([&](Operation *op) {
    if (!op->hasAttr(attr::kPhase))
      return WalkResult::advance();
    result.anyPhase = true;
    return WalkResult::interrupt();
  });
}

std::optional<Phase> GraphBuilder::phaseOf(Operation *op) {
  if (auto text = op->getAttrOfType<StringAttr>(attr::kPhase))
    if (Expected<Phase> phase = parsePhase(text.str()))
      return *phase;
  return std::nullopt;
}

void GraphBuilder::setPhaseAndBlock(Operation *op, planner::Op &entry) {
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
    graph.blocks.push_back(llvm::json::fixUTF8(block.getValue()));
  entry.block = it->second;
}

LogicalResult GraphBuilder::applyMarks(Operation *op) {
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

LogicalResult GraphBuilder::addOutputs() {
  FunctionOpInterface function = result.func;
  Operation *terminator = function.getFunctionBody().front().getTerminator();
  for (OpOperand &operand : terminator->getOpOperands()) {
    GraphOutput output;
    output.value = operand.get();
    StorageIndex s = result.places.lookup(output.value).storage;
    graph.storages[s].output = true;
    // The caller reads what nobody here would have stored.
    if (result.isMadeByReaders(s))
      graph.storages[s].bytes = llvm::alignTo(uint64_t(result.madeBytes.at(s)),
                                              result.settings.alignment);
    unsigned number = operand.getOperandNumber();
    if (number < function.getNumResults())
      if (Attribute updates = function.getResultAttr(number, attr::kUpdates))
        if (failed(findUpdated(updates, number, output)))
          return failure();
    result.results.push_back(output);
  }
  return success();
}

LogicalResult GraphBuilder::findUpdated(Attribute updates, unsigned number,
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
