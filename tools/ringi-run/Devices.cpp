//===- Devices.cpp - The devices that --device names ------------*- C++ -*-===//
//
// Part of Ringi. The only file of the tool that knows whether the CUDA device
// was built: ringi-run and the tests' ringi-run-emulated differ in it alone.
//
//===----------------------------------------------------------------------===//

#include "Devices.h"

#include <charconv>
#include <cinttypes>
#include <cstdio>
#include <thread>

using namespace ringi;
using namespace ringi::run;
using namespace ringi::runtime;

#ifdef RINGI_HAS_CUDA
static const char kKnown[] = "host, cuda, cuda:N";
#else
static const char kKnown[] = "host";
#endif

static Error unknownDevice(const std::string &name) {
  return Error::badInput("unknown device '" + name +
                         "'; this build has: " + kKnown);
}

#ifdef RINGI_HAS_CUDA
/// "cuda" is device 0, "cuda:N" device N.
static Expected<int> ordinalOf(const std::string &name) {
  const std::string prefix = "cuda";
  if (name == prefix)
    return 0;
  int ordinal = 0;
  const char *end = name.data() + name.size();
  if (name.rfind(prefix + ":", 0) == 0) {
    auto [stop, code] =
        std::from_chars(name.data() + prefix.size() + 1, end, ordinal);
    if (code == std::errc() && stop == end && ordinal >= 0)
      return ordinal;
  }
  return unknownDevice(name);
}
#endif

Expected<std::unique_ptr<Device>>
run::makeDevice(const DeviceOptions &options) {
  if (options.name == "host") {
    if (options.cuda.tf32 || !options.cuda.gemmCache.empty())
      return Error::badInput(
          std::string("option ") +
          (options.cuda.tf32 ? "--tf32" : "--gemm-cache") +
          " is for the CUDA device, not for the host; add --device cuda");
    return makeHostDevice(options.host);
  }
#ifdef RINGI_HAS_CUDA
  Expected<int> ordinal = ordinalOf(options.name);
  if (!ordinal)
    return ordinal.error();
  if (options.host.threads || !options.host.gemm.empty())
    return Error::badInput(
        std::string("option ") +
        (options.host.threads ? "--threads" : "--gemm") +
        " is for the host, not for the CUDA device; leave it or --device out");
  CudaOptions cuda = options.cuda;
  cuda.device = *ordinal;
  return makeCudaDevice(cuda);
#else
  return unknownDevice(options.name);
#endif
}

Status run::printDevices() {
  std::printf("host: %u processors\n", std::thread::hardware_concurrency());
#ifdef RINGI_HAS_CUDA
  Expected<std::vector<CudaDeviceInfo>> devices = listCudaDevices();
  if (!devices)
    return devices.error();
  for (const CudaDeviceInfo &device : *devices)
    std::printf("cuda:%d: %s, compute capability %d.%d, %" PRId64
                " bytes, %" PRId64 " free\n",
                device.ordinal, device.name.c_str(), device.major, device.minor,
                device.totalBytes, device.freeBytes);
#else
  std::printf("cuda: not in this build; configure with RINGI_BUILD_CUDA=ON\n");
#endif
  return Status::success();
}
