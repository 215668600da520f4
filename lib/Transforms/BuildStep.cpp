//===- BuildStep.cpp - From a forward function to a step ------------------===//
//
// Part of Ringi. The pass, its options, and the order of the stages.
//
//===----------------------------------------------------------------------===//

#include "BuildStepInternal.h"

#include "ringi/Support/NumberText.h"
#include "ringi/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

#include <cmath>

namespace ringi {
#define GEN_PASS_DEF_BUILDSTEP
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;
using namespace ringi::step;

bool ringi::isForwardFunction(FunctionOpInterface function) {
  if (function.isExternal() || function->hasAttr(attr::kStep))
    return false;
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    if (function.getArgAttr(i, attr::kRole))
      return true;
  return false;
}

/// Each micro-batch is a copy of the model's ops, so that more would exhaust
/// memory long before a step came out.
static constexpr int64_t kMaxMicroBatches = 4096;

/// What the loader takes; each micro-batch has as many ids as the model.
static constexpr int64_t kMaxRandomIds = int64_t(1) << 32;

/// One micro-batch of an argument: a view of part `index`.
static Value takeMicroBatch(OpBuilder &builder, Location loc, Value whole,
                            RankedTensorType part, int64_t index) {
  SmallVector<int64_t> shape(part.getShape());
  shape.insert(shape.begin(), 1);
  auto slice = SliceOp::create(builder, loc, withShape(part, shape), whole,
                               builder.getI64IntegerAttr(0),
                               builder.getI64IntegerAttr(index));
  auto reshape = ReshapeOp::create(builder, loc, part, slice);
  setPhase(slice, "forward");
  setPhase(reshape, "forward");
  return reshape;
}

/// Makes the clone's random ids and block names those of micro-batch `index`.
static void separateMicroBatch(Operation *clone, int64_t index,
                               int64_t idCount) {
  Builder builder(clone->getContext());
  clone->walk([&](Operation *op) {
    if (isa<DropoutOp, DropoutMaskOp>(op)) {
      auto id = op->getAttrOfType<IntegerAttr>("random_id");
      op->setAttr("random_id",
                  builder.getI64IntegerAttr(id.getInt() + index * idCount));
    }
    // What stands in no block, the loss for one, stays outside: a strategy
    // that recomputes blocks would run it again for nothing.
    if (auto block = op->getAttrOfType<StringAttr>(attr::kBlock))
      op->setAttr(attr::kBlock, builder.getStringAttr("micro" + Twine(index) +
                                                      "/" + block.getValue()));
  });
}

/// The arguments that are cut into micro-batches, with the type of one part.
static FailureOr<SmallVector<std::pair<BlockArgument, RankedTensorType>>>
widenArguments(FunctionOpInterface function, int64_t count) {
  SmallVector<std::pair<BlockArgument, RankedTensorType>> parts;
  for (BlockArgument argument : function.getArguments()) {
    StringRef role = roleOf(function, argument.getArgNumber());
    if (role != "input" && role != "target")
      continue;
    auto part = dyn_cast<RankedTensorType>(argument.getType());
    if (!part || !part.hasStaticShape())
      return function.emitError()
             << "argument '" << nameOf(function, argument.getArgNumber())
             << "' has type " << argument.getType()
             << ", but accumulate needs a statically shaped tensor";
    SmallVector<int64_t> shape(part.getShape());
    shape.insert(shape.begin(), count);
    argument.setType(withShape(part, shape));
    parts.push_back({argument, part});
  }
  if (parts.empty())
    return function.emitError() << "accumulate=" << count
                                << " needs an argument of role input or "
                                   "target, but the function has none";
  Block &body = function.getFunctionBody().front();
  function.setType(FunctionType::get(function.getContext(),
                                     body.getArgumentTypes(),
                                     function.getResultTypes()));
  return parts;
}

/// Forward and backward of `count` micro-batches, one after the other; the
/// originals are erased. Returns the averaged loss.
static FailureOr<Value> buildMicroBatches(FunctionOpInterface function,
                                          ForwardPart &forward, Value loss,
                                          int64_t count, int64_t idCount,
                                          DenseMap<Value, Value> &gradients) {
  auto parts = widenArguments(function, count);
  if (failed(parts))
    return failure();
  Block &body = function.getFunctionBody().front();
  Operation *terminator = body.getTerminator();
  Value total;
  for (int64_t index = 0; index < count; ++index) {
    OpBuilder builder(terminator);
    IRMapping mapping;
    for (auto [argument, part] : *parts)
      mapping.map(argument, takeMicroBatch(builder, function.getLoc(), argument,
                                           part, index));
    ForwardPart clones;
    for (ForwardOp original : forward) {
      Operation *clone = builder.clone(*original.op, mapping);
      separateMicroBatch(clone, index, idCount);
      clones.push_back({clone, original.cut});
    }
    Value partLoss = mapping.lookupOrDefault(loss);
    FailureOr<GradientFlow> flow = findGradientFlow(function, clones, partLoss);
    if (failed(flow))
      return failure();
    Value sum = partLoss;
    if (total) {
      sum = AddOp::create(builder, loss.getLoc(), total, partLoss, false);
      setPhase(sum.getDefiningOp(), "forward");
    }
    total = sum;
    if (failed(appendBackward(body, *flow, partLoss, 1.0 / count, gradients)))
      return failure();
  }
  OpBuilder builder(terminator);
  auto mean = ScaleOp::create(builder, loss.getLoc(), total,
                              llvm::APFloat(1.0 / count), false);
  setPhase(mean, "forward");
  terminator->setOperand(0, mean);
  for (ForwardOp original : llvm::reverse(forward))
    original.op->erase();
  return mean.getResult();
}

/// A split that copies becomes one slice per part that is read: each part lives
/// and is planned on its own, as it runs.
static void lowerCopyingSplits(Block &body) {
  for (SplitOp split : llvm::make_early_inc_range(body.getOps<SplitOp>())) {
    auto known = cast<RecomputeOpInterface>(split.getOperation());
    if (split.getNumResults() == 0 || known.getViewSource(0))
      continue;
    OpBuilder builder(split);
    int64_t start = 0;
    for (Value part : split.getParts()) {
      auto type = cast<RankedTensorType>(part.getType());
      if (!part.use_empty()) {
        auto slice = SliceOp::create(builder, split.getLoc(), type,
                                     split.getX(), split.getAxis(), start);
        slice->setDiscardableAttrs(split->getDiscardableAttrDictionary());
        part.replaceAllUsesWith(slice);
      }
      start += type.getDimSize(split.getAxis());
    }
    split.erase();
  }
}

LogicalResult ringi::buildStep(FunctionOpInterface function,
                               const StepOptions &options) {
  if (failed(checkForward(function)))
    return failure();
  FailureOr<ForwardPart> forward = flatten(function);
  if (failed(forward) || failed(checkLossStorage(function)))
    return failure();
  FailureOr<int64_t> idCount = assignRandomIds(function);
  if (failed(idCount))
    return failure();
  if (int64_t needed = *idCount * options.accumulate; needed > kMaxRandomIds)
    return function.emitError()
           << "accumulate=" << options.accumulate << " needs random ids below "
           << needed << ", but they end at " << kMaxRandomIds
           << "; leave random_id out, or give small ones";
  Block &body = function.getFunctionBody().front();
  Value loss = body.getTerminator()->getOperand(0);
  FailureOr<GradientFlow> flow = findGradientFlow(function, *forward, loss);
  if (failed(flow) || failed(checkInPlace(*forward, *flow)))
    return failure();
  if (options.storeDropoutMasks) {
    storeDropoutMasks(*forward);
    loss = body.getTerminator()->getOperand(0);
    flow = findGradientFlow(function, *forward, loss);
    if (failed(flow))
      return failure();
  }
  DenseMap<Value, Value> gradients;
  if (options.accumulate > 1) {
    FailureOr<Value> mean = buildMicroBatches(
        function, *forward, loss, options.accumulate, *idCount, gradients);
    if (failed(mean))
      return failure();
    loss = *mean;
  } else if (failed(appendBackward(body, *flow, loss, 1.0, gradients))) {
    return failure();
  }
  if (failed(finishStep(function, options, loss, gradients)))
    return failure();
  lowerCopyingSplits(body);
  return success();
}

namespace {
struct BuildStepPass : ringi::impl::BuildStepBase<BuildStepPass> {
  using BuildStepBase::BuildStepBase;

  /// The options as the builder takes them; an error names option and value.
  FailureOr<StepOptions> readOptions() {
    StepOptions options;
    auto refuse = [&](const Twine &message) {
      emitError(getOperation().getLoc()) << "ringi-build-step: " << message;
      return failure();
    };
    if (optimizer == "none")
      options.optimizer = Optimizer::None;
    else if (optimizer == "sgd")
      options.optimizer = Optimizer::Sgd;
    else if (optimizer == "momentum")
      options.optimizer = Optimizer::Momentum;
    else if (optimizer == "adamw")
      options.optimizer = Optimizer::AdamW;
    else
      return refuse("unknown optimizer '" + optimizer +
                    "'; known are sgd, momentum, adamw, none");
    if (dropoutMask != "recompute" && dropoutMask != "stored")
      return refuse("unknown dropout-mask '" + dropoutMask +
                    "'; known are recompute, stored");
    if (accumulate < 1)
      return refuse("accumulate is " + Twine(accumulate) +
                    ", but must be at least 1");
    if (accumulate > kMaxMicroBatches)
      return refuse("accumulate is " + Twine(accumulate) +
                    ", but a step holds at most " + Twine(kMaxMicroBatches) +
                    " micro-batches, each with its own ops; enlarge the "
                    "micro-batch");
    struct Range {
      const char *name;
      double value, low, high;
    };
    const Range ranges[] = {
        {"lr", lr, 0, 1e6},           {"weight-decay", weightDecay, 0, 1e6},
        {"momentum", momentum, 0, 1}, {"beta1", beta1, 0, 1},
        {"beta2", beta2, 0, 1},       {"epsilon", epsilon, 0, 1}};
    for (const Range &range : ranges)
      if (!(range.value >= range.low && range.value <= range.high)) {
        emitError(getOperation().getLoc())
            << "ringi-build-step: " << range.name << " is "
            << numberText(range.value) << ", but must be from "
            << numberText(range.low) << " to " << numberText(range.high);
        return failure();
      }
    options.lr = lr;
    options.weightDecay = weightDecay;
    options.momentum = momentum;
    options.nesterov = nesterov;
    options.beta1 = beta1;
    options.beta2 = beta2;
    options.epsilon = epsilon;
    options.accumulate = accumulate;
    options.storeDropoutMasks = dropoutMask == "stored";
    return options;
  }

  void runOnOperation() override {
    FailureOr<StepOptions> options = readOptions();
    if (failed(options))
      return signalPassFailure();
    SmallVector<FunctionOpInterface> forward;
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](FunctionOpInterface function) {
          if (isForwardFunction(function))
            forward.push_back(function);
          return WalkResult::skip();
        });
    for (FunctionOpInterface function : forward)
      if (failed(buildStep(function, *options)))
        return signalPassFailure();
  }
};
} // namespace
