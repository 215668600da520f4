//===- VirtualArena.h - Device memory with an unmapped end ------*- C++ -*-===//
//
// Part of Ringi. Reserves one range of device addresses more than it maps, and
// places the arena at the end of the mapped part: the first byte past the
// planned peak faults inside any kernel, library GEMMs included.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_VIRTUALARENA_H
#define RINGI_CUDA_VIRTUALARENA_H

#include "ringi/Runtime/Device.h"

namespace ringi::cuda {

/// Falls back to cudaMalloc, without the fence, where the driver has no virtual
/// memory management.
Expected<std::unique_ptr<runtime::Arena>> makeVirtualArena(int device,
                                                           int64_t bytes);

} // namespace ringi::cuda

#endif // RINGI_CUDA_VIRTUALARENA_H
