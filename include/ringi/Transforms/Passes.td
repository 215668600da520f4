//===- Passes.td - Passes of Ringi -------------------------*- tablegen -*-===//
//
// Part of Ringi. Every pass: what it does, when, what it leaves alone, one
// before/after. Names are `ringi-<verb>-<object>`.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PASSES
#define RINGI_PASSES

include "mlir/Pass/PassBase.td"
include "ringi/Transforms/BufferPasses.td"
include "ringi/Transforms/LoopPasses.td"
include "ringi/Transforms/PairPasses.td"
include "ringi/Transforms/PlanningPasses.td"

//===----------------------------------------------------------------------===//
// Differentiation
//===----------------------------------------------------------------------===//

def BuildStep : Pass<"ringi-build-step", "::mlir::ModuleOp"> {
  let summary = "turn forward functions into training steps";
  let description = [{
    Differentiates every function whose arguments carry `ringi.role` and that
    returns one scalar loss: inlines its blocks (their path stays on each op as
    `ringi.block`), appends the backward ops and the optimizer's updates, and marks
    every activation that crosses to the backward part by `ringi.save` and
    `ringi.load`. Functions without roles, declarations and functions that are steps
    already stay untouched.

    ```mlir
    // before
    func.func @f(%w: tensor<4xf32> {ringi.role = "parameter", ringi.name = "w"}) -> tensor<f32>
    // after --ringi-build-step="optimizer=sgd lr=0.1"
    func.func @f(%w: tensor<4xf32> {ringi.name = "w", ringi.role = "parameter"},
                 %lr: tensor<f32> {ringi.init = #ringi.init<constant, 1.0e-01>, ringi.name = "learning_rate", ringi.role = "learning_rate"})
        -> (tensor<f32> {ringi.name = "loss", ringi.role = "loss"},
            tensor<4xf32> {ringi.name = "w", ringi.role = "updated_parameter", ringi.updates = "w"})
        attributes {ringi.step}
    ```
  }];
  let options = [
    Option<"optimizer", "optimizer", "std::string", "\"adamw\"",
           "sgd, momentum, adamw (the default), or none (the step returns the gradients)">,
    Option<"lr", "lr", "double", "1.0e-3", "initial learning rate; default 0.001">,
    Option<"weightDecay", "weight-decay", "double", "0.0",
           "weight decay, decoupled for adamw; tensors of rank 0 and 1 get none; default 0">,
    Option<"momentum", "momentum", "double", "0.9", "momentum coefficient; default 0.9">,
    Option<"nesterov", "nesterov", "bool", "false", "Nesterov momentum">,
    Option<"beta1", "beta1", "double", "0.9", "adamw: decay of the first moment; default 0.9">,
    Option<"beta2", "beta2", "double", "0.999", "adamw: decay of the second moment; default 0.999">,
    Option<"epsilon", "epsilon", "double", "1.0e-8", "adamw: added to the root; default 1e-8">,
    Option<"accumulate", "accumulate", "int64_t", "1",
           "micro-batches in one step: inputs and targets gain a leading dimension of this size; default 1">,
    Option<"dropoutMask", "dropout-mask", "std::string", "\"recompute\"",
           "recompute (nothing saved; the default) or stored (a 1-byte mask per element is saved)">
  ];
  let dependentDialects = ["::ringi::RingiDialect"];
}

//===----------------------------------------------------------------------===//
// Fusion
//===----------------------------------------------------------------------===//

def FuseEpilogues : Pass<"ringi-fuse-epilogues", "::mlir::ModuleOp"> {
  let summary = "let matrix products do the gelu and the sums around them";
  let description = [{
    Works on what `--ringi-build-step` made, before it is planned:

    * `matmul` and the `gelu` of it, where the backward reads what gelu read, become
      `matmul_gelu`;
    * a `matmul` whose only reader is `gelu_backward` becomes `matmul_gelu_backward`;
    * the `matmul` that gives a weight's gradient and the `reduce_sum` that gives the
      bias's become `matmul_bias_gradient`.

    On the host the bits stay as they are. A GEMM library may round once less, so that
    other bits than those of the step without the pass come out there, the same under
    every strategy. A fused gelu cannot be recomputed without its product: strategies
    that keep products keep both results. Ops in different blocks of the model stay
    apart. Functions that are no steps are left alone.

    ```mlir
    // before
    %x = ringi.matmul %a, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> tensor<4x16xf32>
    %saved = ringi.save %x : (tensor<4x16xf32>) -> !ringi.saved<tensor<4x16xf32>>
    %y = ringi.gelu %x : tensor<4x16xf32>
    // after --ringi-fuse-epilogues
    %y, %x = ringi.matmul_gelu %a, %w : (tensor<4x8xf32>, tensor<8x16xf32>) -> (tensor<4x16xf32>, tensor<4x16xf32>)
    %saved = ringi.save %x : (tensor<4x16xf32>) -> !ringi.saved<tensor<4x16xf32>>
    ```
  }];
  let dependentDialects = ["::ringi::RingiDialect"];
}

#endif // RINGI_PASSES
