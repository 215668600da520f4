//===- JoinStep.cpp - One step of a forward and a backward function -------===//
//
// Part of Ringi. Moves the ops of both functions into a third, arguments that
// take saved tensors replaced by what the forward part computes.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace ringi {
#define GEN_PASS_DEF_JOINSTEP
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

struct JoinStepPass : ringi::impl::JoinStepBase<JoinStepPass> {
  using JoinStepBase::JoinStepBase;

  void runOnOperation() override {
    if (failed(findFunctions()) || failed(findSaved()))
      return signalPassFailure();
    makeJoint();
  }

private:
  FailureOr<func::FuncOp> find(StringRef option, StringRef name) {
    ModuleOp module = getOperation();
    auto function = module.lookupSymbol<func::FuncOp>(name);
    if (!function || function.isExternal())
      return mlir::emitError(module.getLoc())
             << "no function '" << name
             << "' with a body in the module; check the option '" << option
             << "'";
    if (!llvm::hasSingleElement(function.getBody()))
      return mlir::emitError(function.getLoc())
             << "function '" << name << "' has "
             << function.getBody().getBlocks().size()
             << " blocks but half of a step has 1; turn branches into scf "
                "operations";
    if (auto uses = SymbolTable::getSymbolUses(function, module);
        uses && !uses->empty())
      return mlir::emitError(uses->begin()->getUser()->getLoc())
             << "calls '" << name
             << "', which becomes a part of the joint step; remove the call";
    return function;
  }

  LogicalResult findFunctions() {
    FailureOr<func::FuncOp> first = find("forward", forward);
    FailureOr<func::FuncOp> second = find("backward", backward);
    if (failed(first) || failed(second))
      return failure();
    fw = *first;
    bw = *second;
    if (fw == bw)
      return mlir::emitError(fw.getLoc())
             << "'" << fw.getName()
             << "' is given as forward and as backward function";
    jointName = name.empty() ? (fw.getName() + "_step").str() : name.getValue();
    if (getOperation().lookupSymbol(jointName))
      return mlir::emitError(fw.getLoc())
             << "the module has a '" << jointName
             << "' already; give the joint step another name";
    return success();
  }

  LogicalResult findSaved() {
    int64_t results = fw.getNumResults();
    if (outputs < -1 || outputs > results)
      return mlir::emitError(fw.getLoc())
             << "outputs=" << int64_t(outputs) << " but '" << fw.getName()
             << "' has " << results << " results";
    saved.assign(bw.getNumArguments(), -1);
    isOutput.assign(results, true);
    bool any = false;
    for (unsigned i = 0; i < bw.getNumArguments(); ++i)
      if (Attribute given = bw.getArgAttr(i, attr::kSaved)) {
        auto number = dyn_cast<IntegerAttr>(given);
        if (!number || number.getInt() < 0 || number.getInt() >= results)
          return mlir::emitError(bw.getLoc())
                 << "argument " << i << " names " << given
                 << " as its saved tensor but '" << fw.getName() << "' has "
                 << results << " results";
        saved[i] = number.getInt();
        any = true;
      }
    if (!any && outputs < 0)
      return mlir::emitError(bw.getLoc())
             << "no argument of '" << bw.getName() << "' has '" << attr::kSaved
             << "'; say there which result each one takes, or give outputs=N";
    if (!any) {
      int64_t count = results - outputs;
      if (count > int64_t(bw.getNumArguments()))
        return mlir::emitError(bw.getLoc())
               << "'" << fw.getName() << "' saves " << count << " tensors but '"
               << bw.getName() << "' has " << bw.getNumArguments()
               << " arguments; check the option 'outputs'";
      for (int64_t i = 0; i < count; ++i)
        saved[i] = outputs + i;
    }
    for (auto [i, number] : llvm::enumerate(saved)) {
      if (number < 0)
        continue;
      Type takes = bw.getArgumentTypes()[i],
           gives = fw.getResultTypes()[number];
      if (takes != gives)
        return mlir::emitError(bw.getLoc())
               << "argument " << i << " of '" << bw.getName() << "' is a "
               << takes << " but result " << number << " of '" << fw.getName()
               << "' is a " << gives;
      isOutput[number] = outputs >= 0 && number < outputs;
    }
    return success();
  }

  void mark(Block &block, StringRef phase) {
    StringAttr word = StringAttr::get(&getContext(), phase);
    for (Operation &op : block.without_terminator())
      if (!op.hasTrait<OpTrait::ConstantLike>())
        op.setAttr(attr::kPhase, word);
  }

  void makeJoint() {
    Block &first = fw.getBody().front(), &second = bw.getBody().front();
    mark(first, "forward");
    mark(second, "backward");
    SmallVector<Value> results;
    SmallVector<Type> argumentTypes(fw.getArgumentTypes()), resultTypes;
    SmallVector<DictionaryAttr> argumentAttrs, resultAttrs;
    auto attributesOf = [&](ArrayAttr all, unsigned i) {
      return all ? cast<DictionaryAttr>(all[i])
                 : DictionaryAttr::get(&getContext());
    };
    for (unsigned i = 0; i < fw.getNumArguments(); ++i)
      argumentAttrs.push_back(attributesOf(fw.getAllArgAttrs(), i));
    for (auto [i, value] :
         llvm::enumerate(first.getTerminator()->getOperands()))
      if (isOutput[i]) {
        results.push_back(value);
        resultAttrs.push_back(attributesOf(fw.getAllResultAttrs(), i));
      }
    for (auto [i, argument] : llvm::enumerate(second.getArguments()))
      if (saved[i] < 0) {
        argumentTypes.push_back(argument.getType());
        argumentAttrs.push_back(attributesOf(bw.getAllArgAttrs(), i));
        argument.replaceAllUsesWith(
            first.addArgument(argument.getType(), argument.getLoc()));
      } else {
        argument.replaceAllUsesWith(
            first.getTerminator()->getOperand(saved[i]));
      }
    for (auto [i, value] :
         llvm::enumerate(second.getTerminator()->getOperands())) {
      results.push_back(value);
      resultAttrs.push_back(attributesOf(bw.getAllResultAttrs(), i));
    }
    Operation *end = second.getTerminator();
    first.getTerminator()->erase();
    first.getOperations().splice(first.end(), second.getOperations());
    end->setOperands(results);
    llvm::append_range(resultTypes, ValueRange(results).getTypes());

    OpBuilder builder(fw);
    auto joint = func::FuncOp::create(
        builder, fw.getLoc(), jointName,
        builder.getFunctionType(argumentTypes, resultTypes));
    joint.getBody().takeBody(fw.getBody());
    joint.setAllArgAttrs(argumentAttrs);
    joint.setAllResultAttrs(resultAttrs);
    fw.erase();
    bw.erase();
  }

  func::FuncOp fw, bw;
  std::string jointName;
  /// Per argument of the backward function the result that it takes, or -1.
  SmallVector<int64_t> saved;
  /// Per result of the forward function: does the joint step return it?
  SmallVector<bool> isOutput;
};

} // namespace
