//===- EmulatedPlatform.cpp - A CUDA platform on the host -------*- C++ -*-===//
//
// Part of Ringi. Test-only: the arena is a fenced mapping, copies are memcpy,
// GEMMs go to the host's reference provider, kernels run as fibers.
// synchronize() reports what the emulation found.
//
//===----------------------------------------------------------------------===//

#include "Platform.h"

#include "../host/FencedArena.h"
#include "ringi/Runtime/HostDevice.h"

#include <cstring>

using namespace ringi;
using namespace ringi::cuda;

namespace {

using runtime::Arena;
using runtime::BoundOp;
using runtime::CudaDeviceInfo;
using runtime::CudaOptions;
using runtime::OpCall;

class EmulatedPlatform : public Platform {
public:
  explicit EmulatedPlatform(std::unique_ptr<runtime::Device> host)
      : host(std::move(host)) {}

  std::string name() const override { return "cuda:emulated"; }
  cudaStream_t stream() const override { return nullptr; }
  Expected<std::unique_ptr<Arena>> makeArena(int64_t bytes) override {
    return runtime::FencedArena::make(bytes, 0);
  }
  Status copyIn(void *device, const void *from, int64_t bytes) override {
    std::memcpy(device, from, size_t(bytes));
    return Status::success();
  }
  Status copyOut(void *to, const void *device, int64_t bytes) override {
    std::memcpy(to, device, size_t(bytes));
    return Status::success();
  }
  Status fill(void *device, uint8_t pattern, int64_t bytes) override {
    std::memset(device, pattern, size_t(bytes));
    return Status::success();
  }
  Status synchronize() override {
    std::vector<std::string> faults = emulation::takeFaults();
    if (faults.empty())
      return Status::success();
    return Error::badInput(faults.front());
  }
  Expected<Launcher> bindGemm(const OpCall &call) override {
    // The host's own GEMM needs no workspace; a device's belongs to cuBLASLt.
    OpCall hostCall = call;
    hostCall.workspace = nullptr;
    hostCall.workspaceBytes = 0;
    Expected<std::unique_ptr<BoundOp>> bound = host->bind(hostCall);
    if (!bound)
      return bound.error();
    std::shared_ptr<BoundOp> op = std::move(*bound);
    return Launcher([op](cudaStream_t) { op->launch(); });
  }
  Expected<std::unique_ptr<BoundOp>>
  capture(const std::function<void()> &) override {
    return std::unique_ptr<BoundOp>();
  }
  /// Fibers and launches allocate on the host, which says nothing of a device.
  int64_t memoryDrift() const override { return -1; }

private:
  std::unique_ptr<runtime::Device> host;
};

} // namespace

Expected<std::vector<CudaDeviceInfo>> runtime::listCudaDevices() {
  return std::vector<CudaDeviceInfo>{{0, "emulated", 8, 0,
                                      runtime::availableMemory(),
                                      runtime::availableMemory()}};
}

Expected<std::unique_ptr<runtime::Device>>
runtime::makeCudaDevice(const CudaOptions &cuda) {
  if (Status status = checkOrdinal(cuda.device, 1); !status)
    return status.error();
  runtime::HostOptions options;
  options.threads = 1;
  options.gemm = "ref";
  Expected<std::unique_ptr<Device>> host = runtime::makeHostDevice(options);
  if (!host)
    return host.error();
  return makeDevice(std::make_unique<EmulatedPlatform>(std::move(*host)));
}
