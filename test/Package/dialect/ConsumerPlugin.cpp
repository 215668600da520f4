//===- ConsumerPlugin.cpp - A second plugin beside Ringi's ----------------===//
//
// Part of Ringi. Only the dialect; the passes come from RingiPlugin.so.
//
//===----------------------------------------------------------------------===//

#include "Consumer.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/Tools/Plugins/DialectPlugin.h"

extern "C" LLVM_ATTRIBUTE_WEAK
    LLVM_ATTRIBUTE_VISIBILITY_DEFAULT mlir::DialectPluginLibraryInfo
    mlirGetDialectPluginInfo() {
  return {MLIR_PLUGIN_API_VERSION, "Consumer", "0.1.0",
          [](mlir::DialectRegistry *registry) {
            registry->insert<consumer::ConsumerDialect>();
          }};
}
