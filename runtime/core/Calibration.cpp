//===- Calibration.cpp - What a device reaches ------------------*- C++ -*-===//
//
// Part of Ringi. Each measurement owns an arena with its operands and one bound
// op, and takes the shortest of several runs of launches: what disturbs a run
// only makes it longer.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/Calibration.h"
#include "Numbers.h"

#include <algorithm>
#include <chrono>
#include <limits>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;

namespace {

constexpr int64_t kAlignment = 256;
/// What each GEMM may use as scratch; the host's uses none.
constexpr int64_t kWorkspaceBytes = int64_t(32) << 20;
constexpr int64_t kSmallestGemm = 128;
constexpr int64_t kSmallestVector = int64_t(64) << 10;
constexpr int64_t kLargestVector = int64_t(64) << 20;
constexpr int kRuns = 5;

int64_t bytesOf(const TensorRef &tensor) {
  return tensor.elements() * elementBits(tensor.type) / 8;
}

int64_t roundUp(int64_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

TensorRef tensorOf(ElementType type, std::initializer_list<int64_t> shape) {
  TensorRef tensor;
  tensor.type = type;
  tensor.rank = int(shape.size());
  std::copy(shape.begin(), shape.end(), tensor.shape.begin());
  return tensor;
}

/// One op, or several equal ones, in an arena of their own.
class Measurement {
public:
  /// `call` has shapes and types; addresses are filled in. Several copies are
  /// launched as one where the device can.
  static Expected<Measurement> make(Device &device, OpCall call,
                                    int copies = 1) {
    Measurement result(device);
    int64_t bytes = roundUp(call.workspaceBytes);
    for (const std::vector<TensorRef> *tensors :
         {&call.operands, &call.results})
      for (const TensorRef &tensor : *tensors)
        bytes += roundUp(bytesOf(tensor));
    Expected<std::unique_ptr<Arena>> arena = device.makeArena(bytes);
    if (!arena)
      return arena.error();
    result.arena = std::move(*arena);
    std::byte *next = result.arena->data();
    call.workspace = call.workspaceBytes ? next : nullptr;
    next += roundUp(call.workspaceBytes);
    for (std::vector<TensorRef> *tensors : {&call.operands, &call.results})
      for (TensorRef &tensor : *tensors) {
        tensor.data = next;
        next += roundUp(bytesOf(tensor));
      }
    for (const TensorRef &tensor : call.operands)
      if (Status status = result.fillRandom(tensor); !status)
        return status.error();
    for (int i = 0; i < copies; ++i) {
      Expected<std::unique_ptr<BoundOp>> op = device.bind(call);
      if (!op)
        return op.error();
      result.ops.push_back(std::move(*op));
    }
    if (copies > 1) {
      Expected<std::unique_ptr<BoundOp>> graph = device.capture(result.ops);
      if (!graph)
        return graph.error();
      result.graph = std::move(*graph);
    }
    return result;
  }

  /// Seconds of one op: the shortest of several runs that take `seconds`
  /// together.
  Expected<double> secondsPerOp(double seconds) {
    int64_t launches = 1;
    // The first run also brings pages, caches and clocks up.
    Expected<double> time = timeOf(launches);
    for (; time && *time < seconds / kRuns && launches < (int64_t(1) << 20);
         time = timeOf(launches))
      launches *= 2;
    double best = std::numeric_limits<double>::infinity();
    for (int run = 0; time && run < kRuns; ++run, time = timeOf(launches))
      best = std::min(best, *time);
    if (!time)
      return time.error();
    return best / double(launches * int64_t(ops.size()));
  }

private:
  explicit Measurement(Device &device) : device(&device) {}

  /// Zeros would run faster than data on some devices.
  Status fillRandom(const TensorRef &tensor) {
    constexpr int64_t kBlock = 64 << 10;
    int64_t width = elementBits(tensor.type) / 8;
    std::vector<std::byte> block(
        size_t(std::min(kBlock, tensor.elements()) * width));
    for (int64_t i = 0; i < int64_t(block.size()) / width; i += 4) {
      auto words = detail::philox(1, {uint32_t(i), 0, 0, 0});
      for (int64_t j = 0; j < 4 && i + j < int64_t(block.size()) / width; ++j)
        detail::storeElement(tensor.type, block.data(), i + j,
                             words[size_t(j)] / 2147483648.0 - 1);
    }
    auto *data = static_cast<std::byte *>(tensor.data);
    for (int64_t at = 0, end = bytesOf(tensor); at < end;
         at += int64_t(block.size()))
      if (Status status =
              device->copyIn(data + at, block.data(),
                             std::min(int64_t(block.size()), end - at));
          !status)
        return status;
    return Status::success();
  }

  Expected<double> timeOf(int64_t launches) {
    using Clock = std::chrono::steady_clock;
    Clock::time_point start = Clock::now();
    for (int64_t i = 0; i < launches; ++i) {
      if (graph)
        graph->launch();
      else
        for (const std::unique_ptr<BoundOp> &op : ops)
          op->launch();
    }
    if (Status status = device->synchronize(); !status)
      return status.error();
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  Device *device;
  // Ops refer to the arena: it goes last.
  std::unique_ptr<Arena> arena;
  std::vector<std::unique_ptr<BoundOp>> ops;
  std::unique_ptr<BoundOp> graph;
};

class Calibrator {
public:
  Calibrator(Device &device, const CalibrationOptions &options)
      : device(device), options(options) {
    int64_t available = device.memory().available;
    if (available >= 0)
      most = available / 4;
  }

  Status run(Calibration &result) {
    result.device = device.model();
    result.memory = device.memory().total;
    for (ElementType type : {ElementType::F64, ElementType::F32,
                             ElementType::BF16, ElementType::F16})
      if (Status status = measureGemms(type, result); !status)
        return status;
    if (result.gemm.empty())
      return unsupported;
    if (Status status = measureBandwidth(result); !status)
      return status;
    return measureLaunch(result);
  }

private:
  OpCall callOf(OpKind kind, std::vector<TensorRef> operands,
                TensorRef result) const {
    OpCall call;
    call.kind = kind;
    call.attributes = &attributes;
    call.location = std::string("calibration of ") + toString(kind);
    call.operands = std::move(operands);
    call.results = {result};
    return call;
  }

  /// A type that the device cannot bind has no rates.
  Status measureGemms(ElementType type, Calibration &result) {
    for (int64_t size = kSmallestGemm; size <= options.largestGemm; size *= 2) {
      TensorRef matrix = tensorOf(type, {size, size});
      if (size > kSmallestGemm && 3 * bytesOf(matrix) > most)
        break;
      OpCall call = callOf(OpKind::Matmul, {matrix, matrix}, matrix);
      call.workspaceBytes = std::min(kWorkspaceBytes, most);
      Expected<Measurement> product = Measurement::make(device, call);
      if (!product) {
        unsupported = product.error();
        return Status::success();
      }
      Expected<double> seconds = product->secondsPerOp(options.seconds);
      if (!seconds)
        return seconds.error();
      double work = 2.0 * double(size) * double(size) * double(size);
      result.gemm.push_back({type, size, work / *seconds});
      // The next one takes eight times as long.
      if (8 * *seconds > options.seconds)
        break;
    }
    return Status::success();
  }

  Status measureBandwidth(Calibration &result) {
    for (int64_t size = kSmallestVector; size <= kLargestVector; size *= 2) {
      TensorRef vector = tensorOf(ElementType::F32, {size});
      int64_t bytes = 3 * bytesOf(vector);
      if (size > kSmallestVector && bytes > most)
        break;
      Expected<Measurement> sum = Measurement::make(
          device, callOf(OpKind::Add, {vector, vector}, vector));
      if (!sum)
        return sum.error();
      Expected<double> seconds = sum->secondsPerOp(options.seconds);
      if (!seconds)
        return seconds.error();
      // The last size counts, not the best: small ones stay in a cache.
      result.bandwidth = double(bytes) / *seconds;
      if (2 * *seconds > options.seconds)
        break;
    }
    return Status::success();
  }

  Status measureLaunch(Calibration &result) {
    constexpr int kOps = 64;
    Expected<Measurement> fills = Measurement::make(
        device, callOf(OpKind::Fill, {}, tensorOf(ElementType::F32, {1})),
        kOps);
    if (!fills)
      return fills.error();
    Expected<double> seconds = fills->secondsPerOp(options.seconds);
    if (!seconds)
      return seconds.error();
    result.launch = *seconds;
    return Status::success();
  }

  Device &device;
  CalibrationOptions options;
  const AttributesT attributes;
  /// Why the last type without rates has none.
  Status unsupported;
  /// Bytes that one measurement may take.
  int64_t most = std::numeric_limits<int64_t>::max();
};

} // namespace

double Calibration::bestRate(ElementType type) const {
  double best = 0;
  for (const GemmRate &rate : gemm)
    if (rate.type == type)
      best = std::max(best, rate.flops);
  return best;
}

Expected<Calibration> runtime::calibrate(Device &device,
                                         const CalibrationOptions &options) {
  Calibration result;
  if (Status status = Calibrator(device, options).run(result); !status)
    return status.error();
  return result;
}
