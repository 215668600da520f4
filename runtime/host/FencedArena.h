//===- FencedArena.h - Memory whose end is the mapping's end ----*- C++ -*-===//
//
// Part of Ringi. The host arena: the byte after it is not mapped, so that the
// first touch past the planned peak faults, also inside library code.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_HOST_FENCEDARENA_H
#define RINGI_RUNTIME_HOST_FENCEDARENA_H

#include "ringi/Runtime/Device.h"

namespace ringi::runtime {

class FencedArena : public Arena {
public:
  /// `limit` as HostOptions::memoryLimit.
  static Expected<std::unique_ptr<Arena>> make(int64_t bytes, int64_t limit);
  FencedArena(const FencedArena &) = delete;
  FencedArena &operator=(const FencedArena &) = delete;
  ~FencedArena() override;

  std::byte *data() override { return begin; }
  int64_t bytes() const override { return size; }

private:
  FencedArena() = default;
  void *mapping = nullptr;
  size_t mappingBytes = 0;
  std::byte *begin = nullptr;
  int64_t size = 0;
};

/// Bytes that this process may still use: the machine's available memory, less
/// where a control group grants less.
int64_t availableMemory();

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_HOST_FENCEDARENA_H
