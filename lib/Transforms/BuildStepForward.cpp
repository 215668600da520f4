//===- BuildStepForward.cpp - The flat forward part -----------------------===//
//
// Part of Ringi. Checks the forward function, inlines its blocks and gives each
// dropout the id that its mask is a function of.
//
//===----------------------------------------------------------------------===//

#include "BuildStepInternal.h"

#include "llvm/ADT/StringMap.h"

#include <set>

using namespace mlir;
using namespace ringi;
using namespace ringi::step;

StringRef step::roleOf(FunctionOpInterface function, unsigned argument) {
  auto role = function.getArgAttrOfType<StringAttr>(argument, attr::kRole);
  return role ? role.getValue() : StringRef();
}

StringRef step::nameOf(FunctionOpInterface function, unsigned argument) {
  auto name = function.getArgAttrOfType<StringAttr>(argument, attr::kName);
  return name ? name.getValue() : StringRef();
}

bool step::isTrainable(FunctionOpInterface function, unsigned argument) {
  return roleOf(function, argument) == "parameter" &&
         !function.getArgAttr(argument, attr::kFrozen);
}

void step::setPhase(Operation *op, StringRef phase) {
  op->setAttr(attr::kPhase, StringAttr::get(op->getContext(), phase));
}

Value step::viewedValue(Value value) {
  auto result = dyn_cast<OpResult>(value);
  auto op = result ? dyn_cast<RecomputeOpInterface>(result.getOwner())
                   : RecomputeOpInterface();
  if (!op)
    return Value();
  std::optional<ViewSource> source = op.getViewSource(result.getResultNumber());
  return source ? result.getOwner()->getOperand(source->operand) : Value();
}

LogicalResult step::checkLossStorage(FunctionOpInterface function) {
  Value loss =
      function.getFunctionBody().front().getTerminator()->getOperand(0);
  while (Value source = viewedValue(loss))
    loss = source;
  auto argument = dyn_cast<BlockArgument>(loss);
  if (!argument)
    return success();
  return function.emitError()
         << "the loss of '" << function.getName() << "' is the argument '"
         << nameOf(function, argument.getArgNumber())
         << "' itself; compute it, for instance by ringi.reduce_sum";
}

static bool isFloatTensor(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isa<Float64Type, Float32Type, BFloat16Type, Float16Type>(
             tensor.getElementType());
}

static LogicalResult checkLoss(FunctionOpInterface function) {
  auto where = [&] {
    return function.emitError() << "function '" << function.getName() << "' ";
  };
  if (function.getNumResults() != 1)
    return where() << "returns " << function.getNumResults()
                   << " values, but a step is built from one scalar loss";
  Type type = function.getResultTypes().front();
  if (!isFloatTensor(type) || cast<RankedTensorType>(type).getRank() != 0)
    return where() << "returns " << type
                   << ", but the loss must be a scalar such as tensor<f32>; "
                      "end it in ringi.cross_entropy, ringi.mse or "
                      "ringi.reduce_mean";
  return success();
}

LogicalResult step::checkForward(FunctionOpInterface function) {
  if (!function.getFunctionBody().hasOneBlock())
    return function.emitError()
           << "function '" << function.getName() << "' has "
           << function.getFunctionBody().getBlocks().size()
           << " basic blocks, but a step is built from 1";
  if (failed(checkLoss(function)))
    return failure();
  llvm::StringMap<unsigned> names;
  bool anyTrainable = false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    StringRef role = roleOf(function, i);
    if (role.empty())
      return function.emitError()
             << "argument #" << i << " of '" << function.getName()
             << "' has no ringi.role, but others have; say what it is to the "
                "step";
    Type type = function.getArgument(i).getType();
    if (role == "parameter" && !isFloatTensor(type))
      return function.emitError()
             << "argument #" << i << " of '" << function.getName()
             << "' is a parameter of type " << type
             << ", but parameters are statically shaped tensors of f64, f32, "
                "bf16 or f16";
    if (role == "optimizer_state" || role == "learning_rate")
      return function.emitError()
             << "argument #" << i << " of '" << function.getName()
             << "' has the role " << role
             << ", which only --ringi-build-step gives";
    if (nameOf(function, i).empty())
      function.setArgAttr(
          i, attr::kName,
          StringAttr::get(function.getContext(), "arg" + std::to_string(i)));
    auto [it, isNew] = names.try_emplace(nameOf(function, i), i);
    if (!isNew)
      return function.emitError()
             << "arguments #" << it->second << " and #" << i << " of '"
             << function.getName() << "' share the name '" << it->first()
             << "'; give each its own ringi.name";
    anyTrainable |= isTrainable(function, i);
  }
  if (!anyTrainable)
    return function.emitError()
           << "function '" << function.getName()
           << "' has no trainable parameter; mark an argument by ringi.role = "
              "\"parameter\" without ringi.frozen";
  return success();
}

namespace {
struct Flattener {
  ForwardPart forward;
  llvm::StringMap<Location> paths;

  /// Moves the ops of `block`, regions inlined, in front of `before` (null:
  /// they stay).
  LogicalResult visit(Block &block, Operation *before, const std::string &path,
                      bool cut) {
    for (Operation &op :
         llvm::make_early_inc_range(block.without_terminator())) {
      if (isa<BlockOp, NoGradOp>(op)) {
        if (failed(inlineRegion(op, before ? before : &op, path, cut)))
          return failure();
        continue;
      }
      if (before)
        op.moveBefore(before);
      setPhase(&op, "forward");
      if (!path.empty())
        op.setAttr(attr::kBlock, StringAttr::get(op.getContext(), path));
      forward.push_back({&op, cut});
    }
    return success();
  }

  LogicalResult inlineRegion(Operation &op, Operation *before,
                             const std::string &path, bool cut) {
    std::string inner = path;
    if (auto block = dyn_cast<BlockOp>(op)) {
      inner += (Twine(inner.empty() ? "" : "/") + block.getLabel()).str();
      auto [it, isNew] = paths.try_emplace(inner, op.getLoc());
      if (!isNew) {
        InFlightDiagnostic error =
            op.emitOpError() << "has the path '" << inner
                             << "', which another block has too; give each "
                                "checkpointable unit its own name";
        error.attachNote(it->second) << "the other block is here";
        return error;
      }
    }
    Block &body = op.getRegion(0).front();
    if (failed(visit(body, before, inner, cut || isa<NoGradOp>(op))))
      return failure();
    op.replaceAllUsesWith(body.getTerminator()->getOperands());
    op.erase();
    return success();
  }
};
} // namespace

FailureOr<ForwardPart> step::flatten(FunctionOpInterface function) {
  Flattener flattener;
  if (failed(flattener.visit(function.getFunctionBody().front(), nullptr, "",
                             false)))
    return failure();
  return std::move(flattener.forward);
}

FailureOr<int64_t> step::assignRandomIds(FunctionOpInterface function) {
  SmallVector<Operation *> dropouts;
  function.walk([&](Operation *op) {
    if (isa<DropoutOp, DropoutMaskOp>(op))
      dropouts.push_back(op);
  });
  DenseMap<int64_t, Operation *> taken;
  int64_t count = 0;
  for (Operation *op : dropouts) {
    auto id = op->getAttrOfType<IntegerAttr>("random_id");
    if (!id)
      continue;
    auto [it, isNew] = taken.try_emplace(id.getInt(), op);
    if (!isNew) {
      InFlightDiagnostic error =
          op->emitOpError() << "has random_id " << id.getInt()
                            << ", which another dropout has too: both would "
                               "draw the same mask; leave ids out or make them "
                               "distinct";
      error.attachNote(it->second->getLoc()) << "the other dropout is here";
      return error;
    }
    count = std::max(count, id.getInt() + 1);
  }
  int64_t next = 0;
  for (Operation *op : dropouts) {
    if (op->hasAttr("random_id"))
      continue;
    while (taken.contains(next))
      ++next;
    op->setAttr("random_id", Builder(op->getContext()).getI64IntegerAttr(next));
    taken[next] = op;
    count = std::max(count, next + 1);
  }
  return count;
}

void step::storeDropoutMasks(ForwardPart &forward) {
  ForwardPart stored;
  for (ForwardOp entry : forward) {
    auto dropout = dyn_cast<DropoutOp>(entry.op);
    if (!dropout) {
      stored.push_back(entry);
      continue;
    }
    OpBuilder builder(dropout);
    auto type = cast<RankedTensorType>(dropout.getY().getType());
    auto mask = DropoutMaskOp::create(
        builder, dropout.getLoc(),
        RankedTensorType::get(type.getShape(), builder.getI8Type()),
        dropout.getSeed(), dropout.getStep(), dropout.getProbabilityAttr(),
        dropout.getRandomIdAttr());
    auto apply =
        DropoutApplyOp::create(builder, dropout.getLoc(), dropout.getX(), mask,
                               dropout.getProbabilityAttr());
    for (Operation *op : {mask.getOperation(), apply.getOperation()}) {
      op->setDiscardableAttrs(dropout->getDiscardableAttrDictionary());
      stored.push_back({op, entry.cut});
    }
    dropout.getY().replaceAllUsesWith(apply.getY());
    dropout.erase();
  }
  forward = std::move(stored);
}
