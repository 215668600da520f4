//===- HostDevice.cpp - The device that every build has ---------*- C++ -*-===//
//
// Part of Ringi. Arena and copies of the host; kernels come from
// runtime/host/kernels. Work is done when launch() returns.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/HostDevice.h"
#include "FencedArena.h"
#include "HostKernels.h"
#include "ringi/Runtime/AllocationCounter.h"

#include <cstring>
#include <fstream>

using namespace ringi;
using namespace ringi::runtime;

namespace {

/// The processor as the kernel of the operating system names it.
std::string processorName() {
  std::ifstream stream("/proc/cpuinfo");
  const std::string key = "model name";
  for (std::string line; std::getline(stream, line);)
    if (size_t colon = line.find(": ");
        line.rfind(key, 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2);
  return "unknown processor";
}

class HostDevice : public Device {
public:
  HostDevice(const HostOptions &options, std::unique_ptr<HostKernels> kernels)
      : options(options), kernels(std::move(kernels)),
        allocationsBefore(allocationCount()) {}

  std::string name() const override { return "host"; }
  std::string model() const override {
    return "host " + processorName() + ", " + kernels->settings();
  }
  DeviceMemory memory() const override {
    int64_t bytes =
        options.memoryLimit > 0 ? options.memoryLimit : availableMemory();
    return {bytes, bytes, -1};
  }
  Expected<std::unique_ptr<Arena>> makeArena(int64_t bytes) override {
    return FencedArena::make(bytes, options.memoryLimit);
  }
  Expected<std::unique_ptr<BoundOp>> bind(const OpCall &call) override {
    return kernels->bind(call);
  }
  Status copyIn(void *device, const void *host, int64_t bytes) override {
    std::memcpy(device, host, static_cast<size_t>(bytes));
    return Status::success();
  }
  Status copyOut(void *host, const void *device, int64_t bytes) override {
    std::memcpy(host, device, static_cast<size_t>(bytes));
    return Status::success();
  }
  Status fill(void *device, uint8_t pattern, int64_t bytes) override {
    std::memset(device, pattern, static_cast<size_t>(bytes));
    return Status::success();
  }
  Status synchronize() override { return Status::success(); }
  int64_t allocationsInSteps() const override {
    return allocationsBefore < 0 ? -1 : allocationCount() - allocationsBefore;
  }

private:
  HostOptions options;
  std::unique_ptr<HostKernels> kernels;
  int64_t allocationsBefore;
};

} // namespace

Expected<std::unique_ptr<Device>>
runtime::makeHostDevice(const HostOptions &options) {
  if (options.threads < 0 || options.threads > 1024)
    return Error::badInput("cannot use " + std::to_string(options.threads) +
                           " threads; give 1 to 1024, or 0 for one per "
                           "processor");
  Expected<std::unique_ptr<HostKernels>> kernels = makeHostKernels(options);
  if (!kernels)
    return kernels.error();
  return std::unique_ptr<Device>(
      std::make_unique<HostDevice>(options, std::move(*kernels)));
}
