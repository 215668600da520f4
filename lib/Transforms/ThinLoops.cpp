//===- ThinLoops.cpp - Stack less for the backward loop -------------------===//
//
// Part of Ringi. The pass: the first level of each function that stacks no more
// than was asked for.
//
//===----------------------------------------------------------------------===//

#include "StackLevels.h"

#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Planner/Strategies.h"
#include "ringi/Support/ExitCode.h"
#include "ringi/Support/NumberText.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "mlir/IR/BuiltinOps.h"

namespace ringi {
#define GEN_PASS_DEF_THINLOOPS
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

struct ThinLoopsPass : ringi::impl::ThinLoopsBase<ThinLoopsPass> {
  using ThinLoopsBase::ThinLoopsBase;

  void runOnOperation() override {
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(getOperation(), function);
    if (failed(functions))
      return signalPassFailure();
    for (FunctionOpInterface step : *functions)
      if (failed(thin(step)))
        return signalPassFailure();
  }

private:
  LogicalResult thin(FunctionOpInterface step) {
    if (!llvm::hasSingleElement(step.getFunctionBody()))
      return success();
    FailureOr<GraphOptions> options =
        graphOptionsFor(step, alignment, -1, opTable);
    if (failed(options))
      return failure();
    FailureOr<StackLevels> levels = StackLevels::of(step, *options);
    if (failed(levels))
      return failure();
    for (const RefusedPair &pair : levels->refused())
      warnOfRefused(pair);
    size_t level = levels->size() - 1;
    int64_t before = (*levels)[0].bytes, least = (*levels)[level].bytes;
    if (before == 0)
      return success();
    if (!stacks.empty()) {
      Expected<int64_t> most =
          planner::parseBudget(std::string(stacks), before, 0);
      if (!most)
        return mlir::emitError(step->getLoc()) << most.error().message;
      if (*most < least) {
        notePlanRefused();
        return mlir::emitError(step->getLoc())
               << "the loops of '" << step.getName() << "' stack at least "
               << least << " bytes, but stacks=" << stacks << " allows "
               << *most
               << "; raise it, or replay whole iterations with "
                  "--ringi-checkpoint-loops";
      }
      for (level = 0; (*levels)[level].bytes > *most;)
        ++level;
    }
    mlir::emitRemark(levels->location())
        << "the loops of '" << step.getName() << "' stack "
        << (*levels)[level].bytes << " of " << before
        << " bytes and compute again " << numberText((*levels)[level].flops)
        << " FLOPs";
    levels->apply(step, level);
    return success();
  }
};

} // namespace
