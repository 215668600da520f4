//===- LinalgModels.cpp - linalg takes part -------------------------------===//
//
// Part of Ringi. One model for every structured op: the iteration space times
// the arithmetic of the body. A fill is made by whoever reads it.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace ringi;

namespace {

template <typename OpTy>
struct StructuredModel
    : RecomputeOpInterface::ExternalModel<StructuredModel<OpTy>, OpTy> {
  bool isRecomputable(Operation *op) const {
    return isMemoryEffectFree(op) &&
           cast<linalg::LinalgOp>(op).hasPureTensorSemantics();
  }

  planner::OpClass getOpClass(Operation *op) const {
    auto structured = cast<linalg::LinalgOp>(op);
    if (linalg::isaConvolutionOpInterface(structured))
      return planner::OpClass::Convolution;
    if (linalg::isaContractionOpInterface(structured))
      return planner::OpClass::Gemm;
    return structured.getNumReductionLoops() > 0
               ? planner::OpClass::Reduction
               : planner::OpClass::Elementwise;
  }

  double getFlops(Operation *op) const {
    auto structured = cast<linalg::LinalgOp>(op);
    double iterations = 1;
    for (int64_t size : structured.getStaticLoopRanges())
      iterations *= ShapedType::isDynamic(size) ? 1 : double(size);
    double perIteration = 0;
    for (Operation &inner : structured.getBlock()->without_terminator())
      if (!inner.hasTrait<OpTrait::ConstantLike>() &&
          !isa<linalg::IndexOp>(inner))
        perIteration += 1;
    return iterations * perIteration;
  }

  /// Tensors that the body reads by index and makes itself.
  int64_t getWorkspaceBytes(Operation *op) const {
    llvm::SetVector<Value> captured;
    getUsedValuesDefinedAbove(op->getRegions(), captured);
    int64_t bytes = 0;
    for (Value value : captured)
      if (ringi::isMadeByReaders(value))
        bytes += getStorageBytes(value.getType()).value_or(0);
    return bytes;
  }

  bool isMadeByReaders(Operation *op) const {
    return isa<linalg::FillOp>(op) && isRecomputable(op);
  }

  /// Destination style: a result takes over its init when that dies.
  void getInPlacePairs(Operation *op,
                       SmallVectorImpl<InPlaceOperand> &pairs) const {
    auto structured = cast<linalg::LinalgOp>(op);
    unsigned result = 0;
    for (OpOperand &init : structured.getDpsInitsMutable())
      if (isa<TensorType>(init.get().getType()))
        pairs.push_back({init.getOperandNumber(), result++, false});
  }
};

/// Maximum, difference, exponential, sum and quotient.
template <typename OpTy>
struct SoftmaxModel
    : RecomputeOpInterface::ExternalModel<SoftmaxModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(Operation *) const {
    return planner::OpClass::Normalization;
  }
  double getFlops(Operation *op) const {
    return 5 * elementsOf(op->getOperand(0).getType());
  }
  void getInPlacePairs(Operation *,
                       SmallVectorImpl<InPlaceOperand> &pairs) const {
    pairs.push_back({1, 0, false});
  }
};

template <typename... Ops> void attachStructured(MLIRContext *context) {
  attachTo<StructuredModel, Ops...>(context);
}

} // namespace

void ringi::registerLinalgModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, linalg::LinalgDialect *) {
    attachStructured<
#define GET_OP_LIST
#include "mlir/Dialect/Linalg/IR/LinalgStructuredOps.cpp.inc"
        >(context);
    attachTo<SoftmaxModel, linalg::SoftmaxOp>(context);
    attachTo<MoveModel, linalg::PackOp, linalg::UnPackOp>(context);
  });
}
