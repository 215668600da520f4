//===- Platform.h - What the CUDA device asks of its machine ----*- C++ -*-===//
//
// Part of Ringi. The line between what runs on every build and what needs a
// driver: memory, copies, the stream, graphs and library GEMMs. CudaPlatform
// talks to a GPU, the emulation answers on the host.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_PLATFORM_H
#define RINGI_CUDA_PLATFORM_H

#include "kernels/Launcher.h"

#include "ringi/Runtime/CudaDevice.h"

namespace ringi::cuda {

class Platform {
public:
  virtual ~Platform() = default;
  virtual std::string name() const = 0;
  /// As Device::model() and Device::memory().
  virtual std::string model() const = 0;
  virtual runtime::DeviceMemory memory() const = 0;
  virtual cudaStream_t stream() const = 0;
  /// `bytes` that end at a mapping's end, nothing mapped behind them.
  virtual Expected<std::unique_ptr<runtime::Arena>>
  makeArena(int64_t bytes) = 0;
  virtual Status copyIn(void *device, const void *host, int64_t bytes) = 0;
  virtual Status copyOut(void *host, const void *device, int64_t bytes) = 0;
  virtual Status fill(void *device, uint8_t pattern, int64_t bytes) = 0;
  /// Waits, and reports what failed since the last call: launches and library
  /// calls too.
  virtual Status synchronize() = 0;
  /// Chooses and pins the algorithm of a product. Of the kinds with fused work
  /// an empty launcher says that the library does not do it.
  virtual Expected<Launcher> bindGemm(const runtime::OpCall &call) = 0;
  /// Records what `launches` puts on the stream as one graph; null where the
  /// machine has no graphs.
  virtual Expected<std::unique_ptr<runtime::BoundOp>>
  capture(const std::function<void()> &launches) = 0;
  /// Device bytes that appeared outside the arenas since the first step.
  virtual int64_t memoryDrift() const = 0;
};

/// Whether a machine with `count` devices has one of this ordinal.
Status checkOrdinal(int ordinal, int count);

/// Whether the kernels run on this compute capability.
Status checkCapability(const std::string &model, int major, int minor);

/// Success, or needed and free bytes.
Status checkRoom(int64_t bytes, const runtime::DeviceMemory &memory);

/// Wraps a platform as a Device.
std::unique_ptr<runtime::Device> makeDevice(std::unique_ptr<Platform> platform);

} // namespace ringi::cuda

#endif // RINGI_CUDA_PLATFORM_H
