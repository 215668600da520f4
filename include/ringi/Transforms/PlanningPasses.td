//===- PlanningPasses.td - From a joint step to a verified plan -*- tablegen -*-===//
//
// Part of Ringi. The analyses and the passes that plan, rewrite, assign memory and verify. Every pass works on all functions
// of a module that it applies to, or on the one named.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TRANSFORMS_PLANNINGPASSES
#define RINGI_TRANSFORMS_PLANNINGPASSES

include "mlir/Pass/PassBase.td"

class RingiFunctionOption : Option<"function", "function", "std::string", "\"\"",
  "Work on this function only; empty: on every function that the pass applies to">;

class RingiAlignmentOption : Option<"alignment", "alignment", "int64_t", "0",
  "Bytes are rounded up to a multiple of this; 0: what the plan or the assigned memory says, else 256">;

class RingiGemmWorkspaceOption : Option<"gemmWorkspace", "gemm-workspace", "int64_t", "-1",
  "Scratch bytes granted to each GEMM (a library workspace on a device); -1: what the plan or the assigned memory says, else 0">;

class RingiFormatOption : Option<"format", "format", "std::string", "\"text\"", "text (the default) or json">;

class RingiFileOption : Option<"file", "file", "std::string", "\"-\"", "Where the report goes; - (the default) is the standard output">;

class RingiDeviceOption : Option<"device", "device", "std::string", "\"\"",
  "A built-in device by name, or a JSON file; empty: the module's or the function's `ringi.device` attribute, else generic-cpu">;

class RingiOpTableOption : Option<"opTable", "op-table", "std::string", "\"\"",
  "What answers for ops of dialects that are not loaded: stablehlo, mhlo, hlo or a JSON file (docs/op-table.md); empty: what the plan was made with, else nothing">;

def PrintMemory : Pass<"ringi-print-memory", "::mlir::ModuleOp"> {
  let summary = "Print resident bytes over time, the peak and who holds it";
  let description = [{
    Simulates each function in the order in which it stands, clones included,
    under the memory model, and prints: the live peak and its op, bytes per
    category at the peak, the storages alive there with owner and last use, bytes
    per block, and resident bytes at each op. Changes nothing.

    `format=json` prints one object for one function and an array otherwise;
    docs/reports.md lists the keys.

    ```mlir
    // memory of 'step': live peak 768 bytes at relu_backward.3
    func.func @step(...)
    ```
  }];
  let options = [RingiFunctionOption<>, RingiFormatOption<>, RingiFileOption<>, RingiAlignmentOption<>,
                 RingiGemmWorkspaceOption<>, RingiOpTableOption<>];
}

def PrintCost : Pass<"ringi-print-cost", "::mlir::ModuleOp"> {
  let summary = "Print FLOPs, bytes, arithmetic intensity and predicted time";
  let description = [{
    Prints for each op its FLOPs, bytes moved, intensity (FLOPs per byte), the
    side of the roofline it lies on and the predicted time on a device; totals by
    phase and class; the step's FLOPs against 6 x parameters x tokens; and the
    model FLOPs utilisation when a measured step time is given. Recomputed FLOPs
    count in the time, never in the utilisation. Changes nothing.
  }];
  let options = [RingiFunctionOption<>, RingiFormatOption<>, RingiFileOption<>, RingiDeviceOption<>, RingiOpTableOption<>,
    Option<"seconds", "seconds", "double", "0.0", "Measured seconds of one step, for the model FLOPs utilisation">,
    Option<"tokens", "tokens", "int64_t", "0", "Tokens of one step; 0: elements of the targets, else rows of the first input">];
}

def PlanCheckpoints : Pass<"ringi-plan-checkpoints", "::mlir::ModuleOp"> {
  let summary = "Decide what to keep and what to recompute, as attributes";
  let description = [{
    Plans every function that has a backward part and writes the plan as
    attributes: on the function `ringi.plan` (strategy, budget, claims), on an op
    that runs again `ringi.id`, on the op before which clones run `ringi.replay`
    (their ids in order), with `order=free` on each op its `ringi.position`, and
    for the reader `ringi.decision` (one text per result). The plan can be
    reviewed, edited and compared as text; --ringi-apply-plan carries it out.

    Reads take the latest computation of a value. Regions that only group
    (ringi.block, ringi.no_grad) are flattened into attributes, and calls of
    functions of the module are replaced by their ops. Then CSE and
    loop-invariant code motion run over the step, and canonicalization where no op
    carries a `ringi.` attribute that it might drop: run later they would merge,
    move and fold ops that the plan counts, and hold what they merge for longer. `simplify=false` leaves that out. Nothing
    else changes, and functions without a backward part are left as they are.

    Ops of dialects that are not loaded are planned with `op-table`; ops that
    neither an interface nor the table knows are kept. `blocks` finds the units of
    every-block and sqrt where no op carries `ringi.block`.

    ```mlir
    %0 = ringi.relu %x {ringi.id = 0 : i64, ringi.phase = "forward"} : tensor<4xf32>
    ...
    %5 = ringi.relu_backward %dy, %0 {ringi.replay = array<i64: 0>, ringi.phase = "backward"} : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "std::string", "\"none\"",
           "none (the default), every-block, sqrt, selective, recompute-all, manual or memory-budget">,
    Option<"budget", "budget", "std::string", "\"\"",
           "For memory-budget: bytes of live peak (8GiB, 500MB), a percentage of the peak without recompute (60%), or auto (the device's memory less 5%)">,
    Option<"keep", "keep", "std::string", "\"gemm\"",
           "For selective: gemm (the default: results of GEMM, attention and convolution) or weight-gemm (only GEMMs with a parameter operand, attention, convolution and the context product)">,
    Option<"segments", "segments", "int32_t", "0", "For sqrt: number of segments; 0 (the default): about the square root of the number of blocks">,
    Option<"order", "order", "std::string", "\"fixed\"", "fixed (the default): first executions keep their order; free: they may move">,
    Option<"effort", "effort", "double", "1.0", "Local-search moves, in multiples of the usual; default 1">,
    Option<"seed", "seed", "uint64_t", "0", "Seed of the local search; default 0">,
    Option<"cost", "cost", "std::string", "\"flops\"", "What recompute costs: flops (the default), or time as predicted on the device">,
    RingiDeviceOption<>, RingiFunctionOption<>, RingiAlignmentOption<>, RingiGemmWorkspaceOption<>, RingiOpTableOption<>,
    Option<"simplify", "simplify", "bool", "true", "Run CSE and loop-invariant code motion, and canonicalization where no op is marked, over the step before planning; default true">,
    Option<"blocks", "blocks", "std::string", "\"\"",
           "Where blocks come from beside `ringi.block`: detect (segments that repeat), or a regular expression for name scopes whose first group, or whole match, names the block; empty: nowhere">,
    Option<"report", "report", "std::string", "\"\"", "Write the report of --ringi-print-plan as JSON into this file">,
    Option<"graphFile", "graph", "std::string", "\"\"",
           "Write the planning problem as graph JSON (docs/graph-json.md) into this file, also when no plan fits; one function only">];
  let dependentDialects = ["::ringi::RingiDialect"];
}

def PrintPlan : Pass<"ringi-print-plan", "::mlir::ModuleOp"> {
  let summary = "Print for each value whether it is kept or recomputed, and why";
  let description = [{
    Reads the attributes of --ringi-plan-checkpoints, before or after
    --ringi-apply-plan, and prints for each forward result that the rest of the
    step reads: kept or recomputed, bytes, producer, first backward use, source
    location and reason; then the plan's totals, and the ops whose semantics are
    unknown with the bytes they hold. Changes nothing.
  }];
  let options = [RingiFunctionOption<>, RingiFormatOption<>, RingiFileOption<>];
}

def ApplyPlan : Pass<"ringi-apply-plan", "::mlir::ModuleOp"> {
  let summary = "Carry out the plan: clones in ringi.recompute regions";
  let description = [{
    Puts the clones that `ringi.replay` names into `ringi.recompute` regions right
    before their first consumer. Clones that follow each other share a region,
    views are made again where they are read, and the region's operands are the
    values alive there; a forward value that it reads crosses through
    `ringi.save` and `ringi.load` where the function uses them. With
    `ringi.position` the ops are reordered. A clone carries `ringi.origin`, the
    `ringi.id` of its origin. Functions without `ringi.plan` are left as they are.

    ```mlir
    %r = ringi.recompute(%x) : (tensor<4xf32>) -> tensor<4xf32> {
      ^bb0(%a: tensor<4xf32>):
        %0 = ringi.relu %a {ringi.origin = 0 : i64} : tensor<4xf32>
        ringi.yield %0 : tensor<4xf32>
    }
    %5 = ringi.relu_backward %dy, %r : tensor<4xf32>
    ```
  }];
  let options = [RingiFunctionOption<>];
  let dependentDialects = ["::ringi::RingiDialect"];
}

def AssignMemory : Pass<"ringi-assign-memory", "::mlir::ModuleOp"> {
  let summary = "Give every value an offset in one arena";
  let description = [{
    Packs all storages of a step, arguments and workspaces included, into one
    arena. A result is written over an operand that dies there where the op
    allows it; a required in-place result (a parameter update) shares its
    argument's slot. Writes the byte offsets beside the ops (`ringi.offsets`;
    `ringi.workspace_offset`), on the arguments (`ringi.offset`), and the totals
    on the function (`ringi.memory`: live_peak, planned_peak, peak_op, alignment,
    gemm_workspace). Works on functions with
    `ringi.plan`, or on the one named; others are left as they are.
  }];
  let options = [RingiFunctionOption<>, RingiAlignmentOption<>, RingiGemmWorkspaceOption<>,
    Option<"effort", "effort", "int64_t", "200000", "Search nodes of the exact packing; default 200000, 0: heuristics only">];
}

def VerifyPlan : Pass<"ringi-verify-plan", "::mlir::ModuleOp"> {
  let summary = "Re-simulate the planned IR and fail on any drift";
  let description = [{
    Trusts no claim: walks the IR as it stands with its own liveness and, when
    memory is assigned, its own map of the arena, and fails the compile when a
    value is read whose bytes were overwritten, when slots that are alive
    together share bytes, when an op that may not run again has a clone, when a
    clone differs from its origin, when a mark is not honoured, or when the
    live peak, the planned peak, the number of recomputes or their FLOPs are not
    what the attributes claim. Shares no code with the planner, the simulator or
    --ringi-assign-memory. Changes nothing.
  }];
  let options = [RingiFunctionOption<>, RingiOpTableOption<>];
}

def InlineRecompute : Pass<"ringi-inline-recompute", "::mlir::ModuleOp"> {
  let summary = "Flatten ringi.recompute for pipelines that need flat IR";
  let description = [{
    Replaces each `ringi.recompute` by its ops. This is the last pass: what
    follows may merge a clone with its origin. With `barrier=<op>`, or with an op
    table that names one, the values that feed a replay first go through one op of
    that name (all operands in, the same types out, e.g.
    stablehlo.optimization_barrier), which keeps the two apart.
    Arguments of the function and gradients never go through it.
  }];
  let options = [RingiFunctionOption<>,
    RingiOpTableOption<>,
    Option<"barrier", "barrier", "std::string", "\"\"",
           "Name of the barrier op; none: no barrier; empty: the one that the op table names, else none">,
    Option<"strip", "strip", "bool", "false", "Remove every `ringi.` attribute, for tools that do not know them">];
}

def ExportProgram : Pass<"ringi-export-program", "::mlir::ModuleOp"> {
  let summary = "Write the step program that the runtime executes";
  let description = [{
    Writes the function with assigned memory as a step program
    (docs/step-program.md): every op bound to its slots, views as byte offsets,
    constants as segments, and the claims of the plan. The file is checked by the
    loader's own verifier before it is written. Changes nothing.
  }];
  let options = [RingiFunctionOption<>,
    Option<"file", "file", "std::string", "\"\"", "The program file to write (.rgp)">];
}

#endif // RINGI_TRANSFORMS_PLANNINGPASSES
