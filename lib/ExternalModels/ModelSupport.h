//===- ModelSupport.h - What the models of dialects share -------*- C++ -*-===//
//
// Part of Ringi. The models that fit many ops: elementwise, data movement,
// views and constants; and attaching one model to a list of ops.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_LIB_EXTERNALMODELS_MODELSUPPORT_H
#define RINGI_LIB_EXTERNALMODELS_MODELSUPPORT_H

#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/DialectRegistry.h"

namespace ringi {

/// Elements of a value of this type: 1 for scalars, 0 when they are unknown.
inline double elementsOf(mlir::Type type) {
  auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
  if (!shaped)
    return 1;
  return shaped.hasStaticShape() ? double(shaped.getNumElements()) : 0;
}

/// True for a constant whose tensor holds one value throughout.
bool isSplatConstant(mlir::Operation *op);

/// One FLOP per element of the result; the result may be written over any
/// operand of its type.
template <typename OpTy>
struct ElementwiseModel
    : RecomputeOpInterface::ExternalModel<ElementwiseModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(mlir::Operation *) const {
    return planner::OpClass::Elementwise;
  }
  double getFlops(mlir::Operation *op) const {
    return elementsOf(op->getResult(0).getType());
  }
  void getInPlacePairs(mlir::Operation *op,
                       llvm::SmallVectorImpl<InPlaceOperand> &pairs) const {
    for (mlir::OpOperand &operand : op->getOpOperands())
      if (operand.get().getType() == op->getResult(0).getType())
        pairs.push_back({operand.getOperandNumber(), 0, false});
  }
};

/// Moves data without computing; never in place.
template <typename OpTy>
struct MoveModel : RecomputeOpInterface::ExternalModel<MoveModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(mlir::Operation *) const {
    return planner::OpClass::Elementwise;
  }
};

/// A constant: a splat is made by whoever reads it, other data is stored.
template <typename OpTy>
struct ConstantModel
    : RecomputeOpInterface::ExternalModel<ConstantModel<OpTy>, OpTy> {
  double getBytesAccessed(mlir::Operation *) const { return 0; }
  bool isMadeByReaders(mlir::Operation *op) const {
    return isSplatConstant(op);
  }
};

/// The result shares the storage of operand 0, from its start.
template <typename OpTy>
struct ViewModel : RecomputeOpInterface::ExternalModel<ViewModel<OpTy>, OpTy> {
  planner::OpClass getOpClass(mlir::Operation *) const {
    return planner::OpClass::View;
  }
  double getBytesAccessed(mlir::Operation *) const { return 0; }
  std::optional<ViewSource> getViewSource(mlir::Operation *, unsigned) const {
    return ViewSource{};
  }
};

/// Attaches Model<Op> to each op of the list.
template <template <typename> class Model, typename... Ops>
void attachTo(mlir::MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

/// What one execution of all ops of a region costs.
struct BodyCost {
  double flops = 0;
  bool mayRepeat = true;
  /// Most bytes of values alive at once inside; values from outside do not
  /// count.
  int64_t peakBytes = 0;
};
enum class Yielded {
  /// The values yielded are the op's results and counted there.
  AreResults,
  /// They exist beside the op's results: the next iteration's values.
  BesideResults
};
BodyCost costOfBody(mlir::Region &region, Yielded yielded);

} // namespace ringi

#endif // RINGI_LIB_EXTERNALMODELS_MODELSUPPORT_H
