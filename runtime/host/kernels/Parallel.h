//===- Parallel.h - A lambda over the device's threads ----------*- C++ -*-===//
//
// Part of Ringi. Static partition without allocation. A kernel may give every
// thread any contiguous share: results must not depend on where shares begin.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_KERNELS_PARALLEL_H
#define RINGI_HOST_KERNELS_PARALLEL_H

#include "Convert.h"

namespace ringi::runtime::RINGI_ISA {

/// body(begin, end, thread) for each thread's share of [0, count). `work` is
/// about how many element operations all of it takes; little work stays on the
/// calling thread, where waking the others would cost more.
template <typename Body>
RINGI_KERNEL void parallelFor(const Threads &threads, int64_t count,
                              int64_t work, Body body) {
  constexpr int64_t kWorthWaking = 16384;
  if (count <= 0)
    return;
  if (count == 1 || work < kWorthWaking || threads.count == 1)
    return body(int64_t(0), count, 0);
  threads.run(
      threads.pool, count,
      [](void *context, int64_t begin, int64_t end, int thread) {
        (*static_cast<Body *>(context))(begin, end, thread);
      },
      &body);
}

/// body(first, size) for chunks of at most kChunk elements covering `count`.
template <typename Body>
RINGI_KERNEL void parallelChunks(const Threads &threads, int64_t count,
                                 int64_t workPerElement, Body body) {
  const int64_t chunks = (count + kChunk - 1) / kChunk;
  parallelFor(threads, chunks, count * workPerElement,
              [&](int64_t begin, int64_t end, int) {
                for (int64_t chunk = begin; chunk < end; ++chunk) {
                  const int64_t first = chunk * kChunk;
                  body(first, least(kChunk, count - first));
                }
              });
}

} // namespace ringi::runtime::RINGI_ISA

#endif // RINGI_HOST_KERNELS_PARALLEL_H
