//===- ScfModels.cpp - scf takes part -------------------------------------===//
//
// Part of Ringi. A loop or a branch is one op: it may run again when everything
// inside may; inside values are its workspace. A branch reserves the larger of
// its regions, never their sum. Trip counts that are not constant count once.
// A loop's result takes over its init.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;

namespace {

/// A bound as it stands outside of the ringi.recompute region that it entered:
/// a clone counts as many iterations as its origin.
OpFoldResult boundOf(Value value) {
  while (auto argument = dyn_cast<BlockArgument>(value)) {
    auto region =
        dyn_cast_or_null<RecomputeOp>(argument.getOwner()->getParentOp());
    if (!region)
      break;
    value = region->getOperand(argument.getArgNumber());
  }
  return getAsOpFoldResult(value);
}

std::optional<llvm::APInt> tripCountOf(scf::ForOp loop) {
  return constantTripCount(
      boundOf(loop.getLowerBound()), boundOf(loop.getUpperBound()),
      boundOf(loop.getStep()), !loop.getUnsignedCmp(), scf::computeUbMinusLb);
}

template <typename OpTy>
struct RegionsModel
    : RecomputeOpInterface::ExternalModel<RegionsModel<OpTy>, OpTy> {
  static constexpr bool isLoop =
      std::is_same_v<OpTy, scf::ForOp> || std::is_same_v<OpTy, scf::WhileOp>;
  static BodyCost costOf(Region &region) {
    return costOfBody(region,
                      isLoop ? Yielded::BesideResults : Yielded::AreResults);
  }
  bool isRecomputable(Operation *op) const {
    return llvm::all_of(op->getRegions(), [](Region &region) {
      return region.empty() || costOf(region).mayRepeat;
    });
  }
  double getFlops(Operation *op) const {
    double most = 0;
    for (Region &region : op->getRegions())
      most = std::max(most, costOf(region).flops);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (std::optional<llvm::APInt> trips = tripCountOf(loop))
        most *= double(trips->getZExtValue());
    return most;
  }
  int64_t getWorkspaceBytes(Operation *op) const {
    int64_t most = 0;
    for (Region &region : op->getRegions())
      most = std::max(most, costOf(region).peakBytes);
    return most;
  }
  void getInPlacePairs(Operation *op,
                       SmallVectorImpl<InPlaceOperand> &pairs) const {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      for (unsigned i = 0, e = loop.getNumResults(); i < e; ++i)
        pairs.push_back(
            {loop.getInitArgsMutable()[i].getOperandNumber(), i, false});
  }
};

} // namespace

void ringi::registerScfModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attachTo<RegionsModel, scf::ForOp, scf::IfOp, scf::WhileOp,
             scf::IndexSwitchOp, scf::ExecuteRegionOp>(context);
  });
}
