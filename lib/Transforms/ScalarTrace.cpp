//===- ScalarTrace.cpp - Integers of a loop, iteration by iteration -------===//
//
// Part of Ringi. An op of a loaded dialect is folded with constant operands; an
// op of another dialect computes what the op table says.
//
//===----------------------------------------------------------------------===//

#include "ScalarTrace.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace ringi;

/// Longer loops are left alone: their rows would be compared one by one.
static constexpr int64_t kMaximumTrips = int64_t(1) << 14;
/// Numbers of 32 bits do not wrap below this.
static constexpr int64_t kMaximumNumber = int64_t(1) << 31;

bool ringi::isIntegerScalar(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensor.getRank() == 0 && tensor.getElementType().isIntOrIndex();
  return type.isIntOrIndex();
}

/// The number, unless it might wrap in values of this type.
static std::optional<int64_t> inType(int64_t number, Type type) {
  if (type.isInteger(1))
    return int64_t(number != 0);
  int64_t limit = kMaximumNumber;
  if (auto integer = dyn_cast<IntegerType>(type))
    limit =
        std::min(limit, int64_t(1) << std::min(integer.getWidth() - 1, 31u));
  bool fits =
      number < limit && number >= (type.isUnsignedInteger() ? 0 : -limit);
  return fits ? std::optional(number) : std::nullopt;
}

namespace {

class Tracer {
public:
  using Numbers = DenseMap<Value, int64_t>;
  explicit Tracer(const OpModel &model) : model(model) {}

  /// A number that does not depend on any loop.
  std::optional<int64_t> constantOf(Value value, int depth = 0) {
    Operation *op = value.getDefiningOp();
    if (!op || depth > 32 || !isIntegerScalar(value.getType()))
      return std::nullopt;
    Numbers numbers;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> number = constantOf(operand, depth + 1);
      if (!number)
        return std::nullopt;
      numbers[operand] = *number;
    }
    return evaluate(op, numbers);
  }

  /// The one result of `op`; nothing when an operand or the op is not known.
  std::optional<int64_t> evaluate(Operation *op, const Numbers &numbers) {
    if (op->getNumResults() != 1 || op->getNumRegions() != 0 ||
        !isIntegerScalar(op->getResult(0).getType()))
      return std::nullopt;
    std::optional<int64_t> number = model.getScalarConstant(op);
    if (!number) {
      SmallVector<int64_t> operands;
      for (Value operand : op->getOperands()) {
        auto it = numbers.find(operand);
        if (it == numbers.end())
          return std::nullopt;
        operands.push_back(it->second);
      }
      const OpEntry *entry = model.entryOf(op);
      number = entry ? compute(op, *entry, operands) : fold(op, operands);
    }
    if (!number)
      return std::nullopt;
    return inType(*number, getElementTypeOrSelf(op->getResult(0).getType()));
  }

private:
  static std::optional<int64_t> compute(Operation *op, const OpEntry &entry,
                                        ArrayRef<int64_t> numbers) {
    switch (entry.integer) {
    case IntegerOp::None:
      return std::nullopt;
    case IntegerOp::Copy:
      return numbers.size() == 1 ? std::optional(numbers[0]) : std::nullopt;
    case IntegerOp::Select:
      if (numbers.size() != 3)
        return std::nullopt;
      return numbers[0] ? numbers[1] : numbers[2];
    default:
      break;
    }
    if (numbers.size() != 2)
      return std::nullopt;
    int64_t a = numbers[0], b = numbers[1];
    switch (entry.integer) {
    case IntegerOp::Add:
      return a + b;
    case IntegerOp::Subtract:
      return a - b;
    case IntegerOp::Multiply:
      return a * b;
    case IntegerOp::Minimum:
      return std::min(a, b);
    case IntegerOp::Maximum:
      return std::max(a, b);
    default:
      return compare(op, entry, a, b);
    }
  }

  static std::optional<int64_t> compare(Operation *op, const OpEntry &entry,
                                        int64_t a, int64_t b) {
    std::string printed;
    if (Attribute attribute = op->getAttr(entry.comparison))
      llvm::raw_string_ostream(printed) << attribute;
    StringRef word = StringRef(printed).rtrim(">\" ");
    word = word.take_back(2);
    std::optional<bool> holds = llvm::StringSwitch<std::optional<bool>>(word)
                                    .Case("LT", a < b)
                                    .Case("LE", a <= b)
                                    .Case("GT", a > b)
                                    .Case("GE", a >= b)
                                    .Case("EQ", a == b)
                                    .Case("NE", a != b)
                                    .Default(std::nullopt);
    return holds ? std::optional(int64_t(*holds)) : std::nullopt;
  }

  static std::optional<int64_t> fold(Operation *op, ArrayRef<int64_t> numbers) {
    if (op->getNumOperands() == 0 || !op->isRegistered())
      return std::nullopt;
    SmallVector<Attribute> operands;
    for (auto [operand, number] : llvm::zip(op->getOperands(), numbers)) {
      Type type = operand.getType();
      Attribute attribute =
          IntegerAttr::get(getElementTypeOrSelf(type), number);
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        attribute = DenseElementsAttr::get(tensor, attribute);
      operands.push_back(attribute);
    }
    // A folder may change its op.
    Operation *copy = op->clone();
    SmallVector<OpFoldResult> results;
    std::optional<int64_t> number;
    if (succeeded(copy->fold(operands, results)) && results.size() == 1) {
      if (auto value = dyn_cast<Value>(results[0])) {
        for (auto [operand, given] : llvm::zip(copy->getOperands(), numbers))
          if (operand == value)
            number = given;
      } else if (auto integer =
                     dyn_cast<IntegerAttr>(cast<Attribute>(results[0]))) {
        number = integer.getValue().sextOrTrunc(64).getSExtValue();
      } else if (auto dense = dyn_cast<DenseIntElementsAttr>(
                     cast<Attribute>(results[0]));
                 dense && dense.getNumElements() == 1) {
        number =
            dense.getSplatValue<llvm::APInt>().sextOrTrunc(64).getSExtValue();
      }
    }
    copy->erase();
    return number;
  }

  const OpModel &model;
};

} // namespace

Expected<ScalarTrace> ScalarTrace::of(const CarriedLoop &loop,
                                      const OpModel &model) {
  ScalarTrace trace;
  Tracer tracer(model);
  Tracer::Numbers carried;
  for (unsigned i = 0; i < loop.size(); ++i)
    if (std::optional<int64_t> number = tracer.constantOf(loop.init(i)))
      carried[loop.argument(i)] = *number;

  // Constants that a body reads from outside.
  llvm::MapVector<Value, int64_t> outer;
  for (Block *block : {loop.body(), loop.condition()}) {
    if (!block)
      continue;
    for (Operation &op : *block)
      for (Value operand : op.getOperands())
        if (operand.getParentRegion() != block->getParent())
          if (std::optional<int64_t> number = tracer.constantOf(operand))
            outer[operand] = *number;
  }

  // A loop with bounds, or one that asks its condition.
  Value induction;
  int64_t lower = 0, step = 1;
  std::optional<int64_t> trips;
  if (!loop.condition()) {
    auto known = cast<LoopLikeOpInterface>(loop.op());
    std::optional<Value> variable = known.getSingleInductionVar();
    auto number = [&](std::optional<OpFoldResult> bound) {
      std::optional<int64_t> value;
      if (!bound)
        return value;
      if (auto given = dyn_cast<Value>(*bound))
        return tracer.constantOf(given);
      if (auto given = dyn_cast<IntegerAttr>(cast<Attribute>(*bound)))
        value = given.getInt();
      return value;
    };
    std::optional<int64_t> from = number(known.getSingleLowerBound());
    std::optional<int64_t> to = number(known.getSingleUpperBound());
    std::optional<int64_t> by = number(known.getSingleStep());
    if (!variable || !from || !to || !by || *by <= 0)
      return Error::badInput("its bounds are not constant");
    induction = *variable;
    lower = *from;
    step = *by;
    trips = *to > *from ? (*to - *from + *by - 1) / *by : 0;
    if (*trips > kMaximumTrips)
      return Error::badInput("it has " + std::to_string(*trips) +
                             " iterations, but only loops of at most " +
                             std::to_string(kMaximumTrips) + " are followed");
  }
  auto goesOn = [&]() -> std::optional<bool> {
    if (trips)
      return trace.numTrips < *trips;
    Block *condition = loop.condition();
    Tracer::Numbers numbers;
    for (auto [value, number] : outer)
      numbers[value] = number;
    for (unsigned i = 0; i < loop.size(); ++i)
      if (auto it = carried.find(loop.argument(i)); it != carried.end())
        numbers[condition->getArgument(i)] = it->second;
    for (Operation &op : *condition)
      if (std::optional<int64_t> number = tracer.evaluate(&op, numbers))
        numbers[op.getResult(0)] = *number;
    auto it = numbers.find(condition->back().getOperand(0));
    if (it == numbers.end())
      return std::nullopt;
    return it->second != 0;
  };

  SmallVector<Operation *> scalars;
  for (Operation &op : *loop.body())
    if (op.getNumResults() == 1 && op.getNumRegions() == 0 &&
        isIntegerScalar(op.getResult(0).getType()))
      scalars.push_back(&op);
  while (true) {
    std::optional<bool> again = goesOn();
    if (!again)
      return Error::badInput("its trip count is not constant");
    if (!*again)
      break;
    if (trace.numTrips == kMaximumTrips)
      return Error::badInput("it has more than " +
                             std::to_string(kMaximumTrips) +
                             " iterations, the most that are followed");
    Tracer::Numbers numbers = carried;
    for (auto [value, number] : outer)
      numbers[value] = number;
    if (induction)
      numbers[induction] = lower + trace.numTrips * step;
    auto note = [&](Value value) {
      auto it = numbers.find(value);
      if (it == numbers.end())
        return;
      Sequence &sequence = trace.sequences[value];
      // One iteration that is not known and the value counts as unknown.
      if (int64_t(sequence.size()) == trace.numTrips)
        sequence.push_back(it->second);
    };
    for (BlockArgument argument : loop.body()->getArguments())
      note(argument);
    for (Operation *op : scalars)
      if (std::optional<int64_t> number = tracer.evaluate(op, numbers)) {
        numbers[op->getResult(0)] = *number;
        note(op->getResult(0));
      }
    carried.clear();
    for (unsigned i = 0; i < loop.size(); ++i)
      if (auto it = numbers.find(loop.yielded(i).get()); it != numbers.end())
        carried[loop.argument(i)] = it->second;
    ++trace.numTrips;
  }
  for (auto [value, number] : outer)
    trace.sequences[value] = Sequence(trace.numTrips, number);
  trace.sequences.remove_if([&](const auto &entry) {
    return int64_t(entry.second.size()) != trace.numTrips;
  });
  return trace;
}
