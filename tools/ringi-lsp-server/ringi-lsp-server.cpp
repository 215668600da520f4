//===- ringi-lsp-server.cpp - Editor support for ringi IR -----------------===//
//
// Part of Ringi. The MLIR language server with the dialects that Ringi reads.
//
//===----------------------------------------------------------------------===//

#include "ringi/InitAllRingi.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  ringi::registerAllDialects(registry);
  return mlir::failed(mlir::MlirLspServerMain(argc, argv, registry)) ? 2 : 0;
}
