//===- TensorModels.cpp - tensor takes part -------------------------------===//
//
// Part of Ringi. Reshapes and slices share their source's storage; destinations
// and splats are made by whoever reads them; the rest moves data.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace ringi;

namespace {

/// The slice's bytes lie in the source's storage; their start is known for
/// static offsets.
template <typename OpTy>
struct SliceModel
    : RecomputeOpInterface::ExternalModel<SliceModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(Operation *) const {
    return planner::OpClass::View;
  }
  double getBytesAccessed(Operation *) const { return 0; }
  std::optional<ViewSource> getViewSource(Operation *op, unsigned) const {
    auto slice = cast<tensor::ExtractSliceOp>(op);
    RankedTensorType source = slice.getSourceType();
    ViewSource view;
    std::optional<int64_t> bytes = getStorageBytes(source);
    if (!bytes || !source.hasStaticShape() || source.getNumElements() == 0)
      return view;
    int64_t stride = *bytes / source.getNumElements();
    for (int64_t i = source.getRank() - 1; i >= 0; --i) {
      int64_t offset = slice.getStaticOffsets()[i];
      if (ShapedType::isDynamic(offset))
        return ViewSource{};
      view.byteOffset += offset * stride;
      stride *= source.getDimSize(i);
    }
    return view;
  }
};

/// The result is the destination with a part replaced: written over it when it
/// dies.
template <typename OpTy>
struct InsertModel
    : RecomputeOpInterface::ExternalModel<InsertModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(Operation *) const {
    return planner::OpClass::Elementwise;
  }
  void getInPlacePairs(Operation *op,
                       SmallVectorImpl<InPlaceOperand> &pairs) const {
    pairs.push_back({1, 0, false});
  }
};

/// Holds nothing that was computed: a destination or one value throughout.
template <typename OpTy>
struct MadeModel : RecomputeOpInterface::ExternalModel<MadeModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(Operation *) const {
    return planner::OpClass::Elementwise;
  }
  bool isMadeByReaders(Operation *) const { return true; }
};

/// Reads one element or a size.
template <typename OpTy>
struct ProbeModel
    : RecomputeOpInterface::ExternalModel<ProbeModel<OpTy>, OpTy> {
  double getBytesAccessed(Operation *) const { return 0; }
  bool isMadeByReaders(Operation *) const { return true; }
};

} // namespace

void ringi::registerTensorModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tensor::TensorDialect *) {
    attachTo<ViewModel, tensor::CastOp, tensor::BitcastOp,
             tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::ReshapeOp>(
        context);
    attachTo<SliceModel, tensor::ExtractSliceOp>(context);
    attachTo<InsertModel, tensor::InsertSliceOp, tensor::InsertOp>(context);
    attachTo<MoveModel, tensor::PadOp, tensor::ConcatOp, tensor::GatherOp,
             tensor::ScatterOp, tensor::FromElementsOp, tensor::GenerateOp>(
        context);
    attachTo<MadeModel, tensor::EmptyOp, tensor::SplatOp>(context);
    attachTo<ProbeModel, tensor::ExtractOp, tensor::DimOp, tensor::RankOp>(
        context);
  });
}
