//===- BufferUses.cpp - Where an allocation is used -----------------------===//
//
// Part of Ringi. Conservative: a use counts as known when the op says through
// interfaces that it only reads, writes or frees what it is given, or is a
// view.
//
//===----------------------------------------------------------------------===//

#include "BufferUses.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Interfaces/ViewLikeInterface.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;

OpClock::OpClock(FunctionOpInterface function) {
  int64_t now = 0;
  SmallVector<Operation *> open;
  function->walk<WalkOrder::PreOrder>([&](Operation *op) {
    while (!open.empty() && !open.back()->isProperAncestor(op))
      moments[open.pop_back_val()].second = now;
    moments[op].first = now++;
    open.push_back(op);
  });
  while (!open.empty())
    moments[open.pop_back_val()].second = now;
}

/// Ops that run their regions in place, one after the other.
static bool isSequential(Operation *op) {
  return isa<linalg::LinalgOp, scf::ForOp, scf::IfOp, scf::WhileOp,
             scf::IndexSwitchOp, scf::ExecuteRegionOp, affine::AffineForOp,
             affine::AffineIfOp, memref::AllocaScopeOp>(op);
}

/// The same, with iterations that may run at the same time.
static bool isParallel(Operation *op) {
  return isa<scf::ParallelOp, scf::ForallOp, affine::AffineParallelOp>(op);
}

namespace {

class UseFinder {
public:
  UseFinder(memref::AllocOp alloc, FunctionOpInterface function,
            const OpClock &clock)
      : alloc(alloc), function(function), clock(clock) {}

  BufferUses run() {
    uses.first = std::numeric_limits<int64_t>::max();
    if (checkPlace())
      follow();
    // What nothing writes holds nothing that another buffer could destroy: an
    // operand of linalg that only gives the extents of its window.
    if (uses.first > uses.end || !written)
      uses.first = uses.end = 0;
    return std::move(uses);
  }

private:
  bool refuse(const Twine &reason) {
    uses.reason = reason.str();
    return false;
  }
  static std::string name(Operation *op) {
    return ("'" + op->getName().getStringRef() + "'").str();
  }

  /// One allocation at a time: slots of iterations that overlap would be one.
  bool checkPlace() {
    for (Operation *op = alloc->getParentOp(); op != function;
         op = op->getParentOp()) {
      if (isParallel(op))
        return refuse("stands inside " + name(op) +
                      ", whose iterations may run at the same time");
      if (!isSequential(op) ||
          !llvm::hasSingleElement(*alloc->getParentRegion()))
        return refuse("stands inside " + name(op) +
                      ", which is not known to run once at a time");
    }
    return true;
  }

  void follow() {
    SmallVector<Value> aliases = {alloc.getResult()};
    llvm::SmallDenseSet<Value> seen = {alloc.getResult()};
    for (size_t i = 0; i < aliases.size(); ++i)
      for (OpOperand &use : aliases[i].getUses()) {
        Operation *user = use.getOwner();
        if (isa<memref::DeallocOp>(user) && aliases[i] == alloc.getResult()) {
          uses.deallocs.push_back(user);
          continue;
        }
        if (!checkUse(use) || !count(user))
          return;
        if (isa<ViewLikeOpInterface>(user))
          for (Value result : user->getResults())
            if (isa<BaseMemRefType>(result.getType()) &&
                seen.insert(result).second)
              aliases.push_back(result);
      }
  }

  bool checkUse(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<memref::DeallocOp>(user))
      return refuse("is freed through a view");
    if (isa<CallOpInterface>(user))
      return refuse("is passed to the call " + name(user));
    if (user->hasTrait<OpTrait::IsTerminator>())
      return refuse(user->getParentOp() == function
                        ? std::string("is returned")
                        : "leaves the region of " + name(user->getParentOp()));
    if (!user->isRegistered())
      return refuse("is used by " + name(user) + ", which is not registered");
    if (isa<memref::ExtractAlignedPointerAsIndexOp>(user))
      return refuse("has its address taken by " + name(user));
    auto view = dyn_cast<ViewLikeOpInterface>(user);
    // Numbers hold no address. Anything else may: pointers, descriptors, or a
    // token of what still runs after the op.
    if (llvm::any_of(user->getResultTypes(), [&](Type type) {
          return !(view && isa<BaseMemRefType>(type)) &&
                 !isa<IndexType, IntegerType, FloatType, ComplexType,
                      VectorType>(type);
        }))
      return refuse("may be aliased by the result of " + name(user));
    if (view)
      return view.getViewSource() == use.get() ||
             refuse("is used by " + name(user) + " in a way that is not known");
    return onlyTouches(use) ||
           refuse("is used by " + name(user) + " in a way that is not known");
  }

  /// Reads or writes the buffer, or asks for its shape; stores its address
  /// nowhere.
  bool onlyTouches(OpOperand &use) {
    Operation *user = use.getOwner();
    if (isMemoryEffectFree(user))
      return user->getNumRegions() == 0;
    auto effects = dyn_cast<MemoryEffectOpInterface>(user);
    if (!effects)
      return false;
    SmallVector<MemoryEffects::EffectInstance> found;
    effects.getEffects(found);
    llvm::erase_if(found, [&](const MemoryEffects::EffectInstance &effect) {
      return effect.getEffectValue<OpOperand *>() != &use ||
             !isa<MemoryEffects::Read, MemoryEffects::Write>(
                 effect.getEffect());
    });
    written |=
        llvm::any_of(found, [](const MemoryEffects::EffectInstance &effect) {
          return isa<MemoryEffects::Write>(effect.getEffect());
        });
    return !found.empty();
  }

  bool count(Operation *user) {
    Operation *beside = user;
    while (beside->getBlock() != alloc->getBlock()) {
      beside = beside->getParentOp();
      if (!isSequential(beside) && !isParallel(beside))
        return refuse("is used inside " + name(beside) +
                      ", which is not known to run in place");
    }
    uses.first = std::min(uses.first, clock.begin(beside));
    uses.end = std::max(uses.end, clock.end(beside));
    return true;
  }

  memref::AllocOp alloc;
  FunctionOpInterface function;
  const OpClock &clock;
  bool written = false;
  BufferUses uses;
};

} // namespace

BufferUses ringi::findBufferUses(memref::AllocOp alloc,
                                 FunctionOpInterface function,
                                 const OpClock &clock) {
  return UseFinder(alloc, function, clock).run();
}
