//===- ringi-opt.cpp - Passes on IR files ---------------------------------===//
//
// Part of Ringi. mlir-opt with Ringi's dialect and passes and the upstream
// ones; exit code 1 for a refused plan, 2 for bad input.
//
//===----------------------------------------------------------------------===//

#include "ringi/InitAllRingi.h"
#include "ringi/Support/ExitCode.h"

#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/raw_ostream.h"

static constexpr char kOverview[] =
    R"(ringi-opt: plan activation checkpointing on MLIR

A forward function (ringi-model writes some) to a step program for ringi-run:
  ringi-opt model.mlir --ringi-train="strategy=selective optimizer=adamw"
      --ringi-export-program="file=step.rgp" -o planned.mlir
A joint training step of any dialect, forward and backward in one function:
  ringi-opt step.mlir --ringi-checkpoint="strategy=memory-budget budget=60%"
What it needs and why, at any point:
  ringi-opt planned.mlir --ringi-print-memory --ringi-print-plan -o /dev/null

Options of a pass are given as one quoted text, --pass="name=value name=value".
The passes of Ringi begin with --ringi- and are listed below among MLIR's:
  ringi-opt --help | grep -A 20 -e '--ringi-'
Exit code: 0 = done, 1 = no plan fits (the error names the least budget that
does), 2 = bad input.
)";

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  mlir::registerAllPasses();
  ringi::registerAllDialects(registry);
  ringi::registerAllPasses();

  llvm::cl::opt<std::string> input(llvm::cl::Positional,
                                   llvm::cl::desc("<input file>"),
                                   llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Output filename"),
                                    llvm::cl::value_desc("filename"),
                                    llvm::cl::init("-"));
  std::string header = mlir::registerCLIOptions(kOverview, registry);
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, header, &llvm::errs()))
    return 2;
  if (mlir::failed(mlir::MlirOptMain(argc, argv, input, output, registry)))
    return ringi::failureExitCode();
  return 0;
}
