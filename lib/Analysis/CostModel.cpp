//===- CostModel.cpp - FLOPs, bytes and predicted time of an op -----------===//
//
// Part of Ringi. Reads costs from whoever answers for an op and applies the
// roofline.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/CostModel.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Dialect/Ringi/IR/RingiAttrs.h"
#include "ringi/Interfaces/RingiInterfaces.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;

OpCost ringi::getOpCost(Operation *op, const OpModel &model) {
  OpCost cost;
  if (OpSemantics known = model(op)) {
    cost.known = true;
    cost.flops = known.getFlops();
    cost.bytes = known.getBytesAccessed();
    cost.opClass = known.getOpClass();
  } else {
    cost.bytes = detail::defaultBytesAccessed(op);
  }
  if (Attribute override = op->getAttr(attr::kCost)) {
    if (auto number = dyn_cast<FloatAttr>(override)) {
      cost.known = true;
      cost.flops = number.getValueAsDouble();
    } else if (auto integer = dyn_cast<IntegerAttr>(override)) {
      cost.known = true;
      cost.flops = double(integer.getInt());
    }
  }
  auto look = [&](TypeRange types) {
    for (Type type : types)
      if (auto element = dyn_cast<FloatType>(getElementTypeOrSelf(type))) {
        cost.elementType.clear();
        llvm::raw_string_ostream(cost.elementType) << element;
        return true;
      }
    return false;
  };
  if (!look(op->getOperandTypes()))
    look(op->getResultTypes());
  return cost;
}

double ringi::computeSeconds(const OpCost &cost, const DeviceSpec &device) {
  return cost.flops / device.flopsFor(cost.elementType);
}

double ringi::trafficSeconds(const OpCost &cost, const DeviceSpec &device) {
  return cost.bytes / device.bandwidth;
}

double ringi::predictSeconds(const OpCost &cost, const DeviceSpec &device) {
  return std::max(computeSeconds(cost, device), trafficSeconds(cost, device)) +
         device.launch;
}

Expected<DeviceSpec> ringi::findDevice(Operation *function,
                                       const std::string &option) {
  if (!option.empty())
    return resolveDevice(option);
  for (Operation *op = function; op; op = op->getParentOp())
    if (auto device = op->getAttrOfType<DeviceAttr>(attr::kDevice))
      return device.getSpec();
  return resolveDevice("generic-cpu");
}
