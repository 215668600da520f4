//===- MathModels.cpp - math takes part -----------------------------------===//
//
// Part of Ringi. Every op is elementwise.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace ringi;

template <typename... Ops> static void attachAll(MLIRContext *context) {
  attachTo<ElementwiseModel, Ops...>(context);
}

void ringi::registerMathModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachAll<
#define GET_OP_LIST
#include "mlir/Dialect/Math/IR/MathOps.cpp.inc"
        >(context);
  });
}
