//===- MergeBranches.cpp - One storage for two branches' residuals --------===//
//
// Part of Ringi. Only one branch of an scf.if runs, so its residuals and the
// other's need not exist side by side.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Interfaces/RingiInterfaces.h"
#include "ringi/Transforms/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"

#include <algorithm>

namespace ringi {
#define GEN_PASS_DEF_MERGEBRANCHES
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

/// Residuals of one element type: numbers of the results that the then branch
/// computes, and of those that the else branch computes.
struct Residuals {
  SmallVector<unsigned> ofThen, ofElse;
};

class BranchMerger {
public:
  explicit BranchMerger(scf::IfOp branch) : branch(branch), builder(branch) {}

  void run() {
    if (!branch.elseBlock())
      return;
    llvm::MapVector<Type, Residuals> byType;
    for (unsigned i = 0; i < branch.getNumResults(); ++i) {
      bool ofThen = isResidual(i, true), ofElse = isResidual(i, false);
      if (!ofThen && !ofElse)
        continue;
      Type element = cast<RankedTensorType>(branch.getResult(i).getType())
                         .getElementType();
      (ofThen ? byType[element].ofThen : byType[element].ofElse).push_back(i);
    }
    byType.remove_if([](auto &entry) {
      return entry.second.ofThen.empty() || entry.second.ofElse.empty();
    });
    if (!byType.empty())
      rewrite(byType);
  }

private:
  /// Computed in one branch, a placeholder in the other, and read only where
  /// the same condition chose the same branch.
  bool isResidual(unsigned number, bool inThen) {
    Value computed = yielded(number, inThen), other = yielded(number, !inThen);
    auto type = dyn_cast<RankedTensorType>(computed.getType());
    return type && type.hasStaticShape() && isMadeByReaders(other) &&
           !isMadeByReaders(computed) &&
           llvm::all_of(
               branch.getResult(number).getUsers(),
               [&](Operation *user) { return standsIn(user, inThen); });
  }

  Value yielded(unsigned number, bool inThen) {
    return (inThen ? branch.thenYield() : branch.elseYield())
        .getOperand(number);
  }

  bool standsIn(Operation *user, bool inThen) {
    for (Region *region = user->getParentRegion(); region;
         region = region->getParentRegion())
      if (auto parent = dyn_cast<scf::IfOp>(region->getParentOp());
          parent && parent.getCondition() == branch.getCondition())
        return region ==
               (inThen ? &parent.getThenRegion() : &parent.getElseRegion());
    return false;
  }

  static int64_t elements(Value value) {
    return cast<RankedTensorType>(value.getType()).getNumElements();
  }

  /// All dimensions as one group, or none for a scalar.
  static SmallVector<ReassociationIndices> oneGroup(RankedTensorType type) {
    ReassociationIndices all =
        llvm::to_vector<2>(llvm::seq<int64_t>(0, type.getRank()));
    return type.getRank() == 0 ? SmallVector<ReassociationIndices>()
                               : SmallVector<ReassociationIndices>{all};
  }

  Value flatten(Value value) {
    auto type = cast<RankedTensorType>(value.getType());
    auto flat =
        RankedTensorType::get({type.getNumElements()}, type.getElementType());
    if (type.getRank() == 0)
      return tensor::ExpandShapeOp::create(builder, value.getLoc(), flat, value,
                                           oneGroup(type));
    return type == flat
               ? value
               : tensor::CollapseShapeOp::create(builder, value.getLoc(), flat,
                                                 value, oneGroup(type))
                     .getResult();
  }

  Value unflatten(Value flat, RankedTensorType type) {
    if (flat.getType() == type)
      return flat;
    if (type.getRank() == 0)
      return tensor::CollapseShapeOp::create(builder, flat.getLoc(), type, flat,
                                             oneGroup(type));
    return tensor::ExpandShapeOp::create(builder, flat.getLoc(), type, flat,
                                         oneGroup(type));
  }

  /// The branch's residuals one after the other in a tensor of `count`
  /// elements.
  Value concatenate(scf::YieldOp yield, ArrayRef<unsigned> numbers,
                    int64_t count) {
    auto first = cast<RankedTensorType>(yield.getOperand(numbers[0]).getType());
    builder.setInsertionPointToStart(yield->getBlock());
    Value all = tensor::EmptyOp::create(builder, yield.getLoc(),
                                        ArrayRef<int64_t>{count},
                                        first.getElementType());
    int64_t offset = 0;
    SmallVector<unsigned> inOrder(numbers);
    // Each goes there as soon as it is computed, so that it exists twice for a
    // moment only.
    auto definition = [&](unsigned number) {
      Operation *op = yield.getOperand(number).getDefiningOp();
      return op && op->getBlock() == yield->getBlock() ? op : nullptr;
    };
    DenseMap<unsigned, int64_t> offsets;
    for (unsigned number : numbers) {
      offsets[number] = offset;
      offset += elements(yield.getOperand(number));
    }
    llvm::stable_sort(inOrder, [&](unsigned a, unsigned b) {
      Operation *x = definition(a), *y = definition(b);
      return y && (!x || x->isBeforeInBlock(y)) && x != y;
    });
    Operation *last = nullptr;
    for (unsigned number : inOrder) {
      Value value = yield.getOperand(number);
      if (Operation *op = definition(number); op && op != last) {
        builder.setInsertionPointAfter(op);
        last = op;
      }
      all = tensor::InsertSliceOp::create(
          builder, value.getLoc(), flatten(value), all,
          ArrayRef<OpFoldResult>{builder.getIndexAttr(offsets[number])},
          ArrayRef<OpFoldResult>{builder.getIndexAttr(elements(value))},
          ArrayRef<OpFoldResult>{builder.getIndexAttr(1)});
    }
    return all;
  }

  int64_t sum(ArrayRef<unsigned> numbers) {
    int64_t total = 0;
    for (unsigned number : numbers)
      total += elements(branch.getResult(number));
    return total;
  }

  /// Residuals of the same type in both branches need no concatenation.
  bool fitAsTheyAre(const Residuals &group) {
    return group.ofThen.size() == 1 && group.ofElse.size() == 1 &&
           branch.getResult(group.ofThen[0]).getType() ==
               branch.getResult(group.ofElse[0]).getType();
  }

  void rewrite(llvm::MapVector<Type, Residuals> &byType) {
    llvm::SmallDenseSet<unsigned> merged;
    SmallVector<Value> fromThen, fromElse;
    for (auto &[element, group] : byType) {
      merged.insert(group.ofThen.begin(), group.ofThen.end());
      merged.insert(group.ofElse.begin(), group.ofElse.end());
      if (fitAsTheyAre(group)) {
        fromThen.push_back(yielded(group.ofThen[0], true));
        fromElse.push_back(yielded(group.ofElse[0], false));
        continue;
      }
      int64_t count = std::max(sum(group.ofThen), sum(group.ofElse));
      fromThen.push_back(concatenate(branch.thenYield(), group.ofThen, count));
      fromElse.push_back(concatenate(branch.elseYield(), group.ofElse, count));
    }
    SmallVector<unsigned> others;
    for (unsigned i = 0; i < branch.getNumResults(); ++i)
      if (!merged.contains(i))
        others.push_back(i);
    auto setYield = [&](scf::YieldOp yield, ArrayRef<Value> residuals) {
      SmallVector<Value> values;
      for (unsigned number : others)
        values.push_back(yield.getOperand(number));
      llvm::append_range(values, residuals);
      yield->setOperands(values);
    };
    setYield(branch.thenYield(), fromThen);
    setYield(branch.elseYield(), fromElse);

    builder.setInsertionPoint(branch);
    auto whole = scf::IfOp::create(
        builder, branch.getLoc(),
        ValueRange(branch.thenYield().getOperands()).getTypes(),
        branch.getCondition(), true);
    whole->setDiscardableAttrs(branch->getDiscardableAttrDictionary());
    whole.getThenRegion().takeBody(branch.getThenRegion());
    whole.getElseRegion().takeBody(branch.getElseRegion());
    builder.setInsertionPointAfter(whole);
    for (auto [place, number] : llvm::enumerate(others))
      branch.getResult(number).replaceAllUsesWith(whole.getResult(place));
    size_t place = others.size();
    for (auto &[element, group] : byType) {
      Value all = whole.getResult(place++);
      bool same = fitAsTheyAre(group);
      takeApart(all, group.ofThen, same);
      takeApart(all, group.ofElse, same);
    }
    branch.erase();
  }

  void takeApart(Value all, ArrayRef<unsigned> numbers, bool whole) {
    int64_t offset = 0;
    for (unsigned number : numbers) {
      Value old = branch.getResult(number);
      int64_t count = elements(old);
      Value part = all;
      if (!whole)
        part =
            unflatten(tensor::ExtractSliceOp::create(
                          builder, old.getLoc(), all,
                          ArrayRef<OpFoldResult>{builder.getIndexAttr(offset)},
                          ArrayRef<OpFoldResult>{builder.getIndexAttr(count)},
                          ArrayRef<OpFoldResult>{builder.getIndexAttr(1)}),
                      cast<RankedTensorType>(old.getType()));
      old.replaceAllUsesWith(part);
      offset += count;
    }
  }

  scf::IfOp branch;
  OpBuilder builder;
};

struct MergeBranchesPass : ringi::impl::MergeBranchesBase<MergeBranchesPass> {
  using MergeBranchesBase::MergeBranchesBase;

  void runOnOperation() override {
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface each : *functions) {
      SmallVector<scf::IfOp> branches;
      each->walk([&](scf::IfOp branch) { branches.push_back(branch); });
      for (scf::IfOp branch : branches)
        BranchMerger(branch).run();
    }
  }
};

} // namespace
