//===- Names.cpp - Sizes and names of the program's enums -------*- C++ -*-===//
//
// Part of Ringi. One spelling of every enum for errors, reports and the
// compiler's attributes, and the byte size of a tensor.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/StepProgram.h"

#include <array>
#include <cctype>

using namespace ringi;
using namespace ringi::program;

namespace {

/// "LayerNormBackward" -> "layer_norm_backward". A digit stays in its word and
/// a capital after a capital starts none.
std::string toSnakeCase(const char *name) {
  std::string result;
  for (const char *c = name; *c; ++c) {
    bool isUpper = std::isupper(static_cast<unsigned char>(*c));
    if (isUpper && c != name && std::islower(static_cast<unsigned char>(c[-1])))
      result += '_';
    result += static_cast<char>(std::tolower(static_cast<unsigned char>(*c)));
  }
  return result;
}

/// Snake-case names of the dense enum [0, Count), made once.
template <size_t Count, typename NameOf>
const char *lookUp(size_t index, NameOf nameOf) {
  static const std::array<std::string, Count> names = [&] {
    std::array<std::string, Count> result;
    for (size_t i = 0; i < Count; ++i)
      result[i] = toSnakeCase(nameOf(i));
    return result;
  }();
  return index < Count ? names[index].c_str() : "?";
}

} // namespace

int program::elementBits(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::I64:
    return 64;
  case ElementType::F32:
  case ElementType::I32:
    return 32;
  case ElementType::BF16:
  case ElementType::F16:
    return 16;
  case ElementType::I8:
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
    return 8;
  case ElementType::F4E2M1FN:
    return 4;
  }
  return 0;
}

int64_t program::tensorBytes(ElementType type,
                             const std::vector<uint64_t> &shape) {
  uint64_t bits = elementBits(type);
  if (bits == 0)
    return -1;
  for (uint64_t dimension : shape)
    if (__builtin_mul_overflow(bits, dimension, &bits))
      return -1;
  uint64_t bytes = bits / 8 + (bits % 8 != 0);
  return bytes > static_cast<uint64_t>(INT64_MAX) / 2
             ? -1
             : static_cast<int64_t>(bytes);
}

bool program::isFloat(ElementType type) {
  switch (type) {
  case ElementType::F64:
  case ElementType::F32:
  case ElementType::BF16:
  case ElementType::F16:
    return true;
  default:
    return false;
  }
}

ElementType program::statisticsType(ElementType type) {
  return type == ElementType::F64 ? ElementType::F64 : ElementType::F32;
}

const char *program::toString(ElementType type) {
  constexpr size_t count = size_t(ElementType::MAX) + 1;
  return lookUp<count>(size_t(type),
                       [](size_t i) { return EnumNamesElementType()[i]; });
}
const char *program::toString(OpKind kind) {
  // AdamW is one word in every framework.
  if (kind == OpKind::AdamW)
    return "adamw";
  constexpr size_t count = size_t(OpKind::MAX) + 1;
  return lookUp<count>(size_t(kind),
                       [](size_t i) { return EnumNamesOpKind()[i]; });
}
const char *program::toString(OpClass opClass) {
  constexpr size_t count = size_t(OpClass::MAX) + 1;
  return lookUp<count>(size_t(opClass),
                       [](size_t i) { return EnumNamesOpClass()[i]; });
}
const char *program::toString(Phase phase) {
  constexpr size_t count = size_t(Phase::MAX) + 1;
  return lookUp<count>(size_t(phase),
                       [](size_t i) { return EnumNamesPhase()[i]; });
}
const char *program::toString(Category category) {
  constexpr size_t count = size_t(Category::MAX) + 1;
  return lookUp<count>(size_t(category),
                       [](size_t i) { return EnumNamesCategory()[i]; });
}
const char *program::toString(Role role) {
  constexpr size_t count = size_t(Role::MAX) + 1;
  return lookUp<count>(size_t(role),
                       [](size_t i) { return EnumNamesRole()[i]; });
}
const char *program::toString(Initializer initializer) {
  constexpr size_t count = size_t(Initializer::MAX) + 1;
  return lookUp<count>(size_t(initializer),
                       [](size_t i) { return EnumNamesInitializer()[i]; });
}

std::string program::toString(ElementType type,
                              const std::vector<uint64_t> &shape) {
  std::string result = toString(type);
  result += '[';
  for (size_t i = 0; i < shape.size(); ++i)
    result += (i ? "x" : "") + std::to_string(shape[i]);
  return result + ']';
}

std::string program::describeOp(const StepProgramT &program, size_t op) {
  std::string result = "op " + std::to_string(op);
  if (op >= program.ops.size() || !program.ops[op])
    return result;
  const OpT &description = *program.ops[op];
  result += std::string(" ") + toString(description.kind);
  if (!description.location.empty())
    result += " at " + description.location;
  if (!description.block.empty())
    result += " (" + description.block + ")";
  return result;
}

TensorShape program::shapeOf(const ValueT &value) {
  return {value.element_type,
          std::vector<int64_t>(value.shape.begin(), value.shape.end())};
}
