//===- ShapeInference.cpp - Result types of the compute ops ---------------===//
//
// Part of Ringi. Infers what follows from operands and attributes, so that a
// builder states nothing twice. Inference only refuses what it cannot index;
// agreement of the operands is the verifier's.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

using namespace mlir;
using namespace ringi;

using OptionalLocation = std::optional<Location>;
using Types = SmallVectorImpl<Type>;

static RankedTensorType tensorType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static LogicalResult requireRank(OptionalLocation location, StringRef name,
                                 RankedTensorType type, int64_t rank) {
  if (type.getRank() >= rank)
    return success();
  return emitOptionalError(location, name, " is ", type, ", expected rank ",
                           rank, " or more");
}

/// Statistics of each row of `type`.
static RankedTensorType rowStatistics(RankedTensorType type) {
  return RankedTensorType::get(type.getShape().drop_back(),
                               getStatisticsType(type.getElementType()));
}

static RankedTensorType lossType(RankedTensorType type) {
  return RankedTensorType::get({}, getStatisticsType(type.getElementType()));
}

/// The product of a and b of a matmul or an op that fuses one.
template <typename Adaptor>
static LogicalResult inferProduct(OptionalLocation location, Adaptor adaptor,
                                  Types &types) {
  RankedTensorType a = tensorType(adaptor.getA());
  RankedTensorType b = tensorType(adaptor.getB());
  if (failed(requireRank(location, "a", a, 2)) ||
      failed(requireRank(location, "b", b, 2)))
    return failure();
  SmallVector<int64_t> shape(a.getShape().drop_back(2));
  shape.push_back(
      a.getShape()[a.getRank() - (adaptor.getTransposeA() ? 1 : 2)]);
  shape.push_back(
      b.getShape()[b.getRank() - (adaptor.getTransposeB() ? 2 : 1)]);
  types.push_back(withShape(a, shape));
  return success();
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *,
                                         OptionalLocation location,
                                         Adaptor adaptor, Types &types) {
  return inferProduct(location, adaptor, types);
}

LogicalResult MatmulGeluOp::inferReturnTypes(MLIRContext *,
                                             OptionalLocation location,
                                             Adaptor adaptor, Types &types) {
  if (failed(inferProduct(location, adaptor, types)))
    return failure();
  types.push_back(types.front());
  return success();
}

LogicalResult AttentionOp::inferReturnTypes(MLIRContext *,
                                            OptionalLocation location,
                                            Adaptor adaptor, Types &types) {
  RankedTensorType q = tensorType(adaptor.getQ());
  if (failed(requireRank(location, "q", q, 1)))
    return failure();
  types.append({q, rowStatistics(q)});
  return success();
}

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *,
                                            OptionalLocation location,
                                            Adaptor adaptor, Types &types) {
  RankedTensorType table = tensorType(adaptor.getTable());
  if (failed(requireRank(location, "table", table, 1)))
    return failure();
  SmallVector<int64_t> shape(tensorType(adaptor.getIds()).getShape());
  shape.push_back(table.getShape().back());
  types.push_back(withShape(table, shape));
  return success();
}

LogicalResult LayerNormOp::inferReturnTypes(MLIRContext *,
                                            OptionalLocation location,
                                            Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  if (failed(requireRank(location, "x", x, 1)))
    return failure();
  types.append({x, rowStatistics(x), rowStatistics(x)});
  return success();
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *,
                                          OptionalLocation location,
                                          Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  if (failed(requireRank(location, "x", x, 1)))
    return failure();
  types.append({x, rowStatistics(x)});
  return success();
}

LogicalResult CrossEntropyOp::inferReturnTypes(MLIRContext *,
                                               OptionalLocation location,
                                               Adaptor adaptor, Types &types) {
  RankedTensorType logits = tensorType(adaptor.getLogits());
  if (failed(requireRank(location, "logits", logits, 1)))
    return failure();
  types.append({lossType(logits), rowStatistics(logits)});
  return success();
}

LogicalResult MseOp::inferReturnTypes(MLIRContext *, OptionalLocation,
                                      Adaptor adaptor, Types &types) {
  types.push_back(lossType(tensorType(adaptor.getPrediction())));
  return success();
}

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            OptionalLocation location,
                                            Adaptor adaptor, Types &types) {
  RankedTensorType x = tensorType(adaptor.getX());
  SmallVector<int64_t> shape;
  for (int64_t dim : adaptor.getDims()) {
    if (dim < 0 || dim >= x.getRank())
      return emitOptionalError(location, "attribute dims has ", dim,
                               ", expected dimensions below ", x.getRank());
    shape.push_back(x.getDimSize(dim));
  }
  types.push_back(withShape(x, shape));
  return success();
}

LogicalResult ConcatOp::inferReturnTypes(MLIRContext *,
                                         OptionalLocation location,
                                         Adaptor adaptor, Types &types) {
  if (adaptor.getParts().empty())
    return emitOptionalError(location, "has 0 operands, expected 1 or more");
  RankedTensorType first = tensorType(adaptor.getParts().front());
  int64_t axis = adaptor.getAxis();
  if (axis < 0 || axis >= first.getRank())
    return emitOptionalError(location, "attribute axis is ", axis,
                             ", expected 0 to ", first.getRank(),
                             " (exclusive)");
  SmallVector<int64_t> shape(first.getShape());
  shape[axis] = 0;
  for (Value part : adaptor.getParts()) {
    RankedTensorType type = tensorType(part);
    if (type.getRank() != first.getRank())
      return emitOptionalError(location, "part is ", type, ", expected rank ",
                               first.getRank());
    shape[axis] += type.getDimSize(axis);
  }
  types.push_back(withShape(first, shape));
  return success();
}

static LogicalResult inferReduction(OptionalLocation location,
                                    RankedTensorType x, ArrayRef<int64_t> dims,
                                    Types &types) {
  SmallVector<int64_t> shape;
  for (int64_t dim : dims)
    if (dim < 0 || dim >= x.getRank())
      return emitOptionalError(location, "attribute dims has ", dim,
                               ", expected dimensions below ", x.getRank());
  for (int64_t dim = 0; dim < x.getRank(); ++dim)
    if (!llvm::is_contained(dims, dim))
      shape.push_back(x.getDimSize(dim));
  types.push_back(withShape(x, shape));
  return success();
}

LogicalResult ReduceSumOp::inferReturnTypes(MLIRContext *,
                                            OptionalLocation location,
                                            Adaptor adaptor, Types &types) {
  return inferReduction(location, tensorType(adaptor.getX()), adaptor.getDims(),
                        types);
}

LogicalResult ReduceMeanOp::inferReturnTypes(MLIRContext *,
                                             OptionalLocation location,
                                             Adaptor adaptor, Types &types) {
  return inferReduction(location, tensorType(adaptor.getX()), adaptor.getDims(),
                        types);
}

LogicalResult AdamWOp::inferReturnTypes(MLIRContext *, OptionalLocation,
                                        Adaptor adaptor, Types &types) {
  types.append({adaptor.getParam().getType(), adaptor.getM().getType(),
                adaptor.getV().getType()});
  if (adaptor.getMaster())
    types.push_back(adaptor.getMaster().getType());
  return success();
}
