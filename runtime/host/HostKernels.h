//===- HostKernels.h - What the host device asks of its kernels -*- C++ -*-===//
//
// Part of Ringi. The seam between the host device (arena, copies, proofs) and
// runtime/host/kernels (threads, kernels, GEMM providers).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_HOST_HOSTKERNELS_H
#define RINGI_RUNTIME_HOST_HOSTKERNELS_H

#include "ringi/Runtime/HostDevice.h"

namespace ringi::runtime {

/// The threads and kernels of one host device.
class HostKernels {
public:
  virtual ~HostKernels() = default;
  /// As Device::bind(). The bound op must not outlive this object.
  virtual Expected<std::unique_ptr<BoundOp>> bind(const OpCall &call) = 0;
  /// What the speed depends on beside the processor: "2 threads, ref GEMM".
  virtual std::string settings() const = 0;
};

/// Implemented in runtime/host/kernels. Uses `threads` and `gemm` of the
/// options.
Expected<std::unique_ptr<HostKernels>>
makeHostKernels(const HostOptions &options);

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_HOST_HOSTKERNELS_H
