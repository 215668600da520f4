//===- BuildStepGradients.cpp - Reverse-mode differentiation --------------===//
//
// Part of Ringi. Finds what the loss's gradient flows through, then builds the
// backward ops in reverse order. Every value that a rule names crosses through
// one ringi.save and one ringi.load; arguments live through the step and cross
// by themselves.
//
//===----------------------------------------------------------------------===//

#include "BuildStepInternal.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::step;

SmallVector<bool> GradientFlow::neededOperands(Operation *op) const {
  SmallVector<bool> flags;
  for (Value operand : op->getOperands())
    flags.push_back(needed.contains(operand));
  return flags;
}

static bool carriesGradient(Type type) {
  return isa<FloatType>(getElementTypeOrSelf(type));
}

FailureOr<GradientFlow> step::findGradientFlow(FunctionOpInterface function,
                                               ArrayRef<ForwardOp> forward,
                                               Value loss) {
  GradientFlow flow;
  for (BlockArgument argument : function.getArguments())
    if (isTrainable(function, argument.getArgNumber()))
      flow.needed.insert(argument);
  for (ForwardOp entry : forward) {
    if (entry.cut || isa<DetachOp>(entry.op))
      continue;
    bool reached = false;
    entry.op->walk([&](Operation *inner) {
      reached |= llvm::any_of(inner->getOperands(), [&](Value operand) {
        return flow.needed.contains(operand);
      });
    });
    if (!reached)
      continue;
    for (Value result : entry.op->getResults())
      if (carriesGradient(result.getType()))
        flow.needed.insert(result);
  }
  if (!flow.needed.contains(loss))
    return function.emitError()
           << "the loss of '" << function.getName()
           << "' depends on no trainable parameter; every path is cut by "
              "ringi.detach, ringi.no_grad, ringi.recompute or ringi.frozen";
  DenseSet<Value> withGradient{loss};
  for (ForwardOp entry : llvm::reverse(forward)) {
    Operation *op = entry.op;
    if (entry.cut || llvm::none_of(op->getResults(), [&](Value result) {
          return withGradient.contains(result) && flow.needed.contains(result);
        }))
      continue;
    if (!isa<DifferentiableOpInterface>(op))
      return op->emitOpError()
             << "is on the path from a parameter to the loss but has no "
                "gradient rule (DifferentiableOpInterface); cut the path by "
                "ringi.detach or ringi.no_grad";
    flow.ops.push_back(op);
    for (Value operand : op->getOperands())
      if (flow.needed.contains(operand))
        withGradient.insert(operand);
  }
  std::reverse(flow.ops.begin(), flow.ops.end());
  return flow;
}

namespace {
/// Marks all that a rule builds with the phase and the forward op's block.
struct MarkingListener : OpBuilder::Listener {
  Attribute block;
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    setPhase(op, isa<SaveOp>(op) ? "forward" : "backward");
    if (block)
      op->setAttr(attr::kBlock, block);
  }
};

struct BackwardBuilder {
  OpBuilder builder;
  MarkingListener listener;
  DenseMap<Value, Value> &gradients;
  DenseMap<Value, Value> loaded;

  BackwardBuilder(Block &body, DenseMap<Value, Value> &gradients)
      : builder(body.getTerminator()), gradients(gradients) {
    builder.setListener(&listener);
  }

  /// The value as the backward part sees it.
  Value load(Value value) {
    if (isa<BlockArgument>(value))
      return value;
    Value &load = loaded[value];
    if (!load) {
      Attribute consumer = listener.block;
      Value saved;
      {
        OpBuilder::InsertionGuard guard(builder);
        builder.setInsertionPointAfterValue(value);
        listener.block = value.getDefiningOp()->getAttr(attr::kBlock);
        saved = SaveOp::create(builder, value.getLoc(), value);
      }
      listener.block = consumer;
      load = LoadOp::create(builder, value.getLoc(), saved);
    }
    return load;
  }

  /// Several paths to one value: their gradients add.
  LogicalResult accumulate(Operation *op, Value operand, Value gradient) {
    if (gradient.getType() != operand.getType())
      return op->emitOpError()
             << "built a gradient of type " << gradient.getType()
             << " for an operand of type " << operand.getType();
    Value &sum = gradients[operand];
    sum = sum ? AddOp::create(builder, op->getLoc(), sum, gradient, false)
                    .getResult()
              : gradient;
    return success();
  }

  LogicalResult differentiate(Operation *op, const GradientFlow &flow) {
    SmallVector<Value> resultGradients, operandGradients;
    for (Value result : op->getResults())
      resultGradients.push_back(gradients.lookup(result));
    // A rule may find a gradient to be zero.
    if (llvm::none_of(resultGradients, [](Value v) { return bool(v); }))
      return success();
    listener.block = op->getAttr(attr::kBlock);
    if (failed(cast<DifferentiableOpInterface>(op).buildBackward(
            builder, resultGradients, flow.neededOperands(op),
            [&](Value value) { return load(value); }, operandGradients)))
      return failure();
    for (Value result : op->getResults())
      gradients.erase(result);
    for (auto [operand, gradient] :
         llvm::zip(op->getOperands(), operandGradients))
      if (gradient && flow.needed.contains(operand) &&
          failed(accumulate(op, operand, gradient)))
        return failure();
    return success();
  }
};
} // namespace

LogicalResult step::appendBackward(Block &body, const GradientFlow &flow,
                                   Value loss, double lossGradient,
                                   DenseMap<Value, Value> &gradients) {
  BackwardBuilder backward(body, gradients);
  backward.listener.block = loss.getDefiningOp()->getAttr(attr::kBlock);
  gradients[loss] =
      FillOp::create(backward.builder, loss.getLoc(), loss.getType(),
                     backward.builder.getF64FloatAttr(lossGradient));
  for (Operation *op : llvm::reverse(flow.ops))
    if (failed(backward.differentiate(op, flow)))
      return failure();
  return success();
}
