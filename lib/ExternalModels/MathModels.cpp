//===- MathModels.cpp - math takes part -----------------------------------===//
//
// Part of Ringi. Every op is elementwise.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"
#include "ringi/ExternalModels/ExternalModels.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

void ringi::registerMathModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, math::MathDialect *) {
    attachTo<ElementwiseModel, math::AbsFOp, math::AbsIOp, math::AtanOp,
             math::Atan2Op, math::CbrtOp, math::CeilOp, math::CopySignOp,
             math::CosOp, math::CoshOp, math::SinOp, math::SinhOp, math::TanOp,
             math::TanhOp, math::ErfOp, math::ExpOp, math::Exp2Op,
             math::ExpM1Op, math::FloorOp, math::FmaOp, math::LogOp,
             math::Log10Op, math::Log1pOp, math::Log2Op, math::PowFOp,
             math::FPowIOp, math::IPowIOp, math::RsqrtOp, math::SqrtOp,
             math::RoundOp, math::RoundEvenOp, math::TruncOp>(context);
  });
}
