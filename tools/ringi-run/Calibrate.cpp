//===- Calibrate.cpp - Calibration files ------------------------*- C++ -*-===//
//
// Part of Ringi. The file's "name" is the device's model, by which a file of
// another device is recognised.
//
//===----------------------------------------------------------------------===//

#include "Calibrate.h"
#include "Report.h"
#include "ringi/Runtime/Calibration.h"

#include <nlohmann/json.hpp>

#include <cinttypes>
#include <cstdio>

using namespace ringi;
using Json = nlohmann::ordered_json;

Status run::writeCalibration(runtime::Device &device, const std::string &path) {
  Expected<runtime::Calibration> measured = runtime::calibrate(device);
  if (!measured)
    return measured.error();
  std::fprintf(stderr, "device %s\n", measured->device.c_str());
  Json flops = Json::object(), bySize = Json::object();
  for (const runtime::GemmRate &rate : measured->gemm) {
    const char *type = program::toString(rate.type);
    std::fprintf(stderr, "gemm %-4s %5" PRId64 ": %.4g FLOP/s\n", type,
                 rate.size, rate.flops);
    flops[type] = measured->bestRate(rate.type);
    bySize[type][std::to_string(rate.size)] = rate.flops;
  }
  std::fprintf(stderr, "bandwidth %.4g bytes/s, launch %.4g s\n",
               measured->bandwidth, measured->launch);
  Json json = {{"name", measured->device},
               {"flops", flops},
               {"bandwidth", measured->bandwidth},
               {"launch", measured->launch},
               {"memory", measured->memory},
               {"measured", {{"gemm_flops", bySize}}}};
  return writeText(
      path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

Expected<DeviceSpec> run::loadCalibration(const std::string &path,
                                          const runtime::Device &device) {
  Expected<DeviceSpec> spec = loadDeviceSpec(path);
  if (!spec || spec->name == device.model())
    return spec;
  return Error::badInput("calibration file '" + path + "' is of device '" +
                         spec->name + "', this device is '" + device.model() +
                         "'; run --calibrate on it, with the same options");
}
