//===- Calibrate.h - Calibration files --------------------------*- C++ -*-===//
//
// Part of Ringi. Writes what a device reaches as a #ringi.device JSON, and
// reads one back for the utilisation of a run. Keys: docs/runtime.md,
// "Calibration".
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_RUN_CALIBRATE_H
#define RINGI_TOOLS_RINGI_RUN_CALIBRATE_H

#include "ringi/Runtime/Device.h"
#include "ringi/Support/DeviceSpec.h"

namespace ringi::run {

/// Measures `device` and writes the JSON to `path`, and a line per rate to
/// standard error.
Status writeCalibration(runtime::Device &device, const std::string &path);

/// Reads a file of writeCalibration(). The error names both devices when it is
/// another one's.
Expected<DeviceSpec> loadCalibration(const std::string &path,
                                     const runtime::Device &device);

} // namespace ringi::run

#endif // RINGI_TOOLS_RINGI_RUN_CALIBRATE_H
