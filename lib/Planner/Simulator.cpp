//===- Simulator.cpp - Liveness and resident bytes of a plan --------------===//
//
// Part of Ringi. Two sweeps: the first makes one buffer per storage and result
// with its first and last execution, the second applies in-place pairs and adds
// the buffers up in a difference array.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Simulator.h"

namespace ringi::planner {

namespace {

class Simulation {
public:
  Simulation(const Problem &problem, const Plan &plan)
      : problem(problem), plan(plan),
        count(ExecutionIndex(plan.schedule.size())) {}

  Expected<Timeline> run() {
    if (Status status = makeBuffers(); !status)
      return status.error();
    if (Status status = keepOutputs(); !status)
      return status.error();
    if (Status status = applyInPlace(); !status)
      return status.error();
    if (Status status = addUp(); !status)
      return status.error();
    return std::move(timeline);
  }

private:
  std::string executionName(ExecutionIndex e) const {
    return "execution #" + std::to_string(e) + " (op '" +
           problem.ops[plan.schedule[e].op].name + "')";
  }
  std::string storageName(StorageIndex s) const {
    return "'" + problem.storages[s].name + "'";
  }

  /// The buffer of storage `s` as execution `e` computed it; kNone if it does
  /// not.
  int32_t findBuffer(StorageIndex s, ExecutionIndex e) const {
    if (e == kNone)
      return initialBuffer[s];
    if (problem.storages[s].producer != plan.schedule[e].op)
      return kNone;
    const std::vector<StorageIndex> &outputs =
        problem.ops[plan.schedule[e].op].outputs;
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == s)
        return firstBuffer[e] + int32_t(i);
    return kNone;
  }

  Status makeBuffers() {
    initialBuffer.assign(problem.storages.size(), kNone);
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
      const Storage &storage = problem.storages[s];
      if (storage.producer != kNone)
        continue;
      initialBuffer[s] = int32_t(timeline.buffers.size());
      bool stays = storage.persistent || storage.output;
      timeline.buffers.push_back(
          {s, kNone, storage.bytes, 0, stays ? count - 1 : kNone, kNone});
    }
    inputsEnd = timeline.buffers.size();

    firstBuffer.resize(count);
    for (ExecutionIndex e = 0; e < count; ++e) {
      const Execution &execution = plan.schedule[e];
      if (execution.op < 0 || size_t(execution.op) >= problem.ops.size())
        return Error::badInput("execution #" + std::to_string(e) +
                               " runs op #" + std::to_string(execution.op) +
                               " but the graph has " +
                               std::to_string(problem.ops.size()) +
                               " ops; the plan is for another graph");
      const Op &op = problem.ops[execution.op];
      if (execution.reads.size() != op.inputs.size())
        return Error::badInput(executionName(e) + " names " +
                               std::to_string(execution.reads.size()) +
                               " reads but the op has " +
                               std::to_string(op.inputs.size()) + " inputs");
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        ExecutionIndex read = execution.reads[i];
        if (read < kNone || read >= e)
          return Error::badInput(executionName(e) + " reads " +
                                 storageName(op.inputs[i]) + " of execution #" +
                                 std::to_string(read) +
                                 ", which is not earlier");
        int32_t buffer = findBuffer(op.inputs[i], read);
        if (buffer == kNone)
          return Error::badInput(
              executionName(e) + " reads " + storageName(op.inputs[i]) +
              (read == kNone ? std::string(" from before the step")
                             : " of " + executionName(read)) +
              ", which does not compute it");
        Buffer &source = timeline.buffers[buffer];
        // Persistent storages and outputs already reach to the end.
        if (source.last < e)
          source.last = e;
      }
      firstBuffer[e] = int32_t(timeline.buffers.size());
      for (StorageIndex s : op.outputs)
        timeline.buffers.push_back(
            {s, e, problem.storages[s].bytes, e, e, kNone});
      if (op.workspace > 0)
        timeline.buffers.push_back({kNone, e, op.workspace, e, e, kNone});
    }
    return Status::success();
  }

  Status keepOutputs() {
    std::vector<StorageIndex> outputs = outputStorages(problem);
    if (plan.outputs.size() != outputs.size())
      return Error::badInput(
          "the plan names " + std::to_string(plan.outputs.size()) +
          " outputs but the step has " + std::to_string(outputs.size()));
    leaves.assign(timeline.buffers.size(), false);
    for (size_t i = 0; i < outputs.size(); ++i) {
      ExecutionIndex e = plan.outputs[i];
      int32_t buffer = e >= 0 && e < count ? findBuffer(outputs[i], e) : kNone;
      if (buffer == kNone)
        return Error::badInput("the plan takes output " +
                               storageName(outputs[i]) + " from execution #" +
                               std::to_string(e) +
                               ", which does not compute it");
      timeline.buffers[buffer].last = count - 1;
      leaves[buffer] = true;
    }
    for (size_t i = 0; i < inputsEnd; ++i)
      if (problem.storages[timeline.buffers[i].storage].output)
        leaves[i] = true;
    return Status::success();
  }

  /// Last reads are final once all reads are known, so pairs are decided here,
  /// in schedule order. A chain of overwrites works because a buffer's own
  /// last execution is never before the execution that decides it.
  Status applyInPlace() {
    // Last read of each buffer; differs from Buffer::last for persistent
    // storages and outputs.
    std::vector<ExecutionIndex> lastRead(timeline.buffers.size(), kNone);
    bool any = false;
    for (ExecutionIndex e = 0; e < count; ++e) {
      const Op &op = problem.ops[plan.schedule[e].op];
      any |= !op.inPlace.empty();
      for (size_t i = 0; i < op.inputs.size(); ++i)
        lastRead[findBuffer(op.inputs[i], plan.schedule[e].reads[i])] = e;
    }
    if (!any)
      return Status::success();

    std::vector<bool> overwritten(timeline.buffers.size(), false);
    std::vector<bool> inPersistent(timeline.buffers.size(), false);
    for (size_t i = 0; i < inputsEnd; ++i)
      inPersistent[i] =
          problem.storages[timeline.buffers[i].storage].persistent;
    for (ExecutionIndex e = 0; e < count; ++e) {
      const Op &op = problem.ops[plan.schedule[e].op];
      for (const InPlacePair &pair : op.inPlace) {
        size_t operand = 0;
        while (op.inputs[operand] != pair.input)
          ++operand;
        int32_t source =
            findBuffer(pair.input, plan.schedule[e].reads[operand]);
        int32_t target = findBuffer(pair.output, e);
        Buffer &from = timeline.buffers[source];
        Buffer &to = timeline.buffers[target];
        bool dies = lastRead[source] == e && !leaves[source];
        if (pair.required && !dies)
          return Error::badInput(
              executionName(e) + " overwrites " + storageName(pair.input) +
              ", which is " +
              (leaves[source]
                   ? std::string("an output of the step")
                   : "read again by " + executionName(lastRead[source])));
        bool persistentStorage = from.execution == kNone &&
                                 problem.storages[from.storage].persistent;
        if (!dies || overwritten[source] || to.reuses != kNone ||
            from.bytes != to.bytes || (persistentStorage && !pair.required))
          continue;
        overwritten[source] = true;
        to.reuses = source;
        from.last = e;
        if (inPersistent[source]) {
          inPersistent[target] = true;
          to.last = count - 1;
        }
      }
    }
    return Status::success();
  }

  Status addUp() {
    int64_t sum = 0;
    for (const Buffer &buffer : timeline.buffers)
      if (__builtin_add_overflow(sum, buffer.bytes, &sum) ||
          sum > (int64_t(1) << 62))
        return Error::badInput("the plan's buffers exceed 2^62 bytes in sum");
    std::vector<int64_t> change(size_t(count) + 1, 0);
    int64_t before = 0;
    for (const Buffer &buffer : timeline.buffers) {
      if (buffer.last < buffer.first) {
        // Exists before the step and nothing reads it; with an empty schedule
        // only persistent bytes and outputs count.
        if (count == 0 && (problem.storages[buffer.storage].persistent ||
                           problem.storages[buffer.storage].output))
          before += buffer.bytes;
        continue;
      }
      change[buffer.first] += buffer.bytes;
      change[buffer.last + 1] -= buffer.bytes;
      if (buffer.reuses != kNone) {
        // Both buffers cover this->first; the bytes count once there.
        change[buffer.first] -= buffer.bytes;
        change[buffer.first + 1] += buffer.bytes;
      }
    }
    timeline.resident.resize(count);
    timeline.livePeak = before;
    int64_t now = 0;
    for (ExecutionIndex e = 0; e < count; ++e) {
      now += change[e];
      timeline.resident[e] = now;
      if (now > timeline.livePeak || timeline.peakExecution == kNone) {
        timeline.livePeak = now;
        timeline.peakExecution = e;
      }
    }
    dropUnused();
    return Status::success();
  }

  /// Removes the buffers of storages that nothing reads, keeps or returns.
  void dropUnused() {
    std::vector<int32_t> newIndex(timeline.buffers.size(), kNone);
    size_t kept = 0;
    for (size_t i = 0; i < timeline.buffers.size(); ++i) {
      if (timeline.buffers[i].last < timeline.buffers[i].first && count > 0)
        continue;
      newIndex[i] = int32_t(kept);
      timeline.buffers[kept++] = timeline.buffers[i];
    }
    timeline.buffers.resize(kept);
    for (Buffer &buffer : timeline.buffers)
      if (buffer.reuses != kNone)
        buffer.reuses = newIndex[buffer.reuses];
  }

  const Problem &problem;
  const Plan &plan;
  const ExecutionIndex count;
  Timeline timeline;
  /// Per storage without producer its buffer.
  std::vector<int32_t> initialBuffer;
  /// Per execution the buffer of its first result.
  std::vector<int32_t> firstBuffer;
  /// Buffers that leave the step.
  std::vector<bool> leaves;
  size_t inputsEnd = 0;
};

} // namespace

Expected<Timeline> simulate(const Problem &problem, const Plan &plan) {
  return Simulation(problem, plan).run();
}

} // namespace ringi::planner
