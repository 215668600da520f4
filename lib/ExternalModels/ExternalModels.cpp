//===- ExternalModels.cpp - Every upstream dialect that takes part --------===//
//
// Part of Ringi. The sum of the files beside this one.
//
//===----------------------------------------------------------------------===//

#include "ringi/ExternalModels/ExternalModels.h"

void ringi::registerExternalModels(mlir::DialectRegistry &registry) {
  registerArithModels(registry);
  registerMathModels(registry);
  registerLinalgModels(registry);
  registerTensorModels(registry);
  registerTosaModels(registry);
  registerScfModels(registry);
  registerFuncModels(registry);
}
