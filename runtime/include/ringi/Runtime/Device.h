//===- Device.h - What executes the ops of a step program ----- -*- C++ -*-===//
//
// Part of Ringi. The interface that the host device and the CUDA device
// implement: one arena, ops bound once and then launched without allocation.
// The executor knows nothing else about a device.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_DEVICE_H
#define RINGI_RUNTIME_DEVICE_H

#include "ringi/Program/StepProgram.h"
#include "ringi/Runtime/RandomTensor.h"
#include "ringi/Support/Expected.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ringi::runtime {

inline constexpr int kMaxRank = 8;

/// A typed, shaped, dense row-major range of device memory.
struct TensorRef {
  void *data = nullptr;
  program::ElementType type = program::ElementType::F32;
  int rank = 0;
  std::array<int64_t, kMaxRank> shape{};

  int64_t elements() const {
    int64_t count = 1;
    for (int i = 0; i < rank; ++i)
      count *= shape[i];
    return count;
  }
  /// Size of the last dimension; 1 for a scalar.
  int64_t columns() const { return rank ? shape[rank - 1] : 1; }
  /// Product of all dimensions but the last; 1 for a scalar.
  int64_t rows() const { return columns() ? elements() / columns() : 0; }
};

/// One op as a kernel sees it: operands, results and scratch are addresses
/// inside the arena (docs/operations.md).
struct OpCall {
  program::OpKind kind;
  const program::AttributesT *attributes = nullptr;
  std::vector<TensorRef> operands, results;
  void *workspace = nullptr;
  int64_t workspaceBytes = 0;
  /// Source location and name for errors.
  std::string location;
};

/// An op whose kernel is chosen and whose descriptors are built. launch()
/// neither allocates nor waits.
class BoundOp {
public:
  virtual ~BoundOp() = default;
  virtual void launch() = 0;
};

/// The single block of device memory that a program runs in. Its end is a hard
/// fence: the byte after it is unmapped.
class Arena {
public:
  virtual ~Arena() = default;
  virtual std::byte *data() = 0;
  virtual int64_t bytes() const = 0;
};

/// Bytes of device memory; -1 where the device does not know. `used` counts
/// what everything on the device takes, other processes included.
struct DeviceMemory {
  int64_t total = -1, available = -1, used = -1;
};

class Device {
public:
  virtual ~Device() = default;
  virtual std::string name() const = 0;
  /// What a calibration is about: the same text means the same speed. A device
  /// without ordinals or settings is its name.
  virtual std::string model() const { return name(); }
  virtual DeviceMemory memory() const { return {}; }
  /// Whether the device runs programs of this alignment and GEMM workspace. The
  /// error names what the program has, what the device needs and the remedy.
  virtual Status accepts(const program::StepProgramT &program) const {
    return Status::success();
  }
  /// An error states needed and available bytes.
  virtual Expected<std::unique_ptr<Arena>> makeArena(int64_t bytes) = 0;
  /// Chooses the kernel of one op. Errors name the op, the unsupported type or
  /// shape and the remedy.
  virtual Expected<std::unique_ptr<BoundOp>> bind(const OpCall &call) = 0;
  /// Records `ops` as one launch (a CUDA graph); null where the device gains
  /// nothing by it.
  virtual Expected<std::unique_ptr<BoundOp>>
  capture(const std::vector<std::unique_ptr<BoundOp>> &ops) {
    return std::unique_ptr<BoundOp>();
  }
  /// Fills a tensor of `elements` floats with what `tensor` gives at step 0,
  /// the host's bits; false where that is left to the host.
  virtual Expected<bool> fillRandom(void *device, const RandomTensor &tensor,
                                    int64_t elements) {
    return false;
  }
  virtual Status copyIn(void *device, const void *host, int64_t bytes) = 0;
  virtual Status copyOut(void *host, const void *device, int64_t bytes) = 0;
  virtual Status fill(void *device, uint8_t pattern, int64_t bytes) = 0;
  /// Waits for everything launched; reports errors of asynchronous work.
  virtual Status synchronize() = 0;
  /// Allocations made since the device was created (host: counted malloc; CUDA:
  /// memory drift), for the proof that steps allocate nothing.
  virtual int64_t allocationsInSteps() const = 0;
};

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_DEVICE_H
