//===- CudaDevice.h - Step programs on an NVIDIA GPU ------------*- C++ -*-===//
//
// Part of Ringi. The CUDA device behind the interface that the host device has:
// one arena of virtual memory that ends at a mapping's end, one stream, kernels
// that allocate nothing, GEMM algorithms pinned per shape.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_CUDADEVICE_H
#define RINGI_RUNTIME_CUDADEVICE_H

#include "ringi/Runtime/Device.h"

namespace ringi::runtime {

struct CudaOptions {
  /// Ordinal of the device, as the driver counts.
  int device = 0;
  /// Let f32 GEMMs round their operands to tf32.
  bool tf32 = false;
  /// File of pinned GEMM algorithms, read when it exists and extended with
  /// every new shape; "" keeps them in memory.
  std::string gemmCache;
};

/// What `ringi-run --devices` shows of one device.
struct CudaDeviceInfo {
  int ordinal = 0;
  std::string name;
  int major = 0, minor = 0;
  int64_t totalBytes = 0, freeBytes = 0;
};

/// All devices. The error names the call that failed and the versions of driver
/// and toolkit.
Expected<std::vector<CudaDeviceInfo>> listCudaDevices();

/// Errors: no driver or device, an ordinal out of range, an architecture below
/// sm_80, an unreadable cache file.
Expected<std::unique_ptr<Device>> makeCudaDevice(const CudaOptions &options);

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_CUDADEVICE_H
