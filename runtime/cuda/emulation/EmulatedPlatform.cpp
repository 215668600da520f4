//===- EmulatedPlatform.cpp - A CUDA platform on the host -------*- C++ -*-===//
//
// Part of Ringi. Test-only: the arena is a fenced mapping, copies are memcpy,
// GEMMs go to the host's reference provider, kernels run as fibers.
// synchronize() reports what the emulation found.
//
//===----------------------------------------------------------------------===//

#include "AlgorithmCache.h"
#include "GemmProblem.h"
#include "Platform.h"
#include "Settings.h"

#include "../host/FencedArena.h"
#include "ringi/Runtime/HostDevice.h"

#include <algorithm>
#include <cstring>

using namespace ringi;
using namespace ringi::cuda;

namespace {

using runtime::Arena;
using runtime::BoundOp;
using runtime::CudaDeviceInfo;
using runtime::CudaOptions;
using runtime::OpCall;

/// Arena bytes in use, as the device counts them.
using Ledger = std::shared_ptr<int64_t>;

class CountedArena : public Arena {
public:
  CountedArena(std::unique_ptr<Arena> memory, Ledger used)
      : memory(std::move(memory)), used(std::move(used)) {
    *this->used += this->memory->bytes();
  }
  CountedArena(const CountedArena &) = delete;
  CountedArena &operator=(const CountedArena &) = delete;
  ~CountedArena() override { *used -= memory->bytes(); }
  std::byte *data() override { return memory->data(); }
  int64_t bytes() const override { return memory->bytes(); }

private:
  std::unique_ptr<Arena> memory;
  Ledger used;
};

class EmulatedPlatform : public Platform {
public:
  EmulatedPlatform(std::unique_ptr<runtime::Device> host,
                   const emulation::Settings &settings, AlgorithmCache cache,
                   bool tf32)
      : host(std::move(host)), settings(settings), calls(this->settings),
        cache(std::move(cache)), tf32(tf32) {}

  std::string name() const override { return "cuda:emulated"; }
  std::string model() const override {
    return tf32 ? "emulated, tf32" : "emulated";
  }
  runtime::DeviceMemory memory() const override {
    int64_t total =
        settings.memory ? settings.memory : runtime::availableMemory();
    return {total, std::max<int64_t>(0, total - *used), *used};
  }
  cudaStream_t stream() const override { return nullptr; }
  Expected<std::unique_ptr<Arena>> makeArena(int64_t bytes) override {
    if (Status status = checkRoom(bytes, memory()); !status)
      return status.error();
    if (Status status = calls.call("cuMemCreate"); !status)
      return status.error();
    Expected<std::unique_ptr<Arena>> arena =
        runtime::FencedArena::make(bytes, 0);
    if (!arena)
      return arena;
    return std::unique_ptr<Arena>(
        std::make_unique<CountedArena>(std::move(*arena), used));
  }
  Status copyIn(void *device, const void *from, int64_t bytes) override {
    std::memcpy(device, from, size_t(bytes));
    return calls.call("cudaMemcpyAsync");
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
    Status library = std::exchange(failure, Status::success());
    if (!library)
      return library;
    if (!faults.empty())
      return Error::badInput(faults.front());
    return calls.call("cudaStreamSynchronize");
  }
  Expected<Launcher> bindGemm(const OpCall &call) override {
    if (Status status = checkGemmType(call); !status)
      return status.error();
    if (!hasLibraryEpilogue(call, GemmProblem::of(call, tf32)))
      return Launcher();
    if (Status status = pinAlgorithm(call); !status)
      return status.error();
    Expected<std::unique_ptr<BoundOp>> bound = host->bind(call);
    if (!bound)
      return bound.error();
    std::shared_ptr<BoundOp> op = std::move(*bound);
    return Launcher([this, op, location = call.location](cudaStream_t) {
      op->launch();
      if (Status status = calls.call("cublasLtMatmul"); !status)
        failure = Error::badInput(location + ": " + status.error().message);
    });
  }
  Expected<std::unique_ptr<BoundOp>>
  capture(const std::function<void()> &) override {
    return std::unique_ptr<BoundOp>();
  }
  /// Fibers and launches allocate on the host, which says nothing of a device.
  int64_t memoryDrift() const override { return -1; }

private:
  /// The reference GEMM has one algorithm; its words are the key's checksum, so
  /// that words of another problem are refused as a library refuses them.
  Status pinAlgorithm(const OpCall &call) {
    std::string key = GemmProblem::of(call, tf32).key();
    GemmAlgorithm own{program::checksum(
        reinterpret_cast<const std::byte *>(key.data()), key.size())};
    Expected<GemmAlgorithm> pinned = cache.pin(
        key,
        [&]() -> Expected<GemmAlgorithm> {
          if (Status status = calls.call("cublasLtMatmulAlgoGetHeuristic");
              !status)
            return Error::badInput(call.location + ": " +
                                   status.error().message);
          if (call.workspaceBytes < settings.gemmWorkspace)
            return noGemmAlgorithm(call);
          return own;
        },
        [&](const GemmAlgorithm &words) { return words == own; });
    return pinned ? Status::success() : Status(pinned.error());
  }

  std::unique_ptr<runtime::Device> host;
  const emulation::Settings settings;
  emulation::CallLog calls;
  AlgorithmCache cache;
  bool tf32;
  Status failure;
  Ledger used = std::make_shared<int64_t>(0);
};

/// What this process' device is. The error is that of a machine without one.
Expected<emulation::Settings> emulatedDevice() {
  emulation::Settings settings = emulation::Settings::fromEnvironment();
  emulation::CallLog calls(settings);
  if (Status status = calls.call("cudaGetDeviceCount"); !status)
    return status.error();
  return settings;
}

} // namespace

Expected<std::vector<CudaDeviceInfo>> runtime::listCudaDevices() {
  Expected<emulation::Settings> settings = emulatedDevice();
  if (!settings)
    return settings.error();
  int64_t bytes =
      settings->memory ? settings->memory : runtime::availableMemory();
  return std::vector<CudaDeviceInfo>{
      {0, "emulated", settings->major, settings->minor, bytes, bytes}};
}

Expected<std::unique_ptr<runtime::Device>>
runtime::makeCudaDevice(const CudaOptions &cuda) {
  Expected<emulation::Settings> settings = emulatedDevice();
  if (!settings)
    return settings.error();
  if (Status status = checkOrdinal(cuda.device, 1); !status)
    return status.error();
  if (Status status =
          checkCapability("emulated", settings->major, settings->minor);
      !status)
    return status.error();
  runtime::HostOptions options;
  options.threads = 1;
  options.gemm = "ref";
  Expected<std::unique_ptr<Device>> host = runtime::makeHostDevice(options);
  if (!host)
    return host.error();
  Expected<AlgorithmCache> cache = AlgorithmCache::open(
      cuda.gemmCache, "emulated, library " + std::to_string(settings->library));
  if (!cache)
    return cache.error();
  return makeDevice(std::make_unique<EmulatedPlatform>(
      std::move(*host), *settings, std::move(*cache), cuda.tf32));
}
