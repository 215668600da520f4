//===- LoopPasses.td - Loops and branches of a step --------*- tablegen -*-===//
//
// Part of Ringi. Residuals of loops and branches: what the forward part keeps for the backward part.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_LOOPPASSES
#define RINGI_TRANSFORMS_LOOPPASSES

include "mlir/Pass/PassBase.td"

def CheckpointLoops : Pass<"ringi-checkpoint-loops", "::mlir::ModuleOp"> {
  let summary = "Replay a loop in segments instead of stacking every iteration's residuals";
  let description = [{
    Looks for an `scf.for` that puts a value of iteration i into row i of a tensor
    it carries (`tensor.insert_slice`), and the later `scf.for` that takes the rows
    from the last to the first (`tensor.extract_slice` at `trips - 1 - k`): the
    shape in which scans are differentiated. Stores the carried values of some
    iterations instead and replays the others before they are reversed: every
    `segment` iterations, or by the binomial schedule (revolve) where the budget
    asks for less. `budget` is the live peak of the whole step as in
    --ringi-plan-checkpoints; the schedule with the fewest replays that fits is
    taken. Run it before --ringi-checkpoint, which plans the loops as ops of the
    step.

    A row that depends only on the iteration's number and on values from outside
    the loop, and costs no FLOPs, is not stacked: the backward loop makes it again.
    So loop-invariant values are never stacked, nor is the induction variable.

    Trip counts that segments do not divide are fine. A loop without iterations
    stays as it is, and so does one whose stack is used in another way: a warning
    says why.
  }];
  let options = [
    Option<"budget", "budget", "std::string", "\"\"", "Bytes of live peak (8GiB, 500MB), or a percentage of the peak without replays (60%)">,
    Option<"segment", "segment", "int64_t", "0", "Iterations between stored carries; 0: as the budget asks">,
    Option<"function", "function", "std::string", "\"\"", "Work on this function only; empty: on every function">,
    Option<"alignment", "alignment", "int64_t", "0", "Bytes are rounded up to a multiple of this; 0: what the function says, else 256">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

def MergeBranches : Pass<"ringi-merge-branches", "::mlir::ModuleOp"> {
  let summary = "Give the residuals of two branches one storage";
  let description = [{
    A differentiated `scf.if` returns the residuals of both branches; the branch
    that does not compute one yields a placeholder, a `tensor.empty` or a splat.
    This pass returns the residuals of both branches in one value per element type,
    as large as the larger branch's, so that the step holds the larger and not the
    sum. A placeholder that is a splat must not be read: all uses of the residual
    must stand in the branch of an `scf.if` on the same condition that computed it.
    A residual that is read elsewhere stays as it is.
  }];
  let options = [
    Option<"function", "function", "std::string", "\"\"", "Work on this function only; empty: on every function">];
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"];
}

#endif // RINGI_TRANSFORMS_LOOPPASSES
