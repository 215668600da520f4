//===- Emulation.h - Runs CUDA kernels on the host, for tests ---*- C++ -*-===//
//
// Part of Ringi. Test-only: executes a grid block by block, each thread of a
// block a fiber, so that kernels are checked on machines without a GPU. It
// finds diverging barriers, incomplete warp collectives and writes past shared
// memory; running blocks in several thread orders turns races into bits that
// differ. It says nothing about speed.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_EMULATION_EMULATION_H
#define RINGI_CUDA_EMULATION_EMULATION_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ringi::emulation {

struct Dim3 {
  unsigned x = 1, y = 1, z = 1;

  constexpr Dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1)
      : x(x), y(y), z(z) {}
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// The order in which the runnable threads of a block get their turn.
enum class ThreadOrder { Forward, Reversed, Shuffled };

/// Applies to every later grid.
void setThreadOrder(ThreadOrder order);

/// Runs `body` once per thread of the grid. Shared memory is filled with a
/// NaN pattern before each block and followed by a red zone. Faults are
/// recorded, not thrown; the rest of a faulty block is abandoned.
void runGrid(const char *kernel, Dim3 grid, Dim3 block, size_t sharedBytes,
             const std::function<void()> &body);

/// Faults since the last call, each naming kernel, block and thread.
std::vector<std::string> takeFaults();

/// Coordinates of the running thread.
extern Dim3 currentThread, currentBlock, currentBlockDim, currentGridDim;

/// The running block's shared memory, 128-byte aligned.
void *sharedMemory();

/// Waits until every thread of the block arrives.
void blockBarrier();

/// What the lanes of a warp are doing together; all lanes of a mask must agree.
enum class Collective : uint8_t { Sync, Shuffle, Vote, Matrix };

inline constexpr int kWarpSize = 32;
inline constexpr size_t kExchangeBytes = 64;

/// Deposits `bytes` of `value` and waits until every lane of `mask` has done
/// the same. \returns the values of all lanes, kExchangeBytes apart, valid
/// until the lane's next collective.
const std::byte *exchange(Collective kind, uint32_t mask, const void *value,
                          size_t bytes);

/// Index of the running thread inside its warp.
int laneIndex();

} // namespace ringi::emulation

#endif // RINGI_CUDA_EMULATION_EMULATION_H
