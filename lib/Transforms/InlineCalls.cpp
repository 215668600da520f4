//===- InlineCalls.cpp - The functions that a step calls ------------------===//
//
// Part of Ringi. Copies the one block of each function that is called to where
// it is called.
//
//===----------------------------------------------------------------------===//

#include "InlineCalls.h"

#include "ringi/Analysis/AttributeNames.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace ringi;

/// Operations that a step may have after inlining: a few functions that call
/// each other twice give billions.
static constexpr int64_t kMaximumOps = int64_t(1) << 22;

/// The block that `op` calls, when it can stand in the place of the call.
static Block *calledBlock(Operation *op, SymbolTableCollection &symbols) {
  auto call = dyn_cast<CallOpInterface>(op);
  if (!call)
    return nullptr;
  for (StringRef own : {attr::kCost, attr::kRecomputable, attr::kBytes,
                        attr::kMustKeep, attr::kMustRecompute})
    if (op->hasAttr(own))
      return nullptr;
  auto name = dyn_cast<SymbolRefAttr>(call.getCallableForCallee());
  if (!name)
    return nullptr;
  auto callee = dyn_cast_or_null<FunctionOpInterface>(
      symbols.lookupNearestSymbolFrom(op, name));
  if (!callee || callee.isExternal() ||
      !llvm::hasSingleElement(callee.getFunctionBody()))
    return nullptr;
  Block &block = callee.getFunctionBody().front();
  bool fits =
      block.getArgumentTypes() == TypeRange(call.getArgOperands()) &&
      block.getTerminator()->hasTrait<OpTrait::ReturnLike>() &&
      TypeRange(block.getTerminator()->getOperands()) == op->getResultTypes();
  return fits ? &block : nullptr;
}

namespace {

/// A call to inline and the calls it came out of.
struct PendingCall {
  Operation *op;
  int outer;
};

class CallInliner {
public:
  explicit CallInliner(FunctionOpInterface function) : function(function) {}

  LogicalResult run(Block &body) {
    chain.push_back({&body, -1});
    addCalls(Block::iterator(body.begin()), body.end(), 0);
    while (!pending.empty()) {
      PendingCall call = pending.back();
      pending.pop_back();
      if (failed(inlineOne(call)))
        return failure();
    }
    return success();
  }

private:
  /// A block that is being inlined and the one that called it.
  struct Link {
    Block *block;
    int outer;
  };

  void addCalls(Block::iterator from, Block::iterator to, int outer) {
    size_t first = pending.size();
    for (Operation &op : llvm::make_range(from, to))
      if (isa<CallOpInterface>(op))
        pending.push_back({&op, outer});
    std::reverse(pending.begin() + first, pending.end());
  }

  bool isRecursive(Block *block, int link) const {
    for (; link >= 0; link = chain[link].outer)
      if (chain[link].block == block)
        return true;
    return false;
  }

  LogicalResult inlineOne(PendingCall call) {
    Block *callee = calledBlock(call.op, symbols);
    if (!callee || isRecursive(callee, call.outer))
      return success();
    OpBuilder builder(call.op);
    IRMapping mapping;
    mapping.map(callee->getArguments(),
                cast<CallOpInterface>(call.op).getArgOperands());
    Operation *before = call.op->getPrevNode();
    for (Operation &op : callee->without_terminator()) {
      Operation *copy = builder.clone(op, mapping);
      setLocations(copy, call.op->getLoc());
      for (StringRef name : {attr::kPhase, attr::kBlock})
        if (Attribute given = call.op->getAttr(name);
            given && !copy->hasAttr(name))
          copy->setAttr(name, given);
      if (++copied > kMaximumOps)
        return mlir::emitError(function->getLoc())
               << "the functions that '" << function.getName()
               << "' calls have more than " << kMaximumOps
               << " operations in all; mark large calls with '"
               << attr::kRecomputable << "' to plan them as a whole";
    }
    SmallVector<Value> results;
    for (Value value : callee->getTerminator()->getOperands())
      results.push_back(mapping.lookupOrDefault(value));
    Block *body = call.op->getBlock();
    Block::iterator first =
        before ? std::next(Block::iterator(before)) : body->begin();
    int link = int(chain.size());
    chain.push_back({callee, call.outer});
    addCalls(first, Block::iterator(call.op), link);
    call.op->replaceAllUsesWith(results);
    call.op->erase();
    return success();
  }

  static void setLocations(Operation *copy, Location call) {
    copy->walk([&](Operation *op) {
      op->setLoc(CallSiteLoc::get(op->getLoc(), call));
    });
  }

  FunctionOpInterface function;
  SymbolTableCollection symbols;
  std::vector<PendingCall> pending;
  std::vector<Link> chain;
  int64_t copied = 0;
};

} // namespace

bool ringi::hasCalls(FunctionOpInterface function) {
  SymbolTableCollection symbols;
  Block &body = function.getFunctionBody().front();
  return llvm::any_of(body, [&](Operation &op) {
    Block *callee = calledBlock(&op, symbols);
    return callee && callee != &body;
  });
}

LogicalResult ringi::inlineCalls(FunctionOpInterface function) {
  return inlineCalls(function, function.getFunctionBody().front());
}

LogicalResult ringi::inlineCalls(FunctionOpInterface function, Block &block) {
  return CallInliner(function).run(block);
}
