//===- ShapeOps.cpp - Ops that change the shape ---------------------------===//
//
// Part of Ringi. Folders and patterns, all exact: they move or drop copies and
// views, never arithmetic.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace ringi;

#define GET_OP_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiShapeOps.cpp.inc"

void RingiDialect::registerShapeOps() {
  addOperations<
#define GET_OP_LIST
#include "ringi/Dialect/Ringi/IR/RingiShapeOps.cpp.inc"
      >();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor) {
  if (getX().getType() == getY().getType())
    return getX();
  if (auto inner = getX().getDefiningOp<ReshapeOp>()) {
    getXMutable().assign(inner.getX());
    return getY();
  }
  return {};
}

OpFoldResult SliceOp::fold(FoldAdaptor) {
  return getX().getType() == getY().getType() ? OpFoldResult(getX())
                                              : OpFoldResult();
}

OpFoldResult CastOp::fold(FoldAdaptor) {
  return getX().getType() == getY().getType() ? OpFoldResult(getX())
                                              : OpFoldResult();
}

OpFoldResult TransposeOp::fold(FoldAdaptor) {
  for (auto [index, dim] : llvm::enumerate(getDims()))
    if (dim != static_cast<int64_t>(index))
      return {};
  return getX();
}

/// transpose(transpose(x)) is one transpose.
static LogicalResult composeTransposes(TransposeOp op,
                                       PatternRewriter &rewriter) {
  auto inner = op.getX().getDefiningOp<TransposeOp>();
  if (!inner)
    return failure();
  SmallVector<int64_t> dims;
  for (int64_t dim : op.getDims())
    dims.push_back(inner.getDims()[dim]);
  // The op keeps its phase, block and marks.
  rewriter.modifyOpInPlace(op, [&] {
    op.setDims(dims);
    op.getXMutable().assign(inner.getX());
  });
  return success();
}

void TransposeOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                              MLIRContext *) {
  patterns.add(composeTransposes);
}
