//===- NameScope.cpp - Where a frontend says an op came from --------------===//
//
// Part of Ringi. Reads attribute and location.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/NameScope.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

static std::string scopeOf(LocationAttr location) {
  return TypeSwitch<LocationAttr, std::string>(location)
      .Case([](NameLoc name) { return name.getName().str(); })
      .Case([](CallSiteLoc call) {
        std::string caller = scopeOf(call.getCaller());
        std::string callee = scopeOf(call.getCallee());
        return caller.empty() || callee.empty() ? caller + callee
                                                : caller + "/" + callee;
      })
      .Case([](FusedLoc fused) {
        for (Location part : fused.getLocations())
          if (std::string scope = scopeOf(part); !scope.empty())
            return scope;
        return std::string();
      })
      .Default([](LocationAttr) { return std::string(); });
}

std::string ringi::getNameScope(Operation *op, const OpModel &model) {
  StringRef attribute = model.scopeAttribute();
  if (!attribute.empty())
    if (auto scope = op->getAttrOfType<StringAttr>(attribute))
      return scope.str();
  return scopeOf(op->getLoc());
}
