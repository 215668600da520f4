//===- StepPreparation.cpp - Flat bodies, marks and parts of steps --------===//
//
// Part of Ringi. Questions that planning asks of a function before it reads it,
// and the regions that only group.
//
//===----------------------------------------------------------------------===//

#include "StepPreparation.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiOps.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace ringi;

void ringi::flattenGroups(Block &body) {
  SmallVector<std::pair<Operation *, std::string>> stack;
  for (Operation &op : llvm::make_early_inc_range(body)) {
    if (!isa<BlockOp, NoGradOp>(op))
      continue;
    stack.push_back({&op, ""});
    while (!stack.empty()) {
      auto [group, path] = stack.pop_back_val();
      if (auto block = dyn_cast<BlockOp>(group))
        path += (Twine(path.empty() ? "" : "/") + block.getLabel()).str();
      Block &inner = group->getRegion(0).front();
      for (Operation &member : inner.without_terminator()) {
        if (isa<BlockOp, NoGradOp>(member))
          stack.push_back({&member, path});
        else if (!path.empty() && !member.hasAttr(attr::kBlock))
          member.setAttr(attr::kBlock,
                         StringAttr::get(member.getContext(), path));
      }
      Operation *yield = inner.getTerminator();
      group->replaceAllUsesWith(yield->getOperands());
      yield->erase();
      group->getBlock()->getOperations().splice(Block::iterator(group),
                                                inner.getOperations());
      group->erase();
    }
  }
}

bool ringi::isPartOfStep(FunctionOpInterface function) {
  auto symbol = dyn_cast<SymbolOpInterface>(function.getOperation());
  if (!symbol || !symbol.isPrivate())
    return false;
  return !function
              ->walk([](Operation *op) {
                return op->hasAttr(attr::kPhase) ? WalkResult::interrupt()
                                                 : WalkResult::advance();
              })
              .wasInterrupted();
}

bool ringi::hasRecompute(FunctionOpInterface step) {
  return step->walk([](RecomputeOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}
bool ringi::hasMarks(FunctionOpInterface step) {
  return step
      ->walk([&](Operation *op) {
        bool marked =
            op != step.getOperation() &&
            llvm::any_of(op->getDiscardableAttrs(), [](NamedAttribute mark) {
              return mark.getName().strref().starts_with("ringi.");
            });
        return marked ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}
bool ringi::hasGroups(FunctionOpInterface step) {
  return llvm::any_of(step.getFunctionBody().front(),
                      [](Operation &op) { return isa<BlockOp, NoGradOp>(op); });
}
