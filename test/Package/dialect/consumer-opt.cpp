//===- consumer-opt.cpp - An opt tool with Ringi inside -------------------===//
//
// Part of Ringi. Somebody else's tool: its own dialect, func, and Ringi's
// dialect and passes.
//
//===----------------------------------------------------------------------===//

#include "Consumer.h"

#include "ringi/InitAllRingi.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registry.insert<consumer::ConsumerDialect, mlir::func::FuncDialect>();
  ringi::registerAllDialects(registry);
  ringi::registerAllPasses();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "consumer-opt\n", registry));
}
