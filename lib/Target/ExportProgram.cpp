//===- ExportProgram.cpp - Write a step program ---------------------------===//
//
// Part of Ringi. The pass around ProgramExport.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Target/ProgramExport.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/PlanAttributes.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/MathExtras.h"

namespace ringi {
#define GEN_PASS_DEF_EXPORTPROGRAM
#include "ringi/Transforms/Passes.h.inc"
} // namespace ringi

using namespace mlir;
using namespace ringi;

namespace {

struct ExportProgramPass : ringi::impl::ExportProgramBase<ExportProgramPass> {
  using ExportProgramBase::ExportProgramBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(exportModule()))
      signalPassFailure();
  }

  static bool hasRole(ModuleOp module) {
    return module
        ->walk([](FunctionOpInterface function) {
          for (unsigned i = 0; i < function.getNumArguments(); ++i)
            if (function.getArgAttr(i, attr::kRole))
              return WalkResult::interrupt();
          return WalkResult::skip();
        })
        .wasInterrupted();
  }

  LogicalResult exportModule() {
    ModuleOp module = getOperation();
    if (file.empty())
      return mlir::emitError(module.getLoc())
             << "ringi-export-program needs the file to write; give file=x.rgp";
    FailureOr<std::vector<FunctionOpInterface>> functions =
        selectFunctions(module, function);
    if (failed(functions))
      return failure();
    llvm::erase_if(*functions, [](FunctionOpInterface step) {
      return !step->hasAttr(attr::kMemory);
    });
    if (functions->empty() && !hasRole(module))
      return mlir::emitError(module.getLoc())
             << "0 functions have assigned memory and no argument of any has a "
                "ringi.role, so that there is no step to export; mark "
                "parameters and inputs and run --ringi-train";
    if (functions->size() != 1)
      return mlir::emitError(module.getLoc())
             << functions->size()
             << " functions have assigned memory but a program holds 1; "
             << (functions->empty() ? "run --ringi-assign-memory first"
                                    : "name one with function=");
    FunctionOpInterface step = functions->front();
    if (failed(checkPlanApplied(step)))
      return failure();
    FailureOr<GraphOptions> options = graphOptionsFor(step);
    if (failed(options))
      return failure();
    // What the loader takes.
    constexpr int64_t least = 8, most = 1 << 20;
    if (!llvm::isPowerOf2_64(options->alignment) ||
        options->alignment < least || options->alignment > most)
      return mlir::emitError(step->getLoc())
             << "'" << step.getName() << "' has memory of alignment "
             << options->alignment << ", but a program takes a power of two "
             << "from " << least << " to " << most
             << "; plan and assign with alignment=256";
    FailureOr<ActivationGraph> graph = ActivationGraph::build(step, *options);
    if (failed(graph))
      return failure();
    FailureOr<MemoryAssignment> assignment = readAssignment(*graph);
    if (failed(assignment))
      return failure();
    FailureOr<program::ProgramFile> exported =
        exportProgram(*graph, *assignment);
    if (failed(exported))
      return failure();
    if (Status status = program::verifyProgram(exported->program); !status)
      return mlir::emitError(step->getLoc())
             << "the program is refused by its own loader: "
             << status.error().message;
    if (Status status =
            program::saveProgram(exported->program, exported->segments, file);
        !status)
      return mlir::emitError(step->getLoc()) << status.error().message;
    return success();
  }
};

} // namespace
