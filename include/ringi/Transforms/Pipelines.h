//===- Pipelines.h - Whole flows under one name -----------------*- C++ -*-===//
//
// Part of Ringi. The pipelines that bundle the passes, with the options of
// each.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_PIPELINES_H
#define RINGI_TRANSFORMS_PIPELINES_H

#include "mlir/Pass/PassOptions.h"

#include <string>

namespace mlir {
class OpPassManager;
} // namespace mlir

namespace ringi {

/// What --ringi-checkpoint passes on to --ringi-plan-checkpoints; meanings and
/// defaults are those of that pass.
struct CheckpointOptions : mlir::PassPipelineOptions<CheckpointOptions> {
  Option<std::string> strategy{*this, "strategy",
                               llvm::cl::desc("none, every-block, sqrt, "
                                              "selective, recompute-all, "
                                              "manual or memory-budget"),
                               llvm::cl::init("none")};
  Option<std::string> budget{
      *this, "budget",
      llvm::cl::desc("memory-budget: bytes, a percentage or auto"),
      llvm::cl::init("")};
  Option<std::string> keep{*this, "keep",
                           llvm::cl::desc("selective: gemm or weight-gemm"),
                           llvm::cl::init("gemm")};
  Option<int32_t> segments{*this, "segments",
                           llvm::cl::desc("sqrt: number of segments; 0: auto"),
                           llvm::cl::init(0)};
  Option<std::string> order{*this, "order", llvm::cl::desc("fixed or free"),
                            llvm::cl::init("fixed")};
  Option<double> effort{*this, "effort",
                        llvm::cl::desc("Local-search moves, in multiples of "
                                       "the default"),
                        llvm::cl::init(1.0)};
  Option<uint64_t> seed{*this, "seed",
                        llvm::cl::desc("Seed of the local search"),
                        llvm::cl::init(0)};
  Option<std::string> cost{*this, "cost", llvm::cl::desc("flops or time"),
                           llvm::cl::init("flops")};
  Option<std::string> device{*this, "device",
                             llvm::cl::desc("Built-in device or JSON file"),
                             llvm::cl::init("")};
  Option<std::string> function{*this, "function",
                               llvm::cl::desc("Plan this function only"),
                               llvm::cl::init("")};
  Option<int64_t> alignment{*this, "alignment",
                            llvm::cl::desc("Bytes are multiples of this; 0: "
                                           "256"),
                            llvm::cl::init(0)};
  Option<int64_t> gemmWorkspace{*this, "gemm-workspace",
                                llvm::cl::desc("Scratch bytes of each GEMM"),
                                llvm::cl::init(-1)};
  Option<std::string> report{*this, "report",
                             llvm::cl::desc("Write the plan's report as JSON "
                                            "into this file"),
                             llvm::cl::init("")};
};

/// The same, and what --ringi-train passes on to --ringi-build-step.
struct TrainOptions : CheckpointOptions {
  Option<std::string> optimizer{*this, "optimizer",
                                llvm::cl::desc("sgd, momentum, adamw or none"),
                                llvm::cl::init("adamw")};
  Option<double> lr{*this, "lr", llvm::cl::desc("Initial learning rate"),
                    llvm::cl::init(1e-3)};
  Option<double> weightDecay{*this, "weight-decay",
                             llvm::cl::desc("Weight decay"),
                             llvm::cl::init(0.0)};
  Option<double> momentum{*this, "momentum",
                          llvm::cl::desc("Momentum coefficient"),
                          llvm::cl::init(0.9)};
  Option<bool> nesterov{*this, "nesterov", llvm::cl::desc("Nesterov momentum"),
                        llvm::cl::init(false)};
  Option<double> beta1{*this, "beta1",
                       llvm::cl::desc("adamw: decay of the first moment"),
                       llvm::cl::init(0.9)};
  Option<double> beta2{*this, "beta2",
                       llvm::cl::desc("adamw: decay of the second moment"),
                       llvm::cl::init(0.999)};
  Option<double> epsilon{*this, "epsilon",
                         llvm::cl::desc("adamw: added to the root"),
                         llvm::cl::init(1e-8)};
  Option<int64_t> accumulate{*this, "accumulate",
                             llvm::cl::desc("Micro-batches in one step"),
                             llvm::cl::init(1)};
  Option<std::string> dropoutMask{*this, "dropout-mask",
                                  llvm::cl::desc("recompute or stored"),
                                  llvm::cl::init("recompute")};
};

/// plan, apply, verify: on every joint step of a module.
void buildCheckpointPipeline(mlir::OpPassManager &manager,
                             const CheckpointOptions &options);

/// canonicalize, cse, build-step, plan, apply, assign, verify: from a forward
/// function to a step with assigned memory.
void buildTrainPipeline(mlir::OpPassManager &manager,
                        const TrainOptions &options);

/// Registers --ringi-checkpoint and --ringi-train.
void registerPipelines();

} // namespace ringi

#endif // RINGI_TRANSFORMS_PIPELINES_H
