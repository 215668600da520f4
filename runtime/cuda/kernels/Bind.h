//===- Bind.h - Types of a kernel family ------------------------*- C++ -*-===//
//
// Part of Ringi. What the kernel families share when they bind: the choice of
// the storage type and typed pointers.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_KERNELS_BIND_H
#define RINGI_CUDA_KERNELS_BIND_H

#include "HalfTypes.h"
#include "Launcher.h"

namespace ringi::cuda {

/// Calls `body` with a value of the storage type of `type` (float, BFloat16 or
/// Float16), or says that the device has no kernel for it.
template <typename Body>
Expected<Launcher> dispatchFloat(const runtime::OpCall &call,
                                 program::ElementType type, Body &&body) {
  switch (type) {
  case program::ElementType::F32:
    return body(float());
  case program::ElementType::BF16:
    return body(BFloat16());
  case program::ElementType::F16:
    return body(Float16());
  default:
    return Error::badInput(
        call.location + ": the CUDA device has no " +
        std::string(program::EnumNameOpKind(call.kind)) + " kernel for " +
        program::EnumNameElementType(type) +
        "; it computes in f32, bf16 and f16, other types run on the host");
  }
}

template <typename T> T *pointer(const runtime::TensorRef &tensor) {
  return static_cast<T *>(tensor.data);
}

} // namespace ringi::cuda

#endif // RINGI_CUDA_KERNELS_BIND_H
