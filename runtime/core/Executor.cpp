//===- Executor.cpp - Runs a step program out of one arena ------*- C++ -*-===//
//
// Part of Ringi. Addresses are computed once, when ops are bound; a step is a
// loop over bound ops.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/Executor.h"

#include "ringi/Program/OpSignature.h"

#include <chrono>
#include <utility>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;

using Clock = std::chrono::steady_clock;

namespace {

/// Whether `bytes` are free; the error says what to plan for instead.
Status checkFits(const StepProgramT &program, int64_t bytes,
                 const Device &device) {
  int64_t available = device.memory().available;
  if (available < 0 || bytes <= available)
    return Status::success();
  // A twentieth stays free, as with budget=auto.
  int64_t budget = available - available / 20;
  budget -= budget % int64_t(program.alignment);
  uint64_t persistent = 0;
  for (const auto &buffer : program.buffers)
    if (buffer->persistent)
      persistent += buffer->bytes;
  std::string remedy =
      persistent >= uint64_t(budget)
          ? "parameters, optimizer state and inputs alone take " +
                std::to_string(persistent) +
                ", so no plan fits; use a smaller model or batch"
          : "plan with strategy=memory-budget budget=" + std::to_string(budget);
  return Error::badInput("the arena needs " + std::to_string(bytes) +
                         " bytes, " + std::to_string(available) +
                         " bytes are available on " + device.name() + "; " +
                         remedy);
}

/// `error` with the op in front, unless the device has named it.
Error atOp(const StepProgramT &program, size_t op, Error error) {
  std::string place = describeOp(program, op);
  if (error.message.rfind(place, 0) != 0)
    error.message = place + ": " + error.message;
  return error;
}

} // namespace

Expected<std::unique_ptr<Executor>>
Executor::create(const ProgramFile &file, Device &device,
                 const ExecutorOptions &options) {
  int64_t bytes = options.arenaBytes
                      ? options.arenaBytes
                      : int64_t(file.program.claims->planned_peak[0]);
  if (Status status = device.accepts(file.program); !status)
    return status.error();
  if (Status status = checkFits(file.program, bytes, device); !status)
    return status.error();
  std::unique_ptr<Executor> executor(new Executor(file, device, options));
  Expected<std::unique_ptr<Arena>> arena = device.makeArena(bytes);
  if (!arena)
    return arena.error();
  executor->memory = std::move(*arena);
  if (options.fill)
    if (Status status = device.fill(executor->memory->data(), *options.fill,
                                    executor->memory->bytes());
        !status)
      return status.error();
  if (Status status = executor->bind(); !status)
    return status.error();
  return executor;
}

int64_t Executor::bytesOf(uint32_t value) const {
  const ValueT &v = *file.program.values[value];
  return tensorBytes(v.element_type, v.shape);
}

Expected<void *> Executor::addressOf(uint64_t offset, uint64_t bytes) {
  // The verifier has shown this from the file; this asks the arena itself.
  if (offset + bytes > uint64_t(memory->bytes()))
    return Error::refused(
        "the program touches byte " + std::to_string(offset + bytes) +
        ", the arena has " + std::to_string(memory->bytes()) +
        "; give it the planned peak, " +
        std::to_string(file.program.claims->planned_peak[0]) + " bytes");
  return static_cast<void *>(memory->data() + offset);
}

Expected<TensorRef> Executor::tensorOf(uint32_t index) {
  const ValueT &value = *file.program.values[index];
  const BufferT &buffer = *file.program.buffers[value.buffer];
  // To the end of the slot: a starved arena must not depend on padding.
  Expected<void *> address = addressOf(buffer.offset + value.byte_offset,
                                       buffer.bytes - value.byte_offset);
  if (!address)
    return address.error();
  TensorRef tensor;
  tensor.data = *address;
  tensor.type = value.element_type;
  tensor.rank = int(value.shape.size());
  for (size_t i = 0; i < value.shape.size(); ++i)
    tensor.shape[i] = int64_t(value.shape[i]);
  return tensor;
}

Status Executor::bind() {
  const StepProgramT &program = file.program;
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const OpT &op = *program.ops[i];
    OpCall call;
    call.kind = op.kind;
    call.attributes = op.attributes ? op.attributes.get() : &defaultAttributes;
    call.location = describeOp(program, i);
    for (auto [values, tensors] : {std::pair(&op.operands, &call.operands),
                                   std::pair(&op.results, &call.results)})
      for (uint32_t value : *values) {
        Expected<TensorRef> tensor = tensorOf(value);
        if (!tensor)
          return tensor.error();
        tensors->push_back(*tensor);
      }
    if (op.workspace >= 0) {
      const BufferT &buffer = *program.buffers[op.workspace];
      Expected<void *> address = addressOf(buffer.offset, buffer.bytes);
      if (!address)
        return address.error();
      call.workspace = *address;
      call.workspaceBytes = int64_t(buffer.bytes);
    }
    Expected<std::unique_ptr<BoundOp>> kernel = target.bind(call);
    if (!kernel)
      return kernel.error();
    bound.push_back(std::move(*kernel));
    // A library may use less scratch than it was granted, on a host none: the
    // high water counts what was granted.
    if (isProduct(call.kind) && call.workspaceBytes > 0)
      if (Status status = target.fill(static_cast<std::byte *>(call.workspace) +
                                          call.workspaceBytes - 1,
                                      0, 1);
          !status)
        return status;
  }

  log.reserve(program.ops.size());
  times.resize(program.ops.size());
  std::vector<bool> survives(program.buffers.size());
  for (const auto &buffer : program.buffers)
    if (buffer->reuses >= 0)
      survives[buffer->reuses] = true;
  for (const auto &output : program.outputs)
    survives[program.values[output->value]->buffer] = true;
  dying.resize(program.ops.size());
  for (uint32_t i = 0; i < program.buffers.size(); ++i)
    if (!program.buffers[i]->persistent && !survives[i])
      dying[program.buffers[i]->last].push_back(i);
  return Status::success();
}

Status Executor::write(uint32_t value, const std::byte *bytes) {
  Expected<TensorRef> tensor = tensorOf(value);
  return tensor ? target.copyIn(tensor->data, bytes, bytesOf(value))
                : Status(tensor.error());
}

Status Executor::read(uint32_t value, std::byte *bytes) {
  Expected<TensorRef> tensor = tensorOf(value);
  return tensor ? target.copyOut(bytes, tensor->data, bytesOf(value))
                : Status(tensor.error());
}

Status Executor::clear(uint32_t value) {
  Expected<TensorRef> tensor = tensorOf(value);
  return tensor ? target.fill(tensor->data, 0, bytesOf(value))
                : Status(tensor.error());
}

Expected<bool> Executor::fillRandom(uint32_t value,
                                    const RandomTensor &random) {
  Expected<TensorRef> tensor = tensorOf(value);
  if (!tensor)
    return tensor.error();
  return target.fillRandom(tensor->data, random, tensor->elements());
}

Status Executor::poisonDead(size_t op) {
  for (uint32_t index : dying[op]) {
    const BufferT &buffer = *file.program.buffers[index];
    if (Status status = target.fill(memory->data() + buffer.offset, 0xFF,
                                    int64_t(buffer.bytes));
        !status)
      return status;
  }
  return Status::success();
}

Status Executor::captureGraph() {
  Expected<std::unique_ptr<BoundOp>> captured = target.capture(bound);
  if (!captured)
    return captured.error();
  graph = std::move(*captured);
  return Status::success();
}

Status Executor::runGraph() {
  graph->launch();
  for (uint32_t i = 0; i < bound.size(); ++i)
    log.push_back(i);
  if (Status status = target.synchronize(); !status)
    return Error{status.error().message +
                     "; run with --debug, which waits after every op and "
                     "names the one that fails",
                 status.error().kind};
  return Status::success();
}

Status Executor::runOps(OpObserver *observer) {
  log.clear();
  bool first = !std::exchange(ranStep, true);
  bool watched = options.timeOps || observer || options.poisonOnFree;
  bool waits = watched || first;
  if (graph && !waits)
    return runGraph();
  Clock::time_point start = Clock::now();
  auto now = [&] {
    return std::chrono::duration<double>(Clock::now() - start).count();
  };
  for (uint32_t i = 0; i < bound.size(); ++i) {
    if (observer)
      if (Status status = observer->beforeOp(i); !status)
        return status;
    double begin = options.timeOps ? now() : 0;
    bound[i]->launch();
    log.push_back(i);
    if (waits)
      if (Status status = target.synchronize(); !status)
        return atOp(file.program, i, status.error());
    if (options.timeOps)
      times[i] = {begin, now() - begin};
    if (observer)
      if (Status status = observer->afterOp(i); !status)
        return status;
    if (options.poisonOnFree)
      if (Status status = poisonDead(i); !status)
        return status;
  }
  if (Status status = target.synchronize(); !status)
    return status;
  // At the end of the first step: later ones allocate nothing, on the device
  // neither.
  return first && !watched && options.graph ? captureGraph()
                                            : Status::success();
}
