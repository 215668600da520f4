//===- ScfModels.cpp - scf takes part -------------------------------------===//
//
// Part of Ringi. A loop or a branch is one op: it may run again when everything
// inside may; inside values are its workspace. A branch reserves the larger of
// its regions, never their sum. Trip counts that are not constant count once.
// A loop's result takes over its init.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;

namespace {

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
      if (std::optional<llvm::APInt> trips = loop.getStaticTripCount())
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
