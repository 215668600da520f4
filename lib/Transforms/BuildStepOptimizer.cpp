//===- BuildStepOptimizer.cpp - Updates, arguments and results ------------===//
//
// Part of Ringi. Each update stands right after the last op that reads its
// parameter or makes its gradient, so that the gradient is freed at once.
//
//===----------------------------------------------------------------------===//

#include "BuildStepInternal.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::step;

namespace {
/// A result of the step beside the loss.
struct StepResult {
  Value value;
  StringRef role;
  std::string name;
  /// Name of the argument it replaces; empty for none.
  std::string updates;
};

/// A parameter that is updated, and the op that its update stands behind: the
/// last that reads the parameter or makes its gradient.
struct Update {
  BlockArgument parameter;
  Value gradient;
  Operation *last;
};

struct StepFinisher {
  FunctionOpInterface function;
  const StepOptions &options;
  Builder builder;
  Block &body;
  /// Attributes of all arguments, the added ones last.
  SmallVector<DictionaryAttr> argumentAttributes;
  SmallVector<StepResult> parameters, states;
  DenseMap<Type, Value> learningRates;
  Value stepNumber;

  StepFinisher(FunctionOpInterface function, const StepOptions &options)
      : function(function), options(options), builder(function.getContext()),
        body(function.getFunctionBody().front()) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      argumentAttributes.push_back(function.getArgAttrDict(i));
  }

  Value addArgument(Type type, StringRef role, StringRef name, Attribute init) {
    SmallVector<NamedAttribute> attributes{
        builder.getNamedAttr(attr::kName, builder.getStringAttr(name)),
        builder.getNamedAttr(attr::kRole, builder.getStringAttr(role))};
    if (init)
      attributes.push_back(builder.getNamedAttr(attr::kInit, init));
    argumentAttributes.push_back(builder.getDictionaryAttr(attributes));
    return body.addArgument(type, function.getLoc());
  }

  /// One learning rate per type of statistics; models have one.
  Value learningRate(Type elementType) {
    Type type = RankedTensorType::get({}, getStatisticsType(elementType));
    Value &rate = learningRates[type];
    if (!rate)
      rate = addArgument(type, "learning_rate",
                         learningRates.size() == 1 ? "learning_rate"
                                                   : "learning_rate.second",
                         InitAttr::get(builder.getContext(), InitKind::Constant,
                                       builder.getF64FloatAttr(options.lr)));
    return rate;
  }

  /// The step number that the forward function has, or a new argument.
  Value step() {
    auto type = RankedTensorType::get({}, builder.getI64Type());
    for (unsigned i = 0; i < function.getNumArguments() && !stepNumber; ++i)
      if (roleOf(function, i) == "step" &&
          body.getArgument(i).getType() == type)
        stepNumber = body.getArgument(i);
    if (!stepNumber)
      stepNumber = addArgument(type, "step", "step", Attribute());
    return stepNumber;
  }

  /// Reads through views count: they are reads of the parameter's bytes.
  Operation *lastUse(BlockArgument parameter, Value gradient) {
    Operation *last = gradient.getDefiningOp();
    SmallVector<Value> aliases{parameter};
    while (!aliases.empty()) {
      Value alias = aliases.pop_back_val();
      for (Operation *user : alias.getUsers()) {
        Operation *inBody = body.findAncestorOpInBlock(*user);
        if (inBody != body.getTerminator() && last->isBeforeInBlock(inBody))
          last = inBody;
        for (OpResult result : user->getResults())
          if (viewedValue(result) == alias)
            aliases.push_back(result);
      }
    }
    return last;
  }

  /// Inserts the update after `place`, which is behind update.last.
  Operation *insert(const Update &update, Operation *place) {
    auto type = cast<RankedTensorType>(update.parameter.getType());
    Type elementType = type.getElementType();
    std::string name = nameOf(function, update.parameter.getArgNumber()).str();
    auto f64 = [&](double value) { return builder.getF64FloatAttr(value); };
    auto state = [&](StringRef suffix) {
      std::string stateName = name + "." + suffix.str();
      Value argument = addArgument(
          RankedTensorType::get(type.getShape(),
                                getStatisticsType(elementType)),
          "optimizer_state", stateName,
          InitAttr::get(builder.getContext(), InitKind::Zeros, FloatAttr()));
      states.push_back({Value(), "updated_state", stateName, stateName});
      return argument;
    };
    // Biases and norms are not decayed.
    FloatAttr decay = f64(type.getRank() < 2 ? 0.0 : options.weightDecay);
    size_t firstState = states.size();
    OpBuilder at(builder.getContext());
    at.setInsertionPointAfter(place);
    Location loc = update.gradient.getLoc();
    Operation *op = nullptr;
    if (options.optimizer == Optimizer::Sgd) {
      op = SgdOp::create(at, loc, type, update.parameter, update.gradient,
                         learningRate(elementType), decay);
    } else if (options.optimizer == Optimizer::Momentum) {
      Value buffer = state("momentum");
      op = MomentumOp::create(
          at, loc, TypeRange{type, buffer.getType()}, update.parameter,
          update.gradient, buffer, learningRate(elementType),
          f64(options.momentum), decay,
          options.nesterov ? builder.getUnitAttr() : UnitAttr());
    } else {
      Value m = state("m"), v = state("v");
      op = AdamWOp::create(
          at, loc, TypeRange{type, m.getType(), v.getType()}, update.parameter,
          update.gradient, m, v, step(), learningRate(elementType), Value(),
          f64(options.beta1), f64(options.beta2), f64(options.epsilon), decay);
    }
    setPhase(op, "optimizer");
    parameters.push_back({op->getResult(0), "updated_parameter", name, name});
    for (size_t i = firstState; i < states.size(); ++i)
      states[i].value = op->getResult(1 + i - firstState);
    return op;
  }

  void insertAll(ArrayRef<Update> updates) {
    // Updates behind one op keep the order of their parameters.
    DenseMap<Operation *, Operation *> tails;
    for (const Update &update : updates) {
      Operation *&tail =
          tails.try_emplace(update.last, update.last).first->second;
      tail = insert(update, tail);
    }
  }

  /// Refuses names that a state file or a report could not tell apart.
  LogicalResult checkNames(StringRef what,
                           ArrayRef<DictionaryAttr> dictionaries) {
    llvm::StringSet<> seen;
    for (auto [index, attributes] : llvm::enumerate(dictionaries)) {
      auto name =
          attributes ? attributes.getAs<StringAttr>(attr::kName) : StringAttr();
      if (!name)
        continue;
      if (name.getValue() == "__metadata__")
        return function.emitError()
               << what << " #" << index << " of the step is named " << name
               << ", which state files reserve; choose another "
                  "ringi.name";
      if (!seen.insert(name.getValue()).second)
        return function.emitError()
               << what << " #" << index << " of the step is the second named "
               << name
               << "; loss, step, seed, learning_rate and a parameter's name "
                  "with .grad, .m, .v or .momentum are taken, choose another "
                  "ringi.name";
    }
    return success();
  }

  LogicalResult setSignature(Value loss) {
    SmallVector<StepResult> results{{loss, "loss", "loss", ""}};
    results.append(parameters);
    results.append(states);
    SmallVector<Value> values;
    SmallVector<Type> types;
    SmallVector<DictionaryAttr> attributes;
    for (const StepResult &result : results) {
      values.push_back(result.value);
      types.push_back(result.value.getType());
      SmallVector<NamedAttribute> list{
          builder.getNamedAttr(attr::kName, builder.getStringAttr(result.name)),
          builder.getNamedAttr(attr::kRole,
                               builder.getStringAttr(result.role))};
      if (!result.updates.empty())
        list.push_back(builder.getNamedAttr(
            attr::kUpdates, builder.getStringAttr(result.updates)));
      attributes.push_back(builder.getDictionaryAttr(list));
    }
    body.getTerminator()->setOperands(values);
    function.setType(FunctionType::get(function.getContext(),
                                       body.getArgumentTypes(), types));
    function.setAllArgAttrs(argumentAttributes);
    function.setAllResultAttrs(attributes);
    function->setAttr(attr::kStep, builder.getUnitAttr());
    return failure(failed(checkNames("argument", argumentAttributes)) ||
                   failed(checkNames("result", attributes)));
  }
};
} // namespace

LogicalResult step::finishStep(FunctionOpInterface function,
                               const StepOptions &options, Value loss,
                               const DenseMap<Value, Value> &gradients) {
  StepFinisher finisher(function, options);
  SmallVector<Update> updates;
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    if (!isTrainable(function, i))
      continue;
    BlockArgument parameter = function.getArgument(i);
    Value gradient = gradients.lookup(parameter);
    if (!gradient) {
      function.emitWarning() << "parameter '" << nameOf(function, i) << "' of '"
                             << function.getName()
                             << "' does not reach the loss; it gets no "
                                "gradient and no update";
      continue;
    }
    if (options.optimizer == Optimizer::None)
      finisher.parameters.push_back(
          {gradient, "gradient", nameOf(function, i).str() + ".grad", ""});
    else
      updates.push_back(
          {parameter, gradient, finisher.lastUse(parameter, gradient)});
  }
  finisher.insertAll(updates);
  return finisher.setSignature(loss);
}
