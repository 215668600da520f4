//===- OpViews.cpp - Which results share whose storage --------------------===//
//
// Part of Ringi. View facts and in-place pairs of the compute ops.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiOps.h"

using namespace mlir;
using namespace ringi;

/// Byte offset of the part that starts at `start` along `axis`, or nothing when
/// a dimension before `axis` is not 1 and the part is not contiguous.
static std::optional<ViewSource> viewAlong(RankedTensorType type, int64_t axis,
                                           int64_t start) {
  for (int64_t size : type.getShape().take_front(axis))
    if (size != 1)
      return std::nullopt;
  int64_t elements = start;
  for (int64_t size : type.getShape().drop_front(axis + 1))
    elements *= size;
  int64_t bits = elements * type.getElementTypeBitWidth();
  // A part that begins inside a byte (f4) has to be copied.
  if (bits % 8 != 0)
    return std::nullopt;
  return ViewSource{0, bits / 8};
}

std::optional<ViewSource>
ringi::detail::computeViewSource(Operation *op, unsigned resultNumber) {
  if (isa<ReshapeOp>(op))
    return ViewSource{};
  if (auto slice = dyn_cast<SliceOp>(op))
    return viewAlong(cast<RankedTensorType>(slice.getX().getType()),
                     slice.getAxis(), slice.getStart());
  auto split = dyn_cast<SplitOp>(op);
  if (!split)
    return std::nullopt;
  int64_t start = 0;
  for (Value part : split.getParts().take_front(resultNumber))
    start += cast<RankedTensorType>(part.getType()).getDimSize(split.getAxis());
  return viewAlong(cast<RankedTensorType>(split.getX().getType()),
                   split.getAxis(), start);
}

planner::OpClass ringi::detail::computeOpClass(Operation *op,
                                               planner::OpClass stated) {
  if (stated != planner::OpClass::View)
    return stated;
  for (unsigned i = 0; i < op->getNumResults(); ++i)
    if (!ringi::detail::computeViewSource(op, i))
      return planner::OpClass::Elementwise;
  return stated;
}

void ringi::detail::appendInPlacePairs(
    Operation *op, std::initializer_list<InPlaceOperand> allowed,
    SmallVectorImpl<InPlaceOperand> &pairs) {
  for (InPlaceOperand pair : allowed) {
    if (pair.operand >= op->getNumOperands() ||
        pair.result >= op->getNumResults())
      continue;
    std::optional<int64_t> from =
        getStorageBytes(op->getOperand(pair.operand).getType());
    if (!from || from != getStorageBytes(op->getResult(pair.result).getType()))
      continue;
    if (pair.operand == 0 && op->hasAttr("inplace"))
      pair.required = true;
    pairs.push_back(pair);
  }
}

bool ringi::detail::isRecomputable(Operation *op) {
  return isMemoryEffectFree(op) &&
         cast<RecomputeOpInterface>(op).getOpClass() !=
             planner::OpClass::Optimizer;
}
