//===- Formula.cpp - Costs of an op as text -------------------------------===//
//
// Part of Ringi. A recursive-descent parser into a flat list of nodes, and its
// evaluation on one op.
//
//===----------------------------------------------------------------------===//

#include "ringi/OpTable/Formula.h"

#include "AttributePath.h"
#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cmath>

using namespace mlir;

namespace ringi {

/// Parentheses and minus signs may nest this deep.
static constexpr int kMaximumDepth = 64;
static constexpr size_t kMaximumLength = 1000;

class FormulaParser {
public:
  explicit FormulaParser(StringRef text) : text(text) {}

  Expected<Formula> run() {
    // Evaluation recurses along a chain of operators.
    if (text.size() > kMaximumLength)
      return Error::badInput("a formula of " + std::to_string(text.size()) +
                             " characters is longer than " +
                             std::to_string(kMaximumLength));
    int root = sum(0);
    skipSpace();
    if (root >= 0 && at < text.size())
      root = fail("an operator");
    if (root < 0)
      return Error::badInput("formula '" + text.str() + "': " + problem);
    formula.source = text.str();
    return formula;
  }

private:
  using Kind = Formula::Kind;

  /// Remembers the first thing that went wrong; -1 is no node.
  int fail(const Twine &expected) {
    if (problem.empty())
      problem = ("expected " + expected + " at column " + Twine(at + 1)).str();
    return -1;
  }

  void skipSpace() {
    while (at < text.size() && llvm::isSpace(text[at]))
      ++at;
  }
  bool consume(char c) {
    skipSpace();
    if (at >= text.size() || text[at] != c)
      return false;
    ++at;
    return true;
  }
  bool demand(char c) {
    if (consume(c))
      return true;
    fail(Twine("'") + Twine(c) + "'");
    return false;
  }
  StringRef word() {
    skipSpace();
    size_t from = at;
    while (at < text.size() && (llvm::isAlnum(text[at]) || text[at] == '_' ||
                                (text[at] == '.' && at > from)))
      ++at;
    return text.slice(from, at);
  }

  int add(Formula::Node node) {
    formula.nodes.push_back(std::move(node));
    return int(formula.nodes.size()) - 1;
  }
  int binary(Kind kind, int left, int right) {
    if (left < 0 || right < 0)
      return -1;
    Formula::Node node;
    node.kind = kind;
    node.left = left;
    node.right = right;
    return add(node);
  }

  int sum(int depth) {
    int left = product(depth);
    while (left >= 0)
      if (consume('+'))
        left = binary(Kind::Add, left, product(depth));
      else if (consume('-'))
        left = binary(Kind::Subtract, left, product(depth));
      else
        break;
    return left;
  }

  int product(int depth) {
    int left = factor(depth);
    while (left >= 0)
      if (consume('*'))
        left = binary(Kind::Multiply, left, factor(depth));
      else if (consume('/'))
        left = binary(Kind::Divide, left, factor(depth));
      else
        break;
    return left;
  }

  int factor(int depth) {
    if (depth > kMaximumDepth)
      return fail("at most " + Twine(kMaximumDepth) +
                  " nested parentheses and signs");
    if (consume('(')) {
      int inner = sum(depth + 1);
      return inner >= 0 && demand(')') ? inner : -1;
    }
    if (consume('-')) {
      int zero = add({});
      return binary(Kind::Subtract, zero, factor(depth + 1));
    }
    skipSpace();
    if (at < text.size() && llvm::isDigit(text[at]))
      return number();
    return call(depth);
  }

  int number() {
    size_t from = at;
    while (at < text.size() &&
           (llvm::isDigit(text[at]) || text[at] == '.' || text[at] == 'e' ||
            ((text[at] == '+' || text[at] == '-') && text[at - 1] == 'e')))
      ++at;
    Formula::Node node;
    if (text.slice(from, at).getAsDouble(node.number)) {
      at = from;
      return fail("a number");
    }
    return add(node);
  }

  int call(int depth) {
    size_t from = at;
    StringRef name = word();
    if (name == "body_flops") {
      Formula::Node node;
      node.kind = Kind::BodyFlops;
      return add(node);
    }
    static const std::pair<StringRef, Kind> functions[] = {
        {"min", Kind::Minimum},     {"max", Kind::Maximum},
        {"log2", Kind::Logarithm},  {"elements", Kind::Elements},
        {"bytes", Kind::Bytes},     {"dim", Kind::Dimension},
        {"dims", Kind::Dimensions}, {"labelled", Kind::Labelled},
        {"product", Kind::Product}};
    const auto *found = llvm::find_if(
        functions, [&](const auto &entry) { return entry.first == name; });
    if (found == std::end(functions)) {
      at = from;
      return fail("a number, a parenthesis, body_flops, min, max, log2, "
                  "elements, bytes, dim, dims, labelled or product");
    }
    if (!demand('('))
      return -1;
    int node = arguments(found->second, depth);
    return node >= 0 && demand(')') ? node : -1;
  }

  int arguments(Kind kind, int depth) {
    if (kind == Kind::Minimum || kind == Kind::Maximum) {
      int left = sum(depth + 1);
      if (left < 0 || !demand(','))
        return -1;
      return binary(kind, left, sum(depth + 1));
    }
    if (kind == Kind::Logarithm) {
      int inner = sum(depth + 1);
      return binary(kind, inner, inner);
    }
    Formula::Node node;
    node.kind = kind;
    if (kind == Kind::Product)
      return path(node) ? add(node) : -1;
    if (!subject(node.subject))
      return -1;
    if (kind == Kind::Elements || kind == Kind::Bytes)
      return add(node);
    if (node.subject.number < 0)
      return fail("one operand or result before it, not all");
    if (!demand(','))
      return -1;
    if (kind == Kind::Dimension)
      return integer(node.number) ? add(node) : -1;
    if (!path(node))
      return -1;
    if (kind == Kind::Dimensions)
      return add(node);
    if (!demand(',') || !integer(node.number) || !demand(','))
      return -1;
    StringRef label = word();
    if (label.size() != 1)
      return fail("one letter");
    node.label = label.front();
    return add(node);
  }

  bool integer(double &number) {
    bool negative = consume('-');
    skipSpace();
    size_t from = at;
    int value = 0;
    if (word().getAsInteger(10, value)) {
      at = from;
      fail("an integer");
      return false;
    }
    number = negative ? -value : value;
    return true;
  }

  bool path(Formula::Node &node) {
    node.path = word().str();
    if (node.path.empty())
      fail("the name of an attribute");
    return !node.path.empty();
  }

  bool subject(Formula::Subject &subject) {
    size_t from = at;
    StringRef name = word();
    subject.result = name.starts_with("result");
    if (name == "operands" || name == "results") {
      subject.number = -1;
      return true;
    }
    if (name != "operand" && name != "result") {
      at = from;
      fail("operand, operand[N], operands, result, result[N] or results");
      return false;
    }
    if (!consume('['))
      return true;
    double number = 0;
    if (!integer(number))
      return false;
    if (number < 0) {
      fail("a number from 0 on before it");
      return false;
    }
    subject.number = int(number);
    return demand(']');
  }

  StringRef text;
  size_t at = 0;
  std::string problem;
  Formula formula;
};

Expected<Formula> Formula::parse(StringRef text) {
  return FormulaParser(text).run();
}

Expected<double> Formula::evaluate(Operation *op, double bodyFlops) const {
  Expected<double> value = evaluate(nodes.back(), op, bodyFlops);
  if (!value)
    return Error::badInput("formula '" + source +
                           "': " + value.error().message);
  if (!std::isfinite(*value) || *value < 0)
    return Error::badInput("formula '" + source + "' gives " +
                           std::to_string(*value) +
                           ", but costs are finite and not negative");
  return value;
}

static Expected<double> elementsOf(Type type) {
  auto shaped = dyn_cast<ShapedType>(type);
  if (!shaped)
    return 1.0;
  if (shaped.hasStaticShape())
    return double(shaped.getNumElements());
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return Error::badInput("the elements of type " + text + " are not known");
}

/// The dimensions that `dim`, `dims` and `labelled` name.
Expected<SmallVector<int64_t>>
Formula::dimensionsOf(const Node &node, Operation *op, int64_t rank) {
  int64_t number = int64_t(node.number);
  if (node.kind == Kind::Dimension)
    return SmallVector<int64_t>{number < 0 ? number + rank : number};
  if (node.kind == Kind::Dimensions)
    return readIntegers(op, node.path).value_or(SmallVector<int64_t>());
  std::optional<std::string> labels = readLabels(op, node.path);
  if (!labels)
    return Error::badInput("attribute '" + node.path + "' does not exist");
  SmallVector<StringRef> groups;
  llvm::SplitString(*labels, groups, "_>");
  size_t place = number >= 0 && number < int64_t(groups.size())
                     ? groups[number].find(node.label)
                     : StringRef::npos;
  if (place == StringRef::npos)
    return Error::badInput("attribute '" + node.path + "' has no label '" +
                           std::string(1, node.label) + "' in group " +
                           std::to_string(number));
  return SmallVector<int64_t>{int64_t(place)};
}

/// Elements, bytes or a product of dimensions of what the node is about.
Expected<double> Formula::sizeOf(const Node &node, Operation *op) {
  TypeRange types = node.subject.result ? TypeRange(op->getResultTypes())
                                        : TypeRange(op->getOperandTypes());
  std::string what = std::string(node.subject.result ? "result[" : "operand[") +
                     std::to_string(node.subject.number) + "]";
  if (node.subject.number >= int(types.size()))
    return Error::badInput(what + " does not exist");
  if (node.subject.number >= 0)
    types = types.slice(node.subject.number, 1);

  double value = 0;
  if (node.kind == Kind::Bytes) {
    for (Type type : types)
      value += double(getStorageBytes(type).value_or(0));
    return value;
  }
  if (node.kind == Kind::Elements) {
    for (Type type : types) {
      Expected<double> elements = elementsOf(type);
      if (!elements)
        return elements;
      value += *elements;
    }
    return value;
  }

  auto shaped = dyn_cast<ShapedType>(types.front());
  if (!shaped || !shaped.hasStaticShape())
    return Error::badInput(what + " has no static shape");
  Expected<SmallVector<int64_t>> dimensions =
      dimensionsOf(node, op, shaped.getRank());
  if (!dimensions)
    return dimensions.error();
  value = 1;
  for (int64_t dimension : *dimensions) {
    if (dimension < 0 || dimension >= shaped.getRank())
      return Error::badInput(what + " has " + std::to_string(shaped.getRank()) +
                             " dimensions, no dimension " +
                             std::to_string(dimension));
    value *= double(shaped.getDimSize(dimension));
  }
  return value;
}

Expected<double> Formula::evaluate(const Node &node, Operation *op,
                                   double bodyFlops) const {
  switch (node.kind) {
  case Kind::Number:
    return node.number;
  case Kind::BodyFlops:
    return bodyFlops;
  case Kind::Product: {
    double product = 1;
    for (int64_t value :
         readIntegers(op, node.path).value_or(SmallVector<int64_t>()))
      product *= double(value);
    return product;
  }
  case Kind::Elements:
  case Kind::Bytes:
  case Kind::Dimension:
  case Kind::Dimensions:
  case Kind::Labelled:
    return sizeOf(node, op);
  default:
    break;
  }
  Expected<double> left = evaluate(nodes[node.left], op, bodyFlops);
  if (!left)
    return left;
  if (node.kind == Kind::Logarithm)
    return std::log2(*left);
  Expected<double> right = evaluate(nodes[node.right], op, bodyFlops);
  if (!right)
    return right;
  switch (node.kind) {
  case Kind::Add:
    return *left + *right;
  case Kind::Subtract:
    return *left - *right;
  case Kind::Multiply:
    return *left * *right;
  case Kind::Divide:
    return *left / *right;
  case Kind::Minimum:
    return std::min(*left, *right);
  default:
    return std::max(*left, *right);
  }
}

} // namespace ringi
