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
  std::string header = mlir::registerCLIOptions(
      "ringi-opt: plan activation checkpointing on MLIR\n", registry);
  if (!llvm::cl::ParseCommandLineOptions(argc, argv, header, &llvm::errs()))
    return 2;
  if (mlir::failed(mlir::MlirOptMain(argc, argv, input, output, registry)))
    return ringi::failureExitCode();
  return 0;
}
