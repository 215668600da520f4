//===- AttributePath.cpp - Integers inside attributes ---------------------===//
//
// Part of Ringi. Builtin attributes by their kind, everything else as text.
//
//===----------------------------------------------------------------------===//

#include "AttributePath.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace ringi;

using Integers = SmallVector<int64_t>;

/// What an attribute that is no builtin container says: the text of a string,
/// of an opaque attribute, or what the attribute prints.
static std::string textOf(Attribute attribute) {
  if (auto text = dyn_cast<StringAttr>(attribute))
    return text.str();
  if (auto opaque = dyn_cast<OpaqueAttr>(attribute))
    return opaque.getAttrData().str();
  std::string text;
  llvm::raw_string_ostream(text) << attribute;
  return text;
}

/// "[1, 2]", "1x2", "1" up to what ends such a list.
static std::optional<Integers> integersOfText(StringRef text) {
  Integers values;
  text = text.ltrim();
  bool bracket = text.consume_front("[");
  for (text = text.ltrim(); !text.empty(); text = text.ltrim()) {
    if (bracket && text.front() == ']')
      return values;
    int64_t value = 0;
    if (text.consumeInteger(10, value))
      return std::nullopt;
    values.push_back(value);
    if (bracket ? text.ltrim().starts_with(",") : text.starts_with("x"))
      text = text.ltrim().drop_front();
    else if (!bracket)
      return values;
  }
  if (bracket || values.empty())
    return std::nullopt;
  return values;
}

static std::optional<Integers> integersOf(Attribute attribute) {
  if (auto array = dyn_cast<DenseI64ArrayAttr>(attribute))
    return Integers(array.asArrayRef());
  if (auto array = dyn_cast<DenseI32ArrayAttr>(attribute))
    return Integers(llvm::map_range(array.asArrayRef(),
                                    [](int32_t v) { return int64_t(v); }));
  if (auto integer = dyn_cast<IntegerAttr>(attribute))
    return integer.getValue().getSignificantBits() <= 64
               ? std::optional(Integers{integer.getValue().getSExtValue()})
               : std::nullopt;
  if (auto dense = dyn_cast<DenseIntElementsAttr>(attribute)) {
    Integers values;
    for (const APInt &value : dense.getValues<APInt>())
      values.push_back(value.sextOrTrunc(64).getSExtValue());
    return values;
  }
  if (auto array = dyn_cast<ArrayAttr>(attribute)) {
    Integers values;
    for (Attribute element : array) {
      auto integer = dyn_cast<IntegerAttr>(element);
      if (!integer)
        return std::nullopt;
      values.push_back(integer.getValue().sextOrTrunc(64).getSExtValue());
    }
    return values;
  }
  // `array<i64>` without elements has no element type that tells it apart.
  if (auto array = dyn_cast<DenseArrayAttr>(attribute); array && array.empty())
    return Integers();
  return integersOfText(textOf(attribute));
}

/// What follows `key =` in `text`, `key` being a whole word.
static std::optional<StringRef> valueInText(StringRef text, StringRef key) {
  for (size_t at = text.find(key); at != StringRef::npos;
       at = text.find(key, at + 1)) {
    auto isWord = [](char c) { return llvm::isAlnum(c) || c == '_'; };
    StringRef rest = text.substr(at + key.size()).ltrim();
    if ((at == 0 || !isWord(text[at - 1])) && rest.consume_front("="))
      return rest;
  }
  return std::nullopt;
}

std::optional<Integers> ringi::readIntegers(Operation *op, StringRef path) {
  auto [name, rest] = path.split('.');
  Attribute attribute = op->getAttr(name);
  while (attribute && !rest.empty()) {
    auto dictionary = dyn_cast<DictionaryAttr>(attribute);
    if (!dictionary) {
      std::string text = textOf(attribute);
      std::optional<StringRef> value = valueInText(text, rest);
      return value ? integersOfText(*value) : std::nullopt;
    }
    std::tie(name, rest) = rest.split('.');
    attribute = dictionary.get(name);
  }
  if (!attribute)
    return std::nullopt;
  return integersOf(attribute);
}

std::optional<std::string> ringi::readLabels(Operation *op, StringRef path) {
  Attribute attribute = op->getAttr(path);
  if (!attribute)
    return std::nullopt;
  std::string text = textOf(attribute), labels;
  // An opaque attribute begins with its own name.
  if (size_t open = text.find('<'); open != std::string::npos)
    text.erase(0, open + 1);
  for (size_t i = 0; i < text.size(); ++i) {
    char c = text[i];
    bool between = c == 'x' && i > 0 && text[i - 1] == ']';
    if (c == '_' || between)
      labels += '_';
    else if (c == '>' && i > 0 && text[i - 1] == '-')
      labels += '>';
    else if (llvm::isAlnum(c))
      labels += c;
  }
  return labels;
}
