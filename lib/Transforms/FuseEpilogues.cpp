//===- FuseEpilogues.cpp - Gelu and sums inside matrix products -----------===//
//
// Part of Ringi. Every fused op stands where the product stood: in a step an
// update may overwrite the product's weight right behind it.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Transforms/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace ringi {
#define GEN_PASS_DEF_FUSEEPILOGUES
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

/// Both in one part of the step and in one block of the model.
static bool standTogether(Operation *a, Operation *b) {
  return a->getBlock() == b->getBlock() &&
         a->getAttr(attr::kPhase) == b->getAttr(attr::kPhase) &&
         a->getAttr(attr::kBlock) == b->getAttr(attr::kBlock);
}

/// The product that made `value`, when `reader` may join it.
static MatmulOp productOf(Value value, Operation *reader) {
  auto product = value.getDefiningOp<MatmulOp>();
  return product && standTogether(product, reader) ? product : MatmulOp();
}

static void fuseGelu(GeluOp gelu) {
  MatmulOp product = productOf(gelu.getX(), gelu);
  // Without another reader the preactivation would take memory for nothing.
  if (!product || gelu.getInplace() || product.getResult().hasOneUse())
    return;
  OpBuilder builder(product);
  auto fused = MatmulGeluOp::create(
      builder, product.getLoc(), product.getA(), product.getB(),
      product.getBias(), product.getTransposeA(), product.getTransposeB(),
      gelu.getApproximateTanh());
  fused->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  gelu.replaceAllUsesWith(fused.getResult());
  gelu.erase();
  product.replaceAllUsesWith(fused.getPreactivation());
  product.erase();
}

/// Brings `value` in front of `op` if it is not there: a load may move up to
/// its save.
static bool makeAvailable(Value value, Operation *op) {
  Operation *source = value.getDefiningOp();
  if (!source || source->isBeforeInBlock(op))
    return true;
  auto load = dyn_cast<LoadOp>(source);
  Operation *save = load ? load->getOperand(0).getDefiningOp() : nullptr;
  if (!save || save->getBlock() != op->getBlock() || !save->isBeforeInBlock(op))
    return false;
  load->moveBefore(op);
  return true;
}

static void fuseGeluBackward(GeluBackwardOp backward) {
  MatmulOp product = productOf(backward.getDy(), backward);
  if (!product || product.getBias() || !product.getResult().hasOneUse() ||
      !makeAvailable(backward.getSaved(), product))
    return;
  OpBuilder builder(product);
  auto fused = MatmulGeluBackwardOp::create(
      builder, product.getLoc(), product.getType(), product.getA(),
      product.getB(), backward.getSaved(), product.getTransposeA(),
      product.getTransposeB(), backward.getApproximateTanh());
  fused->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  backward.replaceAllUsesWith(fused.getResult());
  backward.erase();
  product.erase();
}

/// The product of a transposed matrix with another that contracts the rows of
/// `gradient`, taken as a matrix; `sumA` says which of the two that is.
static MatmulOp weightGradientOf(Value gradient, ReduceSumOp sum, bool &sumA) {
  int64_t columns =
      cast<RankedTensorType>(gradient.getType()).getShape().back();
  SmallVector<Value> matrices{gradient};
  for (Operation *user : gradient.getUsers())
    if (auto reshape = dyn_cast<ReshapeOp>(user))
      matrices.push_back(reshape->getResult(0));
  MatmulOp first;
  for (Value matrix : matrices) {
    auto type = cast<RankedTensorType>(matrix.getType());
    if (type.getRank() != 2 || type.getShape().back() != columns)
      continue;
    for (Operation *user : matrix.getUsers()) {
      auto product = dyn_cast<MatmulOp>(user);
      if (!product || product.getBias() || !product.getTransposeA() ||
          product.getTransposeB() || !standTogether(product, sum) ||
          !product->isBeforeInBlock(sum) ||
          (first && first->isBeforeInBlock(product)) ||
          cast<RankedTensorType>(product.getA().getType()).getRank() != 2 ||
          cast<RankedTensorType>(product.getB().getType()).getRank() != 2)
        continue;
      first = product;
      sumA = product.getB() != matrix;
    }
  }
  return first;
}

static void fuseBiasGradient(ReduceSumOp sum) {
  auto result = cast<RankedTensorType>(sum.getResult().getType());
  Value gradient = sum.getOperand();
  auto type = cast<RankedTensorType>(gradient.getType());
  if (result.getRank() != 1 || type.getRank() < 2 ||
      llvm::is_contained(sum.getDims(), type.getRank() - 1))
    return;
  bool sumA = false;
  MatmulOp product = weightGradientOf(gradient, sum, sumA);
  if (!product)
    return;
  OpBuilder builder(product);
  auto fused = MatmulBiasGradientOp::create(
      builder, product.getLoc(), product.getType(), result, product.getA(),
      product.getB(), sumA);
  fused->setDiscardableAttrs(product->getDiscardableAttrDictionary());
  sum.replaceAllUsesWith(fused.getBiasGradient());
  sum.erase();
  product.replaceAllUsesWith(fused.getResult());
  product.erase();
}

namespace {
struct FuseEpiloguesPass : ringi::impl::FuseEpiloguesBase<FuseEpiloguesPass> {
  void runOnOperation() override {
    getOperation()->walk<WalkOrder::PreOrder>(
        [&](FunctionOpInterface function) {
          if (!function.isExternal() && function->hasAttr(attr::kStep))
            for (Operation &op : llvm::make_early_inc_range(
                     function.getFunctionBody().front())) {
              if (auto gelu = dyn_cast<GeluOp>(op))
                fuseGelu(gelu);
              else if (auto backward = dyn_cast<GeluBackwardOp>(op))
                fuseGeluBackward(backward);
              else if (auto sum = dyn_cast<ReduceSumOp>(op))
                fuseBiasGradient(sum);
            }
          return WalkResult::skip();
        });
  }
};
} // namespace
