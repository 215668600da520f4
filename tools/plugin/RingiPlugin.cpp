//===- RingiPlugin.cpp - Ringi for a stock mlir-opt -----------------------===//
//
// Part of Ringi. Exports both plugin entry points. Only the dialect callback
// receives a registry, so it registers the external models and the passes too:
// --load-dialect-plugin alone is enough.
//
//===----------------------------------------------------------------------===//

#include "ringi/InitAllRingi.h"

#include "mlir/Tools/Plugins/DialectPlugin.h"
#include "mlir/Tools/Plugins/PassPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
    mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Ringi", "0.1.0",
          [](mlir::DialectRegistry *registry) {
            ringi::registerAllDialects(*registry);
            ringi::registerAllPasses();
          }};
}

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::PassPluginLibraryInfo
    mlirGetPassPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Ringi", "0.1.0",
          [] { ringi::registerAllPasses(); }};
}
