//===- CudaPlatform.cpp - The CUDA runtime behind a platform ----*- C++ -*-===//
//
// Part of Ringi. One stream, pinned staging for copies, graph capture, and the
// two factory functions that programs call.
//
//===----------------------------------------------------------------------===//

#include "CudaCall.h"
#include "LtGemm.h"
#include "Platform.h"
#include "VirtualArena.h"

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

/// Pinned bytes through which inputs and results pass.
constexpr size_t kStagingBytes = size_t(8) << 20;

std::string versions() {
  int driver = 0, runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  auto text = [](int version) {
    return version == 0 ? std::string("none")
                        : std::to_string(version / 1000) + "." +
                              std::to_string(version % 1000 / 10);
  };
  return "driver supports CUDA " + text(driver) + ", toolkit is CUDA " +
         text(runtime);
}

Status withVersions(Status status) {
  if (status)
    return status;
  return Error::badInput(status.error().message + "; " + versions());
}

class CudaGraph : public BoundOp {
public:
  CudaGraph(cudaGraphExec_t graph, cudaStream_t stream)
      : graph(graph), stream(stream) {}
  CudaGraph(const CudaGraph &) = delete;
  CudaGraph &operator=(const CudaGraph &) = delete;
  ~CudaGraph() override { cudaGraphExecDestroy(graph); }
  void launch() override { cudaGraphLaunch(graph, stream); }

private:
  cudaGraphExec_t graph;
  cudaStream_t stream;
};

class CudaPlatform : public Platform {
public:
  explicit CudaPlatform(int device) : device(device) {}
  CudaPlatform(const CudaPlatform &) = delete;
  CudaPlatform &operator=(const CudaPlatform &) = delete;
  ~CudaPlatform() override {
    gemm.reset();
    if (staging)
      cudaFreeHost(staging);
    if (work)
      cudaStreamDestroy(work);
  }

  Status init(const CudaOptions &options) {
    if (Status status = check(cudaSetDevice(device), "cudaSetDevice"); !status)
      return status;
    cudaDeviceProp properties{};
    if (Status status = check(cudaGetDeviceProperties(&properties, device),
                              "cudaGetDeviceProperties");
        !status)
      return status;
    if (Status status = checkCapability(properties.name, properties.major,
                                        properties.minor);
        !status)
      return status;
    speed = properties.name;
    if (options.tf32)
      speed += ", tf32";
    title = "cuda:" + std::to_string(device) + " " + properties.name;
    if (Status status =
            check(cudaStreamCreateWithFlags(&work, cudaStreamNonBlocking),
                  "cudaStreamCreateWithFlags");
        !status)
      return status;
    if (Status status =
            check(cudaMallocHost(&staging, kStagingBytes), "cudaMallocHost");
        !status)
      return status;
    Expected<std::unique_ptr<LtGemm>> created =
        LtGemm::create(options.gemmCache, properties.name, options.tf32);
    if (!created)
      return created.error();
    gemm = std::move(*created);
    return Status::success();
  }

  std::string name() const override { return title; }
  std::string model() const override { return speed; }
  runtime::DeviceMemory memory() const override {
    size_t available = 0, total = 0;
    if (cudaMemGetInfo(&available, &total) != cudaSuccess)
      return {};
    return {int64_t(total), int64_t(available), int64_t(total - available)};
  }
  cudaStream_t stream() const override { return work; }
  Expected<std::unique_ptr<Arena>> makeArena(int64_t bytes) override {
    if (Status status = checkRoom(bytes, memory()); !status)
      return status.error();
    return makeVirtualArena(device, bytes);
  }

  Status copyIn(void *target, const void *source, int64_t bytes) override {
    const auto *from = static_cast<const std::byte *>(source);
    auto *to = static_cast<std::byte *>(target);
    for (int64_t done = 0; done < bytes;) {
      size_t part = std::min(kStagingBytes, size_t(bytes - done));
      std::memcpy(staging, from + done, part);
      if (Status status = check(cudaMemcpyAsync(to + done, staging, part,
                                                cudaMemcpyHostToDevice, work),
                                "cudaMemcpyAsync");
          !status)
        return status;
      if (Status status = synchronize(); !status)
        return status;
      done += int64_t(part);
    }
    return Status::success();
  }

  Status copyOut(void *target, const void *source, int64_t bytes) override {
    const auto *from = static_cast<const std::byte *>(source);
    auto *to = static_cast<std::byte *>(target);
    for (int64_t done = 0; done < bytes;) {
      size_t part = std::min(kStagingBytes, size_t(bytes - done));
      if (Status status = check(cudaMemcpyAsync(staging, from + done, part,
                                                cudaMemcpyDeviceToHost, work),
                                "cudaMemcpyAsync");
          !status)
        return status;
      if (Status status = synchronize(); !status)
        return status;
      std::memcpy(to + done, staging, part);
      done += int64_t(part);
    }
    return Status::success();
  }

  Status fill(void *target, uint8_t pattern, int64_t bytes) override {
    return check(cudaMemsetAsync(target, pattern, size_t(bytes), work),
                 "cudaMemsetAsync");
  }

  Status synchronize() override {
    Status library = gemm ? gemm->takeFailure() : Status::success();
    Status finished =
        check(cudaStreamSynchronize(work), "cudaStreamSynchronize");
    const char *kernel = std::exchange(failedLaunch(), nullptr);
    Status launched = check(
        cudaGetLastError(),
        kernel ? ("launch of kernel '" + std::string(kernel) + "'").c_str()
               : "kernel launch");
    for (const Status &status : {library, finished, launched})
      if (!status)
        return status;
    return Status::success();
  }

  Expected<Launcher> bindGemm(const OpCall &call) override {
    return gemm->bind(call);
  }

  Expected<std::unique_ptr<BoundOp>>
  capture(const std::function<void()> &launches) override {
    if (Status status = check(
            cudaStreamBeginCapture(work, cudaStreamCaptureModeThreadLocal),
            "cudaStreamBeginCapture");
        !status)
      return status.error();
    launches();
    cudaGraph_t graph = nullptr;
    Status ended =
        check(cudaStreamEndCapture(work, &graph), "cudaStreamEndCapture");
    for (const Status &status : {gemm->takeFailure(), ended})
      if (!status)
        return status.error();
    cudaGraphExec_t executable = nullptr;
    Status status = check(cudaGraphInstantiate(&executable, graph, 0),
                          "cudaGraphInstantiate");
    cudaGraphDestroy(graph);
    if (!status)
      return status.error();
    // Now: the first launch would take device memory in a step.
    if (status = check(cudaGraphUpload(executable, work), "cudaGraphUpload");
        !status) {
      cudaGraphExecDestroy(executable);
      return status.error();
    }
    return std::unique_ptr<BoundOp>(
        std::make_unique<CudaGraph>(executable, work));
  }

  int64_t memoryDrift() const override { return memory().used; }

private:
  int device;
  /// "cuda:0 NAME", and what the speed depends on.
  std::string title, speed;
  cudaStream_t work = nullptr;
  void *staging = nullptr;
  std::unique_ptr<LtGemm> gemm;
};

} // namespace

Expected<std::vector<CudaDeviceInfo>> runtime::listCudaDevices() {
  int count = 0;
  if (Status status =
          withVersions(check(cudaGetDeviceCount(&count), "cudaGetDeviceCount"));
      !status)
    return status.error();
  std::vector<CudaDeviceInfo> devices;
  for (int i = 0; i < count; ++i) {
    cudaDeviceProp properties{};
    size_t available = 0, total = 0;
    if (Status status = check(cudaGetDeviceProperties(&properties, i),
                              "cudaGetDeviceProperties");
        !status)
      return status.error();
    if (Status status = check(cudaSetDevice(i), "cudaSetDevice"); !status)
      return status.error();
    if (Status status =
            check(cudaMemGetInfo(&available, &total), "cudaMemGetInfo");
        !status)
      return status.error();
    devices.push_back({i, properties.name, properties.major, properties.minor,
                       int64_t(total), int64_t(available)});
  }
  return devices;
}

Expected<std::unique_ptr<runtime::Device>>
runtime::makeCudaDevice(const CudaOptions &options) {
  int count = 0;
  if (Status status =
          withVersions(check(cudaGetDeviceCount(&count), "cudaGetDeviceCount"));
      !status)
    return status.error();
  if (Status status = checkOrdinal(options.device, count); !status)
    return status.error();
  auto platform = std::make_unique<CudaPlatform>(options.device);
  if (Status status = withVersions(platform->init(options)); !status)
    return status.error();
  return makeDevice(std::move(platform));
}
