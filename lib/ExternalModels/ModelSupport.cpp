//===- ModelSupport.cpp - What the models of dialects share ---------------===//
//
// Part of Ringi. Cost of a region that runs as a part of one op.
//
//===----------------------------------------------------------------------===//

#include "ModelSupport.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;

BodyCost ringi::costOfBody(Region &region) {
  BodyCost cost;
  if (!llvm::hasSingleElement(region)) {
    cost.mayRepeat = region.empty();
    return cost;
  }
  int64_t live = 0;
  DenseMap<Value, Operation *> lastUse;
  for (Operation &op : region.front())
    for (Value operand : op.getOperands())
      lastUse[operand] = &op;
  for (Operation &op : region.front().without_terminator()) {
    auto known = dyn_cast<RecomputeOpInterface>(op);
    cost.mayRepeat &= op.hasTrait<OpTrait::ConstantLike>() ||
                      (known && known.isRecomputable());
    int64_t scratch = 0;
    if (known) {
      cost.flops += known.getFlops();
      scratch = known.getWorkspaceBytes();
    }
    auto bytesOf = [&](Value value) {
      auto own = dyn_cast<OpResult>(value);
      if (!own || own.getOwner()->getBlock() != &region.front())
        return int64_t(0);
      if (auto source = dyn_cast<RecomputeOpInterface>(own.getOwner());
          source && source.getViewSource(own.getResultNumber()))
        return int64_t(0);
      return getStorageBytes(value.getType()).value_or(0);
    };
    for (Value result : op.getResults())
      live += bytesOf(result);
    cost.peakBytes = std::max(cost.peakBytes, live + scratch);
    llvm::SmallDenseSet<Value> seen;
    for (Value operand : op.getOperands())
      if (lastUse.lookup(operand) == &op && seen.insert(operand).second)
        live -= bytesOf(operand);
    for (Value result : op.getResults())
      if (result.use_empty())
        live -= bytesOf(result);
  }
  return cost;
}
