//===- GradientUtils.cpp - Shared pieces of the gradient rules ------------===//
//
// Part of Ringi.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

using namespace mlir;
using namespace ringi;

Value ringi::sumToShape(OpBuilder &builder, Location loc, Value gradient,
                        Value operand) {
  int64_t extra =
      tensorType(gradient).getRank() - tensorType(operand).getRank();
  if (extra == 0)
    return gradient;
  return ReduceSumOp::create(builder, loc, gradient,
                             llvm::to_vector(llvm::seq<int64_t>(0, extra)));
}

FailureOr<Value> ringi::onlyFirstGradient(Operation *op,
                                          ArrayRef<Value> gradients,
                                          StringRef first) {
  for (auto [index, gradient] : llvm::enumerate(gradients.drop_front()))
    if (gradient)
      return op->emitOpError()
             << "result #" << index + 1
             << " is a statistic without a gradient rule, but the loss depends "
                "on it; use result #0 ("
             << first << ") or cut it by ringi.detach";
  return gradients.front();
}
