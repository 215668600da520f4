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

def ThinLoops : Pass<"ringi-thin-loops", "::mlir::ModuleOp"> {
  let summary = "Compute again in a backward loop what its forward loop stacks";
  let description = [{
    Looks for a loop that puts values of each iteration into rows of arrays that it
    carries, and a later loop that takes the rows: the shape in which scans are
    differentiated. Loops are those of loaded dialects (`scf.for` with
    `tensor.insert_slice` and `tensor.extract_slice`) and those that an op table
    describes (`stablehlo.while` with `dynamic_update_slice` and `dynamic_slice`).
    Which row an iteration puts or takes is found by running the loops' integer
    scalars, so any arithmetic on row numbers will do.

    Arrays go, others may come, and the backward loop computes what it lacks from
    the rows that are left, from what is the same in all iterations and from
    slices of what exists anyway, in `ringi.recompute` regions. The choice is a
    minimum cut of bytes against FLOPs: of all that stack at most `stacks`, the
    corner of the front with the fewest FLOPs; without `stacks` the fewest bytes.
    A value that costs no FLOPs is never stacked.

    --ringi-plan-checkpoints with strategy memory-budget does the same as its
    budget asks; this pass is for other strategies and for --ringi-checkpoint-loops,
    which replays whole iterations. Calls inside of the loops are inlined. A loop
    whose rows are used in another way stays as it is: a warning says why.

    ```mlir
    // before: t = tanh(h) is stacked, with h
    %f:3 = scf.for ... iter_args(%c = %x, %hs = %e, %ts = %e) { ... }
    scf.for ... { %t = tensor.extract_slice %f#2[%j, 0] ... }
    // after --ringi-thin-loops="stacks=50%"
    %f:2 = scf.for ... iter_args(%c = %x, %hs = %e) { ... }
    scf.for ... {
      %h = tensor.extract_slice %f#1[%j, 0] ...
      %t = ringi.recompute(%a = %h) : ... { %0 = math.tanh %a ... }
    }
    ```
  }];
  let options = [
    Option<"stacks", "stacks", "std::string", "\"\"", "Most bytes that loops may stack (64MiB), or a percentage of what they stack (50%); empty: as few as possible">,
    Option<"function", "function", "std::string", "\"\"", "Work on this function only; empty: on every function">,
    Option<"alignment", "alignment", "int64_t", "0", "Bytes are rounded up to a multiple of this; 0: what the function says, else 256">,
    Option<"opTable", "op-table", "std::string", "\"\"", "stablehlo, mhlo, hlo or a JSON file: what answers for ops of dialects that are not loaded">];
  let dependentDialects = ["::ringi::RingiDialect"];
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
