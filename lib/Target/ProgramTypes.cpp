//===- ProgramTypes.cpp - Kinds, attributes and types of a program --------===//
//
// Part of Ringi. The names of ops and attributes in the dialect are those of
// the program, so one table each is enough (docs/operations.md).
//
//===----------------------------------------------------------------------===//

#include "ringi/Target/ProgramExport.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/StringMap.h"

#include <cstring>

using namespace mlir;
using namespace ringi;

std::optional<program::OpKind> ringi::programKind(Operation *op) {
  static const llvm::StringMap<program::OpKind> kinds = [] {
    llvm::StringMap<program::OpKind> table;
    for (program::OpKind kind : program::EnumValuesOpKind())
      table[program::toString(kind)] = kind;
    return table;
  }();
  if (op->getName().getDialectNamespace() != "ringi")
    return std::nullopt;
  auto it = kinds.find(op->getName().stripDialect());
  if (it == kinds.end())
    return std::nullopt;
  return it->second;
}

StringRef ringi::programAttributes(Operation *op,
                                   program::AttributesT &attributes) {
  auto number = [](Attribute value) {
    if (auto real = dyn_cast<FloatAttr>(value))
      return real.getValueAsDouble();
    return double(cast<IntegerAttr>(value).getInt());
  };
  for (NamedAttribute named : op->getAttrDictionary()) {
    StringRef name = named.getName();
    Attribute value = named.getValue();
    if (name.starts_with("ringi.") || name == "operandSegmentSizes" ||
        name == "resultSegmentSizes" || name == "inplace")
      continue;
    if (isa<UnitAttr>(value)) {
      bool *flag = llvm::StringSwitch<bool *>(name)
                       .Case("transpose_a", &attributes.transpose_a)
                       .Case("transpose_b", &attributes.transpose_b)
                       .Case("causal", &attributes.causal)
                       .Case("approximate_tanh", &attributes.approximate_tanh)
                       .Case("nesterov", &attributes.nesterov)
                       .Case("sum_a", &attributes.sum_a)
                       .Default(nullptr);
      if (!flag)
        return name;
      *flag = true;
    } else if (auto dims = dyn_cast<DenseI64ArrayAttr>(value);
               dims && name == "dims") {
      attributes.dims.assign(dims.asArrayRef().begin(),
                             dims.asArrayRef().end());
    } else if (isa<FloatAttr>(value)) {
      double *field = llvm::StringSwitch<double *>(name)
                          .Case("factor", &attributes.factor)
                          .Case("epsilon", &attributes.epsilon)
                          .Case("probability", &attributes.probability)
                          .Case("beta1", &attributes.beta1)
                          .Case("beta2", &attributes.beta2)
                          .Case("weight_decay", &attributes.weight_decay)
                          .Case("momentum", &attributes.momentum)
                          .Default(nullptr);
      if (!field)
        return name;
      *field = number(value);
    } else if (auto integer = dyn_cast<IntegerAttr>(value)) {
      if (name == "axis")
        attributes.axis = integer.getInt();
      else if (name == "start")
        attributes.start = integer.getInt();
      else if (name == "random_id")
        attributes.random_id = uint64_t(integer.getInt());
      else
        return name;
    } else {
      return name;
    }
  }
  return {};
}

std::optional<program::TensorShape> ringi::programShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || tensor.getRank() > 8)
    return std::nullopt;
  using program::ElementType;
  Type element = tensor.getElementType();
  std::optional<ElementType> kind;
  if (element.isF64())
    kind = ElementType::F64;
  else if (element.isF32())
    kind = ElementType::F32;
  else if (element.isBF16())
    kind = ElementType::BF16;
  else if (element.isF16())
    kind = ElementType::F16;
  else if (element.isInteger(64))
    kind = ElementType::I64;
  else if (element.isInteger(32))
    kind = ElementType::I32;
  else if (element.isInteger(8))
    kind = ElementType::I8;
  if (!kind)
    return std::nullopt;
  return program::TensorShape{
      *kind,
      std::vector<int64_t>(tensor.getShape().begin(), tensor.getShape().end())};
}

std::optional<program::SegmentData> ringi::constantBytes(Attribute constant) {
  auto dense = dyn_cast_or_null<DenseElementsAttr>(constant);
  if (!dense || !programShape(dense.getType()))
    return std::nullopt;
  ArrayRef<char> raw = dense.getRawData();
  program::SegmentData bytes;
  int64_t copies = dense.isSplat() ? dense.getNumElements() : 1;
  bytes.reserve(raw.size() * copies);
  for (int64_t i = 0; i < copies; ++i)
    for (char byte : raw)
      bytes.push_back(std::byte(byte));
  return bytes;
}

program::SegmentData ringi::filledBytes(program::ElementType type,
                                        int64_t elements, double value) {
  using program::ElementType;
  llvm::APInt bits;
  auto real = [&](const llvm::fltSemantics &semantics) {
    llvm::APFloat number(value);
    bool lost = false;
    number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &lost);
    bits = number.bitcastToAPInt();
  };
  switch (type) {
  case ElementType::F64:
    real(llvm::APFloat::IEEEdouble());
    break;
  case ElementType::BF16:
    real(llvm::APFloat::BFloat());
    break;
  case ElementType::F16:
    real(llvm::APFloat::IEEEhalf());
    break;
  case ElementType::F32:
    real(llvm::APFloat::IEEEsingle());
    break;
  default:
    bits = llvm::APInt(64, uint64_t(int64_t(value)));
    break;
  }
  size_t width = size_t(program::elementBits(type)) / 8;
  program::SegmentData bytes(width * size_t(elements));
  uint64_t word = bits.getZExtValue();
  for (int64_t i = 0; i < elements; ++i)
    std::memcpy(bytes.data() + size_t(i) * width, &word, width);
  return bytes;
}
