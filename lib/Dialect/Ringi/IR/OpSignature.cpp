//===- OpSignature.cpp - Ops as the step program knows them ---------------===//
//
// Part of Ringi. Verification and workspace of the compute ops, both by the
// functions that the program's loader and the kernels use themselves.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/KernelSignature.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Program/KernelWorkspace.h"
#include "ringi/Program/StepProgram_generated.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;
using namespace ringi;
using program::ElementType;
using program::OpKind;

/// "LayerNormBackward" and "layer_norm_backward" spell the same kind.
static std::string normalize(StringRef name) {
  std::string letters;
  for (char c : name)
    if (c != '_')
      letters += llvm::toLower(c);
  return letters;
}

std::optional<OpKind> ringi::getKernelKind(Operation *op) {
  static const llvm::StringMap<OpKind> kinds = [] {
    llvm::StringMap<OpKind> map;
    for (OpKind kind : program::EnumValuesOpKind())
      map[normalize(program::EnumNameOpKind(kind))] = kind;
    return map;
  }();
  if (!isa_and_nonnull<RingiDialect>(op->getDialect()))
    return std::nullopt;
  auto it = kinds.find(normalize(op->getName().stripDialect()));
  if (it == kinds.end())
    return std::nullopt;
  return it->second;
}

std::optional<ElementType> ringi::getProgramElementType(Type type) {
  if (type.isF64())
    return ElementType::F64;
  if (type.isF32())
    return ElementType::F32;
  if (type.isBF16())
    return ElementType::BF16;
  if (type.isF16())
    return ElementType::F16;
  if (type.isSignlessInteger(64))
    return ElementType::I64;
  if (type.isSignlessInteger(32))
    return ElementType::I32;
  if (type.isSignlessInteger(8))
    return ElementType::I8;
  if (isa<Float8E4M3FNType>(type))
    return ElementType::F8E4M3FN;
  if (isa<Float8E5M2Type>(type))
    return ElementType::F8E5M2;
  if (isa<Float4E2M1FNType>(type))
    return ElementType::F4E2M1FN;
  return std::nullopt;
}

std::optional<program::TensorShape> ringi::getTensorShape(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return std::nullopt;
  std::optional<ElementType> element =
      getProgramElementType(tensor.getElementType());
  if (!element)
    return std::nullopt;
  return program::TensorShape{
      *element, {tensor.getShape().begin(), tensor.getShape().end()}};
}

program::AttributesT ringi::getKernelAttributes(Operation *op) {
  program::AttributesT attributes;
  auto flag = [&](StringRef name, bool &field) { field = op->hasAttr(name); };
  auto integer = [&](StringRef name, auto &field) {
    if (auto value = op->getAttrOfType<IntegerAttr>(name))
      field = value.getInt();
  };
  auto real = [&](StringRef name, double &field) {
    if (auto value = op->getAttrOfType<FloatAttr>(name))
      field = value.getValueAsDouble();
  };
  flag("transpose_a", attributes.transpose_a);
  flag("transpose_b", attributes.transpose_b);
  flag("causal", attributes.causal);
  flag("approximate_tanh", attributes.approximate_tanh);
  flag("nesterov", attributes.nesterov);
  flag("sum_a", attributes.sum_a);
  integer("axis", attributes.axis);
  integer("start", attributes.start);
  if (auto dims = op->getAttrOfType<DenseI64ArrayAttr>("dims"))
    attributes.dims.assign(dims.asArrayRef().begin(), dims.asArrayRef().end());
  real("factor", attributes.factor);
  real("epsilon", attributes.epsilon);
  real("probability", attributes.probability);
  integer("random_id", attributes.random_id);
  real("beta1", attributes.beta1);
  real("beta2", attributes.beta2);
  real("weight_decay", attributes.weight_decay);
  real("momentum", attributes.momentum);
  return attributes;
}

/// Shapes of a list of values; empty when one has none.
static std::optional<std::vector<program::TensorShape>>
shapesOf(TypeRange types) {
  std::vector<program::TensorShape> shapes;
  for (Type type : types) {
    std::optional<program::TensorShape> shape = getTensorShape(type);
    if (!shape)
      return std::nullopt;
    shapes.push_back(std::move(*shape));
  }
  return shapes;
}

/// Views and `reduce_mean` have no kind of their own.
static LogicalResult verifyWithoutKind(Operation *op) {
  if (isa<ReduceMeanOp>(op)) {
    Status status = program::checkSignature(
        OpKind::ReduceSum, getKernelAttributes(op),
        *shapesOf(op->getOperandTypes()), *shapesOf(op->getResultTypes()));
    return status ? success() : op->emitOpError() << status.error().message;
  }
  auto from = cast<RankedTensorType>(op->getOperand(0).getType());
  if (auto split = dyn_cast<SplitOp>(op)) {
    int64_t axis = split.getAxis();
    if (axis < 0 || axis >= from.getRank())
      return op->emitOpError()
             << "attribute axis is " << axis << ", expected 0 to "
             << from.getRank() << " (exclusive)";
    int64_t total = 0;
    for (Value part : split.getParts()) {
      auto type = cast<RankedTensorType>(part.getType());
      if (type.getRank() != from.getRank())
        return op->emitOpError()
               << "part is " << type << ", expected rank " << from.getRank();
      SmallVector<int64_t> shape(from.getShape());
      shape[axis] = type.getDimSize(axis);
      if (type != withShape(from, shape))
        return op->emitOpError()
               << "part is " << type << ", expected " << withShape(from, shape);
      total += type.getDimSize(axis);
    }
    if (total != from.getDimSize(axis))
      return op->emitOpError()
             << "parts have " << total << " elements along "
             << "axis " << axis << ", expected " << from.getDimSize(axis);
    return success();
  }
  auto to = cast<RankedTensorType>(op->getResult(0).getType());
  if (from.getElementType() != to.getElementType())
    return op->emitOpError() << "result is " << to << ", expected elements of "
                             << from.getElementType();
  if (from.getNumElements() != to.getNumElements())
    return op->emitOpError() << "result has " << to.getNumElements()
                             << " elements, expected " << from.getNumElements();
  return success();
}

LogicalResult ringi::detail::verifySignature(Operation *op) {
  std::optional<OpKind> kind = getKernelKind(op);
  if (!kind)
    return verifyWithoutKind(op);
  std::optional<std::vector<program::TensorShape>> operands =
      shapesOf(op->getOperandTypes());
  std::optional<std::vector<program::TensorShape>> results =
      shapesOf(op->getResultTypes());
  if (!operands || !results)
    return op->emitOpError()
           << "has a tensor whose element type no kernel reads";
  Status status = program::checkSignature(*kind, getKernelAttributes(op),
                                          *operands, *results);
  return status ? success() : op->emitOpError() << status.error().message;
}

int64_t ringi::detail::computeWorkspaceBytes(Operation *op) {
  // In a program `reduce_mean` is `reduce_sum` and a scale in place.
  std::optional<OpKind> kind =
      isa<ReduceMeanOp>(op) ? OpKind::ReduceSum : getKernelKind(op);
  if (!kind)
    return 0;
  std::optional<std::vector<program::TensorShape>> operands =
      shapesOf(op->getOperandTypes());
  std::optional<std::vector<program::TensorShape>> results =
      shapesOf(op->getResultTypes());
  if (!operands || !results)
    return 0;
  return program::kernelWorkspaceBytes(*kind, *operands, *results);
}

Type ringi::getStatisticsType(Type elementType) {
  return elementType.isF64() ? elementType
                             : Float32Type::get(elementType.getContext());
}

RankedTensorType ringi::withShape(RankedTensorType type,
                                  ArrayRef<int64_t> shape) {
  return RankedTensorType::get(shape, type.getElementType(),
                               type.getEncoding());
}
