//===- Executor.h - Runs a step program out of one arena --------*- C++ -*-===//
//
// Part of Ringi. Binds every op once, then launches them in file order without
// allocating and without waiting in between. Knows nothing about data: see
// Session.h.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_EXECUTOR_H
#define RINGI_RUNTIME_EXECUTOR_H

#include "ringi/Runtime/Device.h"

#include <optional>

namespace ringi::runtime {

/// Sees each op of a step. With an observer the executor waits after every op.
class OpObserver {
public:
  virtual ~OpObserver() = default;
  virtual Status beforeOp(size_t op) { return Status::success(); }
  virtual Status afterOp(size_t op) { return Status::success(); }
};

struct ExecutorOptions {
  /// Bytes of the arena; 0 = the planned peak. Fewer are refused.
  int64_t arenaBytes = 0;
  /// Byte that the whole arena holds before anything is written.
  std::optional<uint8_t> fill;
  /// Debug: overwrite a slot with 0xFF (NaN) right after its planned death.
  bool poisonOnFree = false;
  /// Measure every op. Waits after every op on devices that run ahead.
  bool timeOps = false;
  /// From the second step on, launch the whole step as one graph where the
  /// device has graphs.
  bool graph = true;
};

class Executor {
public:
  /// `file` must have passed verifyProgram(); it and `device` must outlive the
  /// executor. Errors: a device that does not take the program, an arena that
  /// does not fit (with the budget that would), an op without a kernel.
  static Expected<std::unique_ptr<Executor>>
  create(const program::ProgramFile &file, Device &device,
         const ExecutorOptions &options);

  /// Copies a whole value in or out.
  Status write(uint32_t value, const std::byte *bytes);
  Status read(uint32_t value, std::byte *bytes);
  /// Fills a value with zero bytes.
  Status clear(uint32_t value);
  /// Fills a value on the device; false when the host has to.
  Expected<bool> fillRandom(uint32_t value, const RandomTensor &tensor);
  int64_t bytesOf(uint32_t value) const;

  /// Runs every op once and waits for the last. Inputs must be in the arena.
  /// The first step waits after every op, so that what fails is named; later
  /// ones do not.
  Status runOps(OpObserver *observer = nullptr);

  const program::StepProgramT &program() const { return file.program; }
  Arena &arena() { return *memory; }
  Device &device() { return target; }
  /// The ops that the last runOps() launched, in that order.
  const std::vector<uint32_t> &executed() const { return log; }
  /// With timeOps: start (since the step's start) and duration of every op of
  /// the last runOps(), in seconds.
  const std::vector<std::pair<double, double>> &opTimes() const {
    return times;
  }

private:
  Executor(const program::ProgramFile &file, Device &device,
           const ExecutorOptions &options)
      : file(file), target(device), options(options) {}
  Status bind();
  Expected<void *> addressOf(uint64_t offset, uint64_t bytes);
  Expected<TensorRef> tensorOf(uint32_t value);
  Status poisonDead(size_t op);
  /// Records the step as one launch, where the device has graphs.
  Status captureGraph();
  Status runGraph();

  const program::ProgramFile &file;
  Device &target;
  ExecutorOptions options;
  const program::AttributesT defaultAttributes;
  std::unique_ptr<Arena> memory;
  std::vector<std::unique_ptr<BoundOp>> bound;
  /// The step as one launch, once captured.
  std::unique_ptr<BoundOp> graph;
  bool ranStep = false;
  /// Per op: buffers that die there and are not taken over.
  std::vector<std::vector<uint32_t>> dying;
  std::vector<uint32_t> log;
  std::vector<std::pair<double, double>> times;
};

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_EXECUTOR_H
