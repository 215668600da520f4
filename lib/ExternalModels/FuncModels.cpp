//===- FuncModels.cpp - func.call takes part ------------------------------===//
//
// Part of Ringi. A call of a function of the same module is summarised by its
// body: FLOPs, workspace, and whether it may run again. Calls of declarations
// and recursive ones stay unknown. Run --inline first to plan inside.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace ringi;

namespace {

template <typename OpTy>
struct CallModel : RecomputeOpInterface::ExternalModel<CallModel<OpTy>, OpTy> {
  static BodyCost costOf(Operation *op) {
    BodyCost unknown;
    unknown.mayRepeat = false;
    auto call = cast<func::CallOp>(op);
    auto callee = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        op, call.getCalleeAttr());
    if (!callee || callee.isExternal())
      return unknown;
    // A callee that calls again may be recursive; inlining resolves the rest.
    if (callee.walk([](func::CallOp) { return WalkResult::interrupt(); })
            .wasInterrupted())
      return unknown;
    return costOfBody(callee.getBody(), Yielded::AreResults);
  }
  bool isRecomputable(Operation *op) const { return costOf(op).mayRepeat; }
  double getFlops(Operation *op) const { return costOf(op).flops; }
  int64_t getWorkspaceBytes(Operation *op) const {
    return costOf(op).peakBytes;
  }
};

} // namespace

void ringi::registerFuncModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, func::FuncDialect *) {
    attachTo<CallModel, func::CallOp>(context);
  });
}
