//===- Portable.h - Kernels as ordinary C++ for nvcc and g++ ----*- C++ -*-===//
//
// Part of Ringi. Kernel sources include this and nothing of CUDA: it brings the
// CUDA headers under nvcc and the emulated subset elsewhere, and hides the
// three things that cannot be spelled the same: launches, shared memory and
// warp matrix instructions (WarpMatrix.h).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_PORTABLE_H
#define RINGI_CUDA_PORTABLE_H

#ifdef RINGI_CUDA_EMULATED
#include "emulation/CudaSubset.h"
#else
#include <cuda_runtime.h>
#endif

#include <cstddef>
#include <cstdint>

/// Declares `T *name` as the start of the block's dynamic shared memory, the
/// only kind that Ringi's kernels use.
#ifndef RINGI_CUDA_EMULATED
#define RINGI_SHARED_MEMORY(T, name)                                           \
  extern __shared__ __align__(128) unsigned char ringiSharedMemory[];          \
  T *name = reinterpret_cast<T *>(ringiSharedMemory)
#else
#define RINGI_SHARED_MEMORY(T, name)                                           \
  T *name = static_cast<T *>(::ringi::emulation::sharedMemory())
#endif

namespace ringi::cuda {

/// Grid, block and dynamic shared memory of one launch. All three come from the
/// program's shapes, never from the device, so that bits do not depend on it.
struct LaunchShape {
  dim3 grid;
  dim3 block;
  size_t sharedBytes = 0;
};

/// The kernel whose launch failed since this was last null: launches report
/// nothing themselves, the platform reads it when it waits.
inline const char *&failedLaunch() {
  static thread_local const char *name = nullptr;
  return name;
}

// Host-only files of the device see types and no launches.
#if defined(__CUDACC__) || defined(RINGI_CUDA_EMULATED)

/// Launches `kernel(args...)`; `name` appears in errors, which the platform's
/// synchronize() reports.
template <typename... Params, typename... Args>
void launch(const char *name, void (*kernel)(Params...),
            const LaunchShape &shape, cudaStream_t stream, Args... args) {
  if (shape.grid.x == 0 || shape.grid.y == 0 || shape.grid.z == 0)
    return;
#ifdef __CUDACC__
  kernel<<<shape.grid, shape.block, shape.sharedBytes, stream>>>(
      static_cast<Params>(args)...);
  if (!failedLaunch() && cudaPeekAtLastError() != cudaSuccess)
    failedLaunch() = name;
#else
  (void)stream;
  emulation::runGrid(name, shape.grid, shape.block, shape.sharedBytes,
                     [=] { kernel(static_cast<Params>(args)...); });
#endif
}

/// Permits `kernel` more dynamic shared memory than the 48 KiB that need no
/// permission. Called at bind time; a failure shows in the first launch.
template <typename... Params>
void allowShared(void (*kernel)(Params...), size_t bytes) {
#ifdef __CUDACC__
  cudaFuncSetAttribute(reinterpret_cast<const void *>(kernel),
                       cudaFuncAttributeMaxDynamicSharedMemorySize, int(bytes));
#else
  (void)kernel;
  (void)bytes;
#endif
}

#endif // __CUDACC__ || RINGI_CUDA_EMULATED

} // namespace ringi::cuda

#endif // RINGI_CUDA_PORTABLE_H
