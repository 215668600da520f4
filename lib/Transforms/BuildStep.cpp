#include "ringi/Dialect/Ringi/IR/RingiOps.h"
#include "ringi/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"

namespace ringi {
#define GEN_PASS_DEF_BUILDSTEP
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

namespace {
struct BuildStepPass : ringi::impl::BuildStepBase<BuildStepPass> {
  using BuildStepBase::BuildStepBase;
  void runOnOperation() override {}
};
} // namespace
