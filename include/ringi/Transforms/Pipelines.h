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
                               llvm::cl::desc("none (the default), "
                                              "every-block, sqrt, selective, "
                                              "recompute-all, manual or "
                                              "memory-budget"),
                               llvm::cl::init("none")};
  Option<std::string> budget{
      *this, "budget",
      llvm::cl::desc("memory-budget: bytes (8GiB), a percentage (60%) or auto"),
      llvm::cl::init("")};
  Option<std::string> keep{
      *this, "keep",
      llvm::cl::desc("selective: gemm (the default) or weight-gemm"),
      llvm::cl::init("gemm")};
  Option<int32_t> segments{
      *this, "segments",
      llvm::cl::desc("sqrt: number of segments; 0 (the default): auto"),
      llvm::cl::init(0)};
  Option<std::string> order{*this, "order",
                            llvm::cl::desc("fixed (the default) or free"),
                            llvm::cl::init("fixed")};
  Option<double> effort{*this, "effort",
                        llvm::cl::desc("Local-search moves, in multiples of "
                                       "the usual; default 1"),
                        llvm::cl::init(1.0)};
  Option<uint64_t> seed{*this, "seed",
                        llvm::cl::desc("Seed of the local search; default 0"),
                        llvm::cl::init(0)};
  Option<std::string> cost{*this, "cost",
                           llvm::cl::desc("flops (the default) or time"),
                           llvm::cl::init("flops")};
  Option<std::string> device{
      *this, "device",
      llvm::cl::desc("Built-in device or JSON file; default: ringi.device, "
                     "else generic-cpu"),
      llvm::cl::init("")};
  Option<std::string> function{
      *this, "function",
      llvm::cl::desc("Plan this function only; default: all"),
      llvm::cl::init("")};
  Option<int64_t> alignment{
      *this, "alignment",
      llvm::cl::desc("Bytes are multiples of this; default "
                     "256"),
      llvm::cl::init(0)};
  Option<int64_t> gemmWorkspace{
      *this, "gemm-workspace",
      llvm::cl::desc("Scratch bytes of each GEMM; default 0"),
      llvm::cl::init(-1)};
  Option<std::string> opTable{*this, "op-table",
                              llvm::cl::desc("stablehlo, mhlo, hlo or a JSON "
                                             "file: what answers for ops of "
                                             "dialects that are not loaded"),
                              llvm::cl::init("")};
  Option<bool> simplify{*this, "simplify",
                        llvm::cl::desc("Run CSE and loop-invariant code "
                                       "motion, and canonicalization where no "
                                       "op is marked, over the step before "
                                       "planning; default true"),
                        llvm::cl::init(true)};
  Option<std::string> blocks{*this, "blocks",
                             llvm::cl::desc("detect, or a regular expression "
                                            "for name scopes"),
                             llvm::cl::init("")};
  Option<std::string> report{*this, "report",
                             llvm::cl::desc("Write the plan's report as JSON "
                                            "into this file"),
                             llvm::cl::init("")};
  Option<std::string> graph{*this, "graph",
                            llvm::cl::desc("Write the planning problem as "
                                           "graph JSON into this file"),
                            llvm::cl::init("")};
};

/// The same, and what --ringi-train passes on to --ringi-build-step.
struct TrainOptions : CheckpointOptions {
  Option<std::string> optimizer{
      *this, "optimizer",
      llvm::cl::desc("sgd, momentum, adamw (the default) or none"),
      llvm::cl::init("adamw")};
  Option<double> lr{*this, "lr",
                    llvm::cl::desc("Initial learning rate; default 0.001"),
                    llvm::cl::init(1e-3)};
  Option<double> weightDecay{*this, "weight-decay",
                             llvm::cl::desc("Weight decay; default 0"),
                             llvm::cl::init(0.0)};
  Option<double> momentum{*this, "momentum",
                          llvm::cl::desc("Momentum coefficient; default 0.9"),
                          llvm::cl::init(0.9)};
  Option<bool> nesterov{*this, "nesterov", llvm::cl::desc("Nesterov momentum"),
                        llvm::cl::init(false)};
  Option<double> beta1{
      *this, "beta1",
      llvm::cl::desc("adamw: decay of the first moment; default 0.9"),
      llvm::cl::init(0.9)};
  Option<double> beta2{
      *this, "beta2",
      llvm::cl::desc("adamw: decay of the second moment; default 0.999"),
      llvm::cl::init(0.999)};
  Option<double> epsilon{
      *this, "epsilon",
      llvm::cl::desc("adamw: added to the root; default 1e-8"),
      llvm::cl::init(1e-8)};
  Option<int64_t> accumulate{
      *this, "accumulate",
      llvm::cl::desc("Micro-batches in one step; default 1"),
      llvm::cl::init(1)};
  Option<std::string> dropoutMask{
      *this, "dropout-mask",
      llvm::cl::desc("recompute (the default) or stored"),
      llvm::cl::init("recompute")};
  Option<bool> fuseEpilogues{
      *this, "fuse-epilogues",
      llvm::cl::desc("Let matrix products do the gelu and the sums around "
                     "them; default false"),
      llvm::cl::init(false)};
};

/// plan, apply, verify: on every joint step of a module.
void buildCheckpointPipeline(mlir::OpPassManager &manager,
                             const CheckpointOptions &options);

/// canonicalize, cse, build-step, fuse-epilogues if asked for, plan, apply,
/// assign, verify: from a forward function to a step with assigned memory.
void buildTrainPipeline(mlir::OpPassManager &manager,
                        const TrainOptions &options);

/// Registers --ringi-checkpoint and --ringi-train.
void registerPipelines();

} // namespace ringi

#endif // RINGI_TRANSFORMS_PIPELINES_H
