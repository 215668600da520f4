//===- PairPasses.td - Forward and backward as two functions -*- tablegen -*-===//
//
// Part of Ringi. Frontends that compile the two halves of a step apart hand saved tensors from one function to the other. These
// passes make one joint step of such a pair, and a pair of a joint step.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_PAIRPASSES
#define RINGI_TRANSFORMS_PAIRPASSES

include "mlir/Pass/PassBase.td"

def JoinStep : Pass<"ringi-join-step", "::mlir::ModuleOp"> {
  let summary = "Make one joint step of a forward and a backward function";
  let description = [{
    Puts the body of `backward` after the body of `forward` in a new function, so
    that the pair is planned as one step; the two functions go. An argument of the
    backward function that takes a saved tensor says which result of the forward
    function it is by `ringi.saved = <number>`; `outputs=N` says instead that the
    results from number N on are the first arguments of the backward function, in
    order. The joint function takes the forward function's arguments and the other
    ones of the backward function, and returns the results that are not saved (with
    `outputs`: the first N) and the backward function's. Its ops are marked
    `ringi.phase`. --ringi-split-step turns it into a pair again.

    ```mlir
    // before
    func.func @fw(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>)
    func.func @bw(%saved: tensor<4xf32> {ringi.saved = 1 : i64}, %g: tensor<f32>) -> tensor<4xf32>
    // after --ringi-join-step="forward=fw backward=bw"
    func.func @fw_step(%x: tensor<4xf32>, %g: tensor<f32>) -> (tensor<f32>, tensor<4xf32>)
    ```
  }];
  let options = [
    Option<"forward", "forward", "std::string", "\"\"", "Name of the forward function">,
    Option<"backward", "backward", "std::string", "\"\"", "Name of the backward function">,
    Option<"outputs", "outputs", "int64_t", "-1", "Results of the forward function that are no saved tensors; -1: `ringi.saved` says">,
    Option<"name", "name", "std::string", "\"\"", "Name of the joint function; empty: the forward function's with _step">];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

def SplitStep : Pass<"ringi-split-step", "::mlir::ModuleOp"> {
  let summary = "Turn a joint step into a forward and a backward function";
  let description = [{
    The forward function holds the ops of the forward part and returns the step's
    results that it computes, then every tensor that the rest of the step reads: a
    saved tensor is an activation as it is stored, views of it are made again. The
    backward function takes the saved tensors, each with `ringi.saved` naming the
    result of the forward function, then the arguments of the step that it reads.
    Run it after --ringi-apply-plan: what is recomputed is not in the signatures,
    and `ringi.saved_bytes` on both functions says what is. The plan's claims about
    the joint step go with it.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"", "The joint step; empty: the only function with a backward part">,
    Option<"forward", "forward", "std::string", "\"\"", "Name of the forward function; empty: the step's with _forward">,
    Option<"backward", "backward", "std::string", "\"\"", "Name of the backward function; empty: the step's with _backward">];
  let dependentDialects = ["::mlir::func::FuncDialect"];
}

#endif // RINGI_TRANSFORMS_PAIRPASSES
