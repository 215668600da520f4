//===- FunctionSelection.cpp - Which functions a pass works on ------------===//
//
// Part of Ringi. The option `function=` of every analysis and planning pass.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/ActivationGraph.h"

#include "mlir/IR/SymbolTable.h"

using namespace mlir;

FailureOr<std::vector<FunctionOpInterface>>
ringi::selectFunctions(Operation *module, StringRef name) {
  std::vector<FunctionOpInterface> functions;
  module->walk<WalkOrder::PreOrder>([&](FunctionOpInterface function) {
    if (!function.isExternal() && (name.empty() || function.getName() == name))
      functions.push_back(function);
    return WalkResult::skip();
  });
  if (functions.empty() && !name.empty())
    return mlir::emitError(module->getLoc())
           << "no function '" << name
           << "' with a body in the module; check the option 'function'";
  return functions;
}
