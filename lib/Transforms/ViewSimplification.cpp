//===- ViewSimplification.cpp - Views that stock passes leave alone -------===//
//
// Part of Ringi. Folds chains of views, merges equal ones and drops dead ones.
//
//===----------------------------------------------------------------------===//

#include "ViewSimplification.h"

#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <unordered_map>

using namespace mlir;
using namespace ringi;

/// Asks the interface alone: stock passes touch no op of a dialect that is not
/// loaded, so what an op table knows of has to stay as well.
static bool isView(Operation &op) {
  auto known = dyn_cast<RecomputeOpInterface>(op);
  return known && op.getNumResults() == 1 && op.getNumRegions() == 0 &&
         known.getViewSource(0) && isMemoryEffectFree(&op);
}

static void foldViews(Block &block) {
  for (Operation &op : block) {
    SmallVector<OpFoldResult> results;
    // Success without results: the op now reads what its operand viewed.
    while (isView(op) && succeeded(op.fold(results)) && results.empty())
      ;
    if (results.size() == 1)
      if (auto value = dyn_cast<Value>(results.front()))
        op.getResult(0).replaceAllUsesWith(value);
  }
}

static void mergeEqualViews(Block &block) {
  std::unordered_map<size_t, SmallVector<Operation *, 1>> seen;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    if (!isView(op))
      continue;
    SmallVector<Operation *, 1> &equals =
        seen[OperationEquivalence::computeHash(
            &op, OperationEquivalence::directHashValue,
            OperationEquivalence::ignoreHashValue,
            OperationEquivalence::IgnoreLocations)];
    Operation **first = llvm::find_if(equals, [&](Operation *other) {
      return OperationEquivalence::isEquivalentTo(
          &op, other, OperationEquivalence::IgnoreLocations);
    });
    if (first == equals.end()) {
      equals.push_back(&op);
      continue;
    }
    op.replaceAllUsesWith(*first);
    op.erase();
  }
}

void ringi::simplifyViews(Block &block) {
  foldViews(block);
  mergeEqualViews(block);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isView(op) && op.use_empty())
      op.erase();
}
