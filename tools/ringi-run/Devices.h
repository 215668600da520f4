//===- Devices.h - The devices that --device names --------------*- C++ -*-===//
//
// Part of Ringi. From the command line's words to a device, and the list of
// those that this build and this machine have.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_RUN_DEVICES_H
#define RINGI_TOOLS_RINGI_RUN_DEVICES_H

#include "ringi/Runtime/CudaDevice.h"
#include "ringi/Runtime/HostDevice.h"

namespace ringi::run {

struct DeviceOptions {
  /// "host", "cuda" or "cuda:N".
  std::string name = "host";
  runtime::HostOptions host;
  /// cuda.device is what `name` says.
  runtime::CudaOptions cuda;
};

/// Errors: an unknown name, an option of another device, and all of
/// makeHostDevice() and makeCudaDevice().
Expected<std::unique_ptr<runtime::Device>>
makeDevice(const DeviceOptions &options);

/// Prints one line per device. The error is that of listCudaDevices(); the host
/// is printed before it.
Status printDevices();

} // namespace ringi::run

#endif // RINGI_TOOLS_RINGI_RUN_DEVICES_H
