//===- BuildStepInPlace.cpp - Legality of in-place ops --------------------===//
//
// Part of Ringi. Follows the version of every storage through the forward part,
// as PyTorch does at run time: an in-place op makes a new version, and neither
// a later op nor a backward op may read an older one.
//
//===----------------------------------------------------------------------===//

#include "BuildStepInternal.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::step;

namespace {
/// The storage that a value lives in, by the value that was first written to
/// it, and the version of its content.
struct Content {
  Value storage;
  unsigned version = 0;
};

struct VersionChecker {
  DenseMap<Value, Content> contents;
  /// Per storage its newest version and the op that made it.
  DenseMap<Value, std::pair<unsigned, Operation *>> newest;

  Content contentOf(Value value) {
    auto it = contents.find(value);
    return it == contents.end() ? Content{value, 0} : it->second;
  }

  /// How a user knows the value: its ringi.name, its NameLoc, or op and number.
  static std::string quoted(StringRef name) { return ("'" + name + "'").str(); }

  static std::string describe(Value value) {
    auto result = dyn_cast<OpResult>(value);
    if (!result)
      return "argument #" +
             std::to_string(cast<BlockArgument>(value).getArgNumber());
    Operation *op = result.getOwner();
    if (auto name = op->getAttrOfType<StringAttr>(attr::kName))
      return quoted(name.getValue());
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      return quoted(name.getName().getValue());
    return "result #" + std::to_string(result.getResultNumber()) + " of '" +
           op->getName().getStringRef().str() + "'";
  }

  LogicalResult stale(Operation *reader, StringRef verb, Value value,
                      unsigned version) {
    auto [now, writer] = newest.lookup(contentOf(value).storage);
    InFlightDiagnostic error =
        reader->emitOpError()
        << verb << " " << describe(value) << " at version " << version
        << ", but '" << writer->getName() << "' overwrote it in place and left "
        << "version " << now << "; drop 'inplace' there";
    error.attachNote(writer->getLoc()) << "overwritten here";
    return error;
  }

  LogicalResult checkReads(Operation *op) {
    for (Value operand : op->getOperands()) {
      Content content = contentOf(operand);
      if (content.version != newest.lookup(content.storage).first)
        return stale(op, "reads", operand, content.version);
    }
    return success();
  }

  LogicalResult overwrite(Operation *op) {
    Value target = op->getOperand(0);
    Content content = contentOf(target);
    if (isa<BlockArgument>(content.storage))
      return op->emitOpError()
             << "would overwrite " << describe(content.storage)
             << " of the function in place, which lives through the step; drop "
                "'inplace'";
    auto &state = newest[content.storage];
    state = {content.version + 1, op};
    contents[op->getResult(0)] = {content.storage, content.version + 1};
    return success();
  }

  LogicalResult visit(Operation *op) {
    if (failed(checkReads(op)))
      return failure();
    if (isa_and_nonnull<RingiDialect>(op->getDialect()) &&
        op->hasAttr("inplace"))
      return overwrite(op);
    for (OpResult result : op->getResults())
      if (Value source = viewedValue(result))
        contents[result] = contentOf(source);
    return success();
  }
};
} // namespace

LogicalResult step::checkInPlace(ArrayRef<ForwardOp> forward,
                                 const GradientFlow &flow) {
  VersionChecker checker;
  for (ForwardOp entry : forward)
    if (failed(checker.visit(entry.op)))
      return failure();
  for (Operation *op : flow.ops) {
    SmallVector<Value> saved;
    cast<DifferentiableOpInterface>(op).getSavedValues(flow.neededOperands(op),
                                                       saved);
    for (Value value : saved) {
      Content content = checker.contentOf(value);
      if (content.version != checker.newest.lookup(content.storage).first)
        return checker.stale(op, "saved", value, content.version);
    }
  }
  for (ForwardOp entry : forward)
    if (isa_and_nonnull<RingiDialect>(entry.op->getDialect()))
      entry.op->removeAttr("inplace");
  return success();
}
