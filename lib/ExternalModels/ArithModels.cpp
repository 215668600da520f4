//===- ArithModels.cpp - arith takes part ---------------------------------===//
//
// Part of Ringi. Everything but constants is elementwise; a splat constant is
// made by whoever reads it.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace ringi;

namespace {

template <typename OpTy> void attachOne(MLIRContext *context) {
  if constexpr (std::is_same_v<OpTy, arith::ConstantOp>)
    attachTo<ConstantModel, OpTy>(context);
  else
    attachTo<ElementwiseModel, OpTy>(context);
}

template <typename... Ops> void attachAll(MLIRContext *context) {
  (attachOne<Ops>(context), ...);
}

} // namespace

void ringi::registerArithModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, arith::ArithDialect *) {
    attachAll<
#define GET_OP_LIST
#include "mlir/Dialect/Arith/IR/ArithOps.cpp.inc"
        >(context);
  });
}
