//===- TosaModels.cpp - tosa takes part -----------------------------------===//
//
// Part of Ringi. Products and convolutions with their FLOPs; the rest is
// elementwise, reduces, moves or is a view.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace ringi;

namespace {

/// Two FLOPs for each result element and each element it sums over: the
/// product of the weights' dimensions but the one of the result's channels.
template <typename OpTy, bool isConvolution>
struct ProductModel
    : RecomputeOpInterface::ExternalModel<ProductModel<OpTy, isConvolution>,
                                          OpTy> {
  planner::OpClass getOpClass(Operation *) const {
    return isConvolution ? planner::OpClass::Convolution
                         : planner::OpClass::Gemm;
  }
  double getFlops(Operation *op) const {
    auto result = cast<ShapedType>(op->getResult(0).getType());
    auto first = dyn_cast<ShapedType>(op->getOperand(0).getType());
    auto second = dyn_cast<ShapedType>(op->getOperand(1).getType());
    if (!result.hasStaticShape() || !first.hasStaticShape() ||
        !second.hasStaticShape())
      return 0;
    if (!isConvolution)
      return 2.0 * double(result.getNumElements()) *
             double(first.getShape().back());
    // OHWI weights; depthwise ones are HWCM: each result channel sums HW.
    double summed = double(second.getNumElements());
    summed /= isa<tosa::DepthwiseConv2DOp>(op)
                  ? double(second.getDimSize(2) * second.getDimSize(3))
                  : double(second.getDimSize(0));
    return 2.0 * double(result.getNumElements()) * summed;
  }
};
template <typename OpTy> using GemmModel = ProductModel<OpTy, false>;
template <typename OpTy> using ConvolutionModel = ProductModel<OpTy, true>;

/// One FLOP per element read.
template <typename OpTy>
struct ReduceModel
    : RecomputeOpInterface::ExternalModel<ReduceModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(Operation *) const {
    return planner::OpClass::Reduction;
  }
  double getFlops(Operation *op) const {
    return elementsOf(op->getOperand(0).getType());
  }
};

/// One FLOP per element of each window.
template <typename OpTy>
struct PoolModel : RecomputeOpInterface::ExternalModel<PoolModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(Operation *) const {
    return planner::OpClass::Reduction;
  }
  double getFlops(Operation *op) const {
    double window = 1;
    for (int64_t size : cast<OpTy>(op).getKernel())
      window *= double(size);
    return window * elementsOf(op->getResult(0).getType());
  }
};

} // namespace

void ringi::registerTosaModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, tosa::TosaDialect *) {
    attachTo<ElementwiseModel, tosa::AddOp, tosa::SubOp, tosa::MulOp,
             tosa::AbsOp, tosa::ExpOp, tosa::LogOp, tosa::TanhOp,
             tosa::SigmoidOp, tosa::ErfOp, tosa::SinOp, tosa::CosOp,
             tosa::ClampOp, tosa::NegateOp, tosa::PowOp, tosa::ReciprocalOp,
             tosa::RsqrtOp, tosa::SelectOp, tosa::MaximumOp, tosa::MinimumOp,
             tosa::GreaterOp, tosa::GreaterEqualOp, tosa::EqualOp, tosa::CastOp,
             tosa::CeilOp, tosa::FloorOp, tosa::IntDivOp, tosa::LogicalAndOp,
             tosa::LogicalOrOp, tosa::LogicalNotOp, tosa::BitwiseAndOp,
             tosa::BitwiseOrOp, tosa::BitwiseXorOp, tosa::BitwiseNotOp,
             tosa::LogicalXorOp, tosa::LogicalLeftShiftOp,
             tosa::LogicalRightShiftOp, tosa::ArithmeticRightShiftOp,
             tosa::ClzOp, tosa::RescaleOp, tosa::TableOp>(context);
    attachTo<GemmModel, tosa::MatMulOp>(context);
    attachTo<ConvolutionModel, tosa::Conv2DOp, tosa::Conv3DOp,
             tosa::DepthwiseConv2DOp, tosa::TransposeConv2DOp>(context);
    attachTo<ReduceModel, tosa::ReduceSumOp, tosa::ReduceMaxOp,
             tosa::ReduceMinOp, tosa::ReduceProductOp, tosa::ReduceAllOp,
             tosa::ReduceAnyOp, tosa::ArgMaxOp>(context);
    attachTo<PoolModel, tosa::AvgPool2dOp, tosa::MaxPool2dOp>(context);
    attachTo<ConstantModel, tosa::ConstOp>(context);
    attachTo<ViewModel, tosa::ReshapeOp, tosa::IdentityOp>(context);
    attachTo<MoveModel, tosa::TransposeOp, tosa::ConcatOp, tosa::PadOp,
             tosa::SliceOp, tosa::TileOp, tosa::GatherOp, tosa::ScatterOp,
             tosa::ReverseOp, tosa::ResizeOp>(context);
  });
}
