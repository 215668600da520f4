//===- Pipelines.cpp - Whole flows under one name -------------------------===//
//
// Part of Ringi. Hands the options of a pipeline to its passes.
//
//===----------------------------------------------------------------------===//

#include "ringi/Transforms/Pipelines.h"

#include "ringi/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

static void addPlanning(OpPassManager &manager,
                        const ringi::CheckpointOptions &options) {
  ringi::PlanCheckpointsOptions plan;
  plan.strategy = options.strategy;
  plan.budget = options.budget;
  plan.keep = options.keep;
  plan.segments = options.segments;
  plan.order = options.order;
  plan.effort = options.effort;
  plan.seed = options.seed;
  plan.cost = options.cost;
  plan.device = options.device;
  plan.function = options.function;
  plan.alignment = options.alignment;
  plan.gemmWorkspace = options.gemmWorkspace;
  plan.opTable = options.opTable;
  plan.simplify = options.simplify;
  plan.blocks = options.blocks;
  plan.report = options.report;
  plan.graphFile = options.graph;
  manager.addPass(ringi::createPlanCheckpoints(plan));
  ringi::ApplyPlanOptions apply;
  apply.function = options.function;
  manager.addPass(ringi::createApplyPlan(apply));
}

static void addVerification(OpPassManager &manager,
                            const ringi::CheckpointOptions &options) {
  ringi::VerifyPlanOptions verify;
  verify.function = options.function;
  verify.opTable = options.opTable;
  manager.addPass(ringi::createVerifyPlan(verify));
}

void ringi::buildCheckpointPipeline(OpPassManager &manager,
                                    const CheckpointOptions &options) {
  addPlanning(manager, options);
  addVerification(manager, options);
}

void ringi::buildTrainPipeline(OpPassManager &manager,
                               const TrainOptions &options) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
  BuildStepOptions build;
  build.optimizer = options.optimizer;
  build.lr = options.lr;
  build.weightDecay = options.weightDecay;
  build.momentum = options.momentum;
  build.nesterov = options.nesterov;
  build.beta1 = options.beta1;
  build.beta2 = options.beta2;
  build.epsilon = options.epsilon;
  build.accumulate = options.accumulate;
  build.dropoutMask = options.dropoutMask;
  manager.addPass(createBuildStep(build));
  if (options.fuseEpilogues)
    manager.addPass(createFuseEpilogues());
  addPlanning(manager, options);
  AssignMemoryOptions assign;
  assign.function = options.function;
  manager.addPass(createAssignMemory(assign));
  addVerification(manager, options);
}

/// Registers a pipeline of module passes. Nested in another op it is an error;
/// MLIR's own registration would abort.
template <typename Options>
static void registerModulePipeline(StringRef name, StringRef description,
                                   void (*build)(OpPassManager &,
                                                 const Options &)) {
  registerPassPipeline(
      name, description,
      [=](OpPassManager &manager, StringRef text,
          function_ref<LogicalResult(const Twine &)> onError) {
        std::optional<StringRef> anchor = manager.getOpName();
        if (anchor && *anchor != ModuleOp::getOperationName())
          return onError("'" + name + "' works on " +
                         ModuleOp::getOperationName() + ", not on " + *anchor +
                         "; write it outside of " + *anchor + "(...)");
        Options options;
        if (failed(options.parseFromString(text)))
          return failure();
        build(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> visit) {
        visit(Options());
      });
}

void ringi::registerPipelines() {
  registerModulePipeline<CheckpointOptions>(
      "ringi-checkpoint",
      "Plan a joint training step, carry the plan out and verify it",
      buildCheckpointPipeline);
  registerModulePipeline<TrainOptions>(
      "ringi-train",
      "From a forward function to a planned step with assigned memory",
      buildTrainPipeline);
}
