//===- RingiAttrs.cpp - Attributes of the ringi dialect -------------------===//
//
// Part of Ringi. Verifiers and accessors of #ringi.init and #ringi.device.
//
//===----------------------------------------------------------------------===//

#include "ringi/Dialect/Ringi/IR/RingiAttrs.h"
#include "ringi/Dialect/Ringi/IR/RingiDialect.h"
#include "ringi/Support/DeviceSpec.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace ringi;

#include "ringi/Dialect/Ringi/IR/RingiEnums.cpp.inc"
#define GET_ATTRDEF_CLASSES
#include "ringi/Dialect/Ringi/IR/RingiAttrs.cpp.inc"

void RingiDialect::registerAttributes() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ringi/Dialect/Ringi/IR/RingiAttrs.cpp.inc"
      >();
}

double InitAttr::getScaleValue() const {
  return getScale() ? getScale().getValueAsDouble() : 0.0;
}

LogicalResult InitAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               InitKind kind, FloatAttr scale) {
  bool takesNumber = kind != InitKind::Zeros && kind != InitKind::Ones;
  if (takesNumber && !scale)
    return emitError() << "init '" << stringifyInitKind(kind)
                       << "' needs a number, as in <" << stringifyInitKind(kind)
                       << ", 1.0>";
  if (!takesNumber && scale)
    return emitError() << "init '" << stringifyInitKind(kind)
                       << "' takes no number, but got " << scale;
  if (!scale)
    return success();
  double value = scale.getValueAsDouble();
  if (!std::isfinite(value))
    return emitError() << "init '" << stringifyInitKind(kind)
                       << "' needs a finite number, but got " << scale;
  if ((kind == InitKind::Normal || kind == InitKind::Uniform) && value < 0)
    return emitError() << "init '" << stringifyInitKind(kind)
                       << "' needs a number >= 0, but got " << scale;
  if (kind == InitKind::Tokens && (value < 1 || value != std::floor(value)))
    return emitError() << "init 'tokens' needs a whole vocabulary size >= 1, "
                          "but got "
                       << scale;
  return success();
}

LogicalResult DeviceAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name, DictionaryAttr flops,
                                 FloatAttr bandwidth, FloatAttr launch,
                                 IntegerAttr memory) {
  if (!flops && !bandwidth && !launch && !memory) {
    if (findBuiltinDevice(name.str()))
      return success();
    return emitError() << "unknown device '" << name << "'; known are "
                       << llvm::join(builtinDeviceNames(), ", ")
                       << ", or state flops, bandwidth, launch and memory";
  }
  if (!flops || !bandwidth || !launch || !memory)
    return emitError() << "device '" << name
                       << "' must state all of flops, bandwidth, launch and "
                          "memory";
  if (flops.empty())
    return emitError() << "device '" << name << "' has no FLOP/s entry";
  for (NamedAttribute entry : flops) {
    auto rate = dyn_cast<FloatAttr>(entry.getValue());
    if (!rate || !(rate.getValueAsDouble() > 0))
      return emitError() << "device '" << name << "': flops of '"
                         << entry.getName().getValue()
                         << "' must be a float > 0, but got "
                         << entry.getValue();
  }
  if (!(bandwidth.getValueAsDouble() > 0))
    return emitError() << "device '" << name
                       << "': bandwidth must be > 0, but got " << bandwidth;
  if (!(launch.getValueAsDouble() >= 0))
    return emitError() << "device '" << name
                       << "': launch must be >= 0, but got " << launch;
  if (memory.getInt() <= 0)
    return emitError() << "device '" << name
                       << "': memory must be > 0, but got " << memory;
  return success();
}

DeviceSpec DeviceAttr::getSpec() const {
  if (!getFlops())
    return *findBuiltinDevice(getName().str());
  DeviceSpec spec;
  spec.name = getName().str();
  for (NamedAttribute entry : getFlops())
    spec.flops[entry.getName().str()] =
        cast<FloatAttr>(entry.getValue()).getValueAsDouble();
  spec.bandwidth = getBandwidth().getValueAsDouble();
  spec.launch = getLaunch().getValueAsDouble();
  spec.memory = getMemory().getInt();
  return spec;
}

DeviceAttr DeviceAttr::get(MLIRContext *context, const DeviceSpec &spec) {
  Builder builder(context);
  SmallVector<NamedAttribute> flops;
  for (const auto &[type, rate] : spec.flops)
    flops.push_back(builder.getNamedAttr(type, builder.getF64FloatAttr(rate)));
  return get(context, spec.name, builder.getDictionaryAttr(flops),
             builder.getF64FloatAttr(spec.bandwidth),
             builder.getF64FloatAttr(spec.launch),
             builder.getI64IntegerAttr(spec.memory));
}
