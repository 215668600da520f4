//===- HostDevice.h - The device that every build has -----------*- C++ -*-===//
//
// Part of Ringi. Runs step programs on the CPU's threads out of one fenced
// mapping.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_HOSTDEVICE_H
#define RINGI_RUNTIME_HOSTDEVICE_H

#include "ringi/Runtime/Device.h"

namespace ringi::runtime {

struct HostOptions {
  /// Threads of every kernel, fixed for the device's life; 0 = one per
  /// processor that this process may use. Results do not depend on it.
  int threads = 0;
  /// GEMM provider: "ref" (own kernels) or "onednn"; "" = the build's default.
  std::string gemm;
  /// Refuse arenas above this many bytes; 0 = what the machine has available.
  int64_t memoryLimit = 0;
};

/// Errors name an unknown provider or a bad thread count.
Expected<std::unique_ptr<Device>> makeHostDevice(const HostOptions &options);

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_HOSTDEVICE_H
