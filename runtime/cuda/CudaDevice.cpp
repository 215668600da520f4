//===- CudaDevice.cpp - Device interface over a platform --------*- C++ -*-===//
//
// Part of Ringi. Binds each op to a launcher on the platform's stream; the same
// code serves the GPU and the emulation.
//
//===----------------------------------------------------------------------===//

#include "Platform.h"

#include "ringi/Program/OpSignature.h"
#include "ringi/Runtime/ProductParts.h"

namespace ringi::cuda {

namespace {

/// Vector loads and cuBLASLt's tensor-core kernels read this many bytes.
constexpr int64_t kLeastAlignment = 16;
/// First major version of the compute capability with bf16 matrix units.
constexpr int kLeastMajor = 8;

using runtime::Arena;
using runtime::BoundOp;
using runtime::Device;
using runtime::OpCall;

class LaunchedOp : public BoundOp {
public:
  LaunchedOp(Launcher launcher, cudaStream_t stream)
      : launcher(std::move(launcher)), stream(stream) {}
  void launch() override { launcher(stream); }

private:
  Launcher launcher;
  cudaStream_t stream;
};

class CudaDevice : public Device {
public:
  explicit CudaDevice(std::unique_ptr<Platform> platform)
      : platform(std::move(platform)) {}

  std::string name() const override { return platform->name(); }
  std::string model() const override { return platform->model(); }
  runtime::DeviceMemory memory() const override { return platform->memory(); }
  Status accepts(const program::StepProgramT &program) const override {
    if (program.alignment >= kLeastAlignment)
      return Status::success();
    return Error::badInput(
        "program '" + program.name + "' has slots aligned to " +
        std::to_string(program.alignment) + " bytes, the CUDA device needs " +
        std::to_string(kLeastAlignment) + "; plan with alignment=256");
  }
  Expected<std::unique_ptr<Arena>> makeArena(int64_t bytes) override {
    return platform->makeArena(bytes);
  }
  Expected<std::unique_ptr<BoundOp>> bind(const OpCall &call) override {
    const bool isProduct = program::isProduct(call.kind);
    Expected<Launcher> launcher =
        isProduct ? platform->bindGemm(call) : bindKernel(call);
    if (!launcher)
      return launcher.error();
    if (isProduct && !*launcher)
      return runtime::bindParts(call,
                                [&](const OpCall &part) { return bind(part); });
    return std::unique_ptr<BoundOp>(
        std::make_unique<LaunchedOp>(std::move(*launcher), platform->stream()));
  }
  Status copyIn(void *device, const void *host, int64_t bytes) override {
    return platform->copyIn(device, host, bytes);
  }
  Status copyOut(void *host, const void *device, int64_t bytes) override {
    return platform->copyOut(host, device, bytes);
  }
  Status fill(void *device, uint8_t pattern, int64_t bytes) override {
    return platform->fill(device, pattern, bytes);
  }
  Expected<bool> fillRandom(void *device, const runtime::RandomTensor &tensor,
                            int64_t elements) override {
    Expected<Launcher> launcher = bindInitializer(device, tensor, elements);
    if (!launcher)
      return launcher.error();
    (*launcher)(platform->stream());
    return true;
  }
  Status synchronize() override { return platform->synchronize(); }
  Expected<std::unique_ptr<BoundOp>>
  capture(const std::vector<std::unique_ptr<BoundOp>> &ops) override {
    return platform->capture([&] {
      for (const std::unique_ptr<BoundOp> &op : ops)
        op->launch();
    });
  }
  int64_t allocationsInSteps() const override {
    return platform->memoryDrift();
  }

private:
  std::unique_ptr<Platform> platform;
};

} // namespace

Status checkOrdinal(int ordinal, int count) {
  if (ordinal >= 0 && ordinal < count)
    return Status::success();
  return Error::badInput("no device cuda:" + std::to_string(ordinal) +
                         "; this machine has " + std::to_string(count) +
                         ", see --devices");
}

Status checkCapability(const std::string &model, int major, int minor) {
  if (major >= kLeastMajor)
    return Status::success();
  return Error::badInput("device '" + model + "' has compute capability " +
                         std::to_string(major) + "." + std::to_string(minor) +
                         ", Ringi's kernels need " +
                         std::to_string(kLeastMajor) + ".0; use --device host");
}

Status checkRoom(int64_t bytes, const runtime::DeviceMemory &memory) {
  if (bytes <= memory.available)
    return Status::success();
  return Error::badInput("an arena needs " + std::to_string(bytes) +
                         " bytes, " + std::to_string(memory.available) +
                         " of the device's " + std::to_string(memory.total) +
                         " bytes are available; use a smaller program");
}

std::unique_ptr<Device> makeDevice(std::unique_ptr<Platform> platform) {
  return std::make_unique<CudaDevice>(std::move(platform));
}

} // namespace ringi::cuda
