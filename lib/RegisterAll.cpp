//===- RegisterAll.cpp - Register everything ------------------------------===//
//
// Part of Ringi. The lists behind InitAllRingi.h.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiDialect.h"
#include "ringi/ExternalModels/ExternalModels.h"
#include "ringi/InitAllRingi.h"
#include "ringi/Transforms/Passes.h"
#include "ringi/Transforms/Pipelines.h"

#include "mlir/IR/DialectRegistry.h"

void ringi::registerAllDialects(mlir::DialectRegistry &registry) {
  registry.insert<RingiDialect>();
  registerExternalModels(registry);
}

void ringi::registerAllPasses() {
  static const bool once = [] {
    registerRingiPasses();
    registerPipelines();
    return true;
  }();
  (void)once;
}
