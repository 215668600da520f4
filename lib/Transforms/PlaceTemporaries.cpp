//===- PlaceTemporaries.cpp - Destinations and splats at their readers ----===//
//
// Part of Ringi. Makes true for bufferization what the plan counts: nobody
// shares a destination or a splat.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Interfaces/RingiInterfaces.h"
#include "ringi/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Matchers.h"

namespace ringi {
#define GEN_PASS_DEF_PLACETEMPORARIES
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

class TemporaryPlacer {
public:
  explicit TemporaryPlacer(FunctionOpInterface function)
      : function(function), builder(function->getContext()) {}

  void run() {
    SmallVector<Operation *> readers, makers;
    function->walk([&](Operation *op) {
      if (op == function)
        return;
      bool made =
          op->getNumResults() == 1 && (isScalarConstant(op->getResult(0)) ||
                                       isMadeByReaders(op->getResult(0)));
      (made ? makers : readers).push_back(op);
    });
    for (Operation *reader : readers) {
      if (reader->getParentOp() == function &&
          reader->hasTrait<OpTrait::IsTerminator>())
        continue;
      builder.setInsertionPoint(reader);
      DenseMap<Value, Value> here;
      for (OpOperand &operand : reader->getOpOperands())
        if (isMadeByReaders(operand.get()))
          operand.set(makeHere(operand.get(), here));
    }
    for (Operation *maker : llvm::reverse(makers))
      if (maker->use_empty())
        maker->erase();
  }

private:
  Value makeHere(Value value, DenseMap<Value, Value> &here) {
    if (isScalarConstant(value))
      return value;
    if (Value known = here.lookup(value))
      return known;
    Operation *op = value.getDefiningOp();
    if (op->hasTrait<OpTrait::ConstantLike>())
      return here[value] = makeSplat(value);
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand,
                  isMadeByReaders(operand) ? makeHere(operand, here) : operand);
    return here[value] = builder.clone(*op, mapping)->getResult(0);
  }

  Value makeSplat(Value constant) {
    SplatElementsAttr content;
    matchPattern(constant, m_Constant(&content));
    Location loc = constant.getLoc();
    auto scalar = arith::ConstantOp::materialize(
        builder, content.getSplatValue<Attribute>(), content.getElementType(),
        loc);
    if (!scalar)
      return constant;
    return tensor::SplatOp::create(builder, loc, scalar.getResult(),
                                   constant.getType());
  }

  FunctionOpInterface function;
  OpBuilder builder;
};

struct PlaceTemporariesPass
    : ringi::impl::PlaceTemporariesBase<PlaceTemporariesPass> {
  using PlaceTemporariesBase::PlaceTemporariesBase;

  void runOnOperation() override {
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface each : *functions)
      TemporaryPlacer(each).run();
  }
};

} // namespace
