//===- ScfModels.cpp - scf takes part -------------------------------------===//
//
// Part of Ringi. A loop or a branch is one op: it may run again when everything
// inside may; inside values are its workspace. A branch reserves the larger of
// its regions, never their sum. Trip counts that are not constant count once.
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
  bool isRecomputable(Operation *op) const {
    return llvm::all_of(op->getRegions(), [](Region &region) {
      return region.empty() || costOfBody(region).mayRepeat;
    });
  }
  double getFlops(Operation *op) const {
    double most = 0;
    for (Region &region : op->getRegions())
      most = std::max(most, costOfBody(region).flops);
    if (auto loop = dyn_cast<scf::ForOp>(op))
      if (std::optional<llvm::APInt> trips = loop.getStaticTripCount())
        most *= double(trips->getZExtValue());
    return most;
  }
  int64_t getWorkspaceBytes(Operation *op) const {
    int64_t most = 0;
    for (Region &region : op->getRegions())
      most = std::max(most, costOfBody(region).peakBytes);
    return most;
  }
};

} // namespace

void ringi::registerScfModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, scf::SCFDialect *) {
    attachTo<RegionsModel, scf::ForOp, scf::IfOp, scf::WhileOp>(context);
  });
}
