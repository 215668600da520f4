//===- Proofs.cpp - The promised peak is the measured one -------*- C++ -*-===//
//
// Part of Ringi. Proofs that run in this process: accounting from executed
// ops, two-pattern poison, poison on free, starving, counted allocations.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/Proofs.h"
#include "ringi/Program/Accounting.h"

#include <algorithm>
#include <cstring>
#include <fstream>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;

namespace {

using Verdict = Proof::Verdict;

Proof makeProof(const char *name, bool passed, const std::string &detail) {
  return {name, passed ? Verdict::Passed : Verdict::Failed, detail};
}

/// Checksums of everything that a run leaves behind.
Expected<std::vector<uint64_t>> fingerprint(Executor &executor) {
  const StepProgramT &program = executor.program();
  std::vector<uint64_t> result;
  std::vector<std::byte> bytes;
  auto add = [&](uint32_t value) {
    bytes.resize(size_t(executor.bytesOf(value)));
    Status status = executor.read(value, bytes.data());
    result.push_back(checksum(bytes.data(), bytes.size()));
    return status;
  };
  for (const auto &output : program.outputs)
    if (Status status = add(output->value); !status)
      return status.error();
  for (const auto &input : program.inputs)
    if (Status status = add(input->value); !status)
      return status.error();
  return result;
}

/// Which output or input of `program` fingerprint entry `i` belongs to.
std::string nameOfEntry(const StepProgramT &program, size_t i) {
  return i < program.outputs.size()
             ? "output '" + program.outputs[i]->name + "'"
             : "input '" + program.inputs[i - program.outputs.size()]->name +
                   "'";
}

/// Byte ranges of the arena that no value and no workspace occupies.
std::vector<std::pair<uint64_t, uint64_t>> gaps(const StepProgramT &program,
                                                uint64_t arenaBytes) {
  std::vector<std::pair<uint64_t, uint64_t>> used;
  for (const auto &value : program.values) {
    uint64_t begin =
        program.buffers[value->buffer]->offset + value->byte_offset;
    used.emplace_back(begin, begin + uint64_t(tensorBytes(value->element_type,
                                                          value->shape)));
  }
  for (const auto &op : program.ops)
    if (op->workspace >= 0)
      used.emplace_back(program.buffers[op->workspace]->offset,
                        program.buffers[op->workspace]->offset +
                            program.buffers[op->workspace]->bytes);
  std::sort(used.begin(), used.end());
  std::vector<std::pair<uint64_t, uint64_t>> result;
  uint64_t at = 0;
  for (auto [begin, end] : used) {
    if (begin > at)
      result.emplace_back(at, begin);
    at = std::max(at, end);
  }
  if (at < arenaBytes)
    result.emplace_back(at, arenaBytes);
  return result;
}

/// What a run on an arena filled with one byte left behind.
struct PatternRun {
  /// Last byte that differs from the fill + 1.
  int64_t highWater = 0;
  /// First byte outside every value and workspace that differs; -1 for none.
  int64_t stray = -1;
  std::vector<uint64_t> fingerprint;
  std::vector<uint32_t> executed;
};

constexpr int64_t kChunk = 4 << 20;

int64_t roundUp(int64_t bytes, int64_t alignment) {
  return (bytes + alignment - 1) / alignment * alignment;
}

Status scanHighWater(Executor &executor, uint8_t fill, PatternRun &result) {
  Arena &arena = executor.arena();
  std::vector<std::byte> bytes(size_t(std::min(arena.bytes(), kChunk)));
  // From the end, until a byte differs.
  for (int64_t end = arena.bytes(); end > 0 && result.highWater == 0;) {
    int64_t begin = std::max<int64_t>(0, end - kChunk);
    if (Status status = executor.device().copyOut(
            bytes.data(), arena.data() + begin, end - begin);
        !status)
      return status;
    for (int64_t i = end - begin; i > 0 && result.highWater == 0; --i)
      if (bytes[size_t(i - 1)] != std::byte(fill))
        result.highWater = begin + i;
    end = begin;
  }
  return Status::success();
}

Status scanGaps(Executor &executor, uint8_t fill, PatternRun &result) {
  Arena &arena = executor.arena();
  std::vector<std::byte> bytes(size_t(std::min(arena.bytes(), kChunk)));
  for (auto [begin, end] : gaps(executor.program(), uint64_t(arena.bytes())))
    for (int64_t at = int64_t(begin); at < int64_t(end) && result.stray < 0;) {
      int64_t size = std::min(int64_t(end) - at, kChunk);
      if (Status status =
              executor.device().copyOut(bytes.data(), arena.data() + at, size);
          !status)
        return status;
      auto found =
          std::find_if(bytes.begin(), bytes.begin() + size,
                       [&](std::byte b) { return b != std::byte(fill); });
      if (found != bytes.begin() + size)
        result.stray = at + (found - bytes.begin());
      at += size;
    }
  return Status::success();
}

Expected<PatternRun> runOnPattern(const ProgramFile &file, Device &device,
                                  const ProofConfig &config,
                                  const ExecutorOptions &options) {
  PatternRun result;
  Expected<std::unique_ptr<Session>> session =
      Session::start(file, device, config.run, options);
  if (!session)
    return session.error();
  for (int64_t step = 0; step < config.steps; ++step)
    if (Status status = (*session)->step(); !status)
      return status.error();
  Executor &executor = (*session)->executor();
  result.executed = executor.executed();
  Expected<std::vector<uint64_t>> left = fingerprint(executor);
  if (!left)
    return left.error();
  result.fingerprint = std::move(*left);
  if (Status status = scanHighWater(executor, *options.fill, result); !status)
    return status.error();
  if (Status status = scanGaps(executor, *options.fill, result); !status)
    return status.error();
  return result;
}

Proof proveAccounting(const StepProgramT &program,
                      const std::vector<uint32_t> &executed) {
  Accounting truth = accountFor(program, executed);
  int64_t claimedLive = int64_t(program.claims->live_peak);
  int64_t claimedPlanned = int64_t(program.claims->planned_peak[0]);
  return makeProof(
      "accounting",
      truth.livePeak == claimedLive && truth.plannedPeak == claimedPlanned,
      std::to_string(executed.size()) + " executed ops give live peak " +
          std::to_string(truth.livePeak) +
          " (plan: " + std::to_string(claimedLive) + ") and planned peak " +
          std::to_string(truth.plannedPeak) +
          " (plan: " + std::to_string(claimedPlanned) + ")");
}

std::string firstDifference(const StepProgramT &program, const PatternRun &a,
                            const PatternRun &b) {
  for (size_t i = 0; i < a.fingerprint.size(); ++i)
    if (a.fingerprint[i] != b.fingerprint[i])
      return nameOfEntry(program, i);
  return "";
}

Proof provePoison(const StepProgramT &program, const PatternRun &a,
                  const PatternRun &b, int64_t measuredPeak) {
  int64_t planned = int64_t(program.claims->planned_peak[0]);
  std::string detail = "last touched byte " +
                       std::to_string(std::max(a.highWater, b.highWater)) +
                       ", aligned " + std::to_string(measuredPeak) +
                       " (plan: " + std::to_string(planned) + ")";
  int64_t stray = a.stray >= 0 ? a.stray : b.stray;
  if (stray >= 0)
    return makeProof("poison", false,
                     detail + "; byte " + std::to_string(stray) +
                         " was written, it belongs to no value");
  std::string different = firstDifference(program, a, b);
  if (!different.empty())
    return makeProof("poison", false,
                     detail + "; " + different +
                         " depends on memory that nobody wrote");
  return makeProof("poison", measuredPeak == planned, detail);
}

Proof proveStarving(const ProgramFile &file, Device &device) {
  ExecutorOptions options;
  int64_t planned = int64_t(file.program.claims->planned_peak[0]);
  options.arenaBytes = planned;
  Expected<std::unique_ptr<Executor>> enough =
      Executor::create(file, device, options);
  if (!enough)
    return makeProof("starve", false,
                     "an arena of " + std::to_string(planned) +
                         " bytes is refused: " + enough.error().message);
  *enough = nullptr; // Two arenas at once may not fit.
  options.arenaBytes = planned - file.program.alignment;
  if (options.arenaBytes == 0)
    return makeProof("starve", true,
                     "the arena is one alignment unit, below which is none");
  Expected<std::unique_ptr<Executor>> starved =
      Executor::create(file, device, options);
  return makeProof("starve", !starved,
                   std::to_string(planned) + " bytes work, " +
                       std::to_string(options.arenaBytes) +
                       (starved ? " bytes too" : " bytes are refused"));
}

Expected<Proof> proveNoAllocation(const ProgramFile &file, Device &device,
                                  const ProofConfig &config) {
  Expected<std::unique_ptr<Session>> session =
      Session::start(file, device, config.run);
  if (!session)
    return session.error();
  if (Status status = (*session)->step(); !status)
    return status.error();
  int64_t before = device.allocationsInSteps();
  int64_t last = config.steps + 1;
  for (int64_t step = 2; step <= last; ++step)
    if (Status status = (*session)->step(); !status)
      return status.error();
  int64_t after = device.allocationsInSteps();
  if (before < 0)
    return Proof{"no_allocation", Verdict::Unavailable,
                 "this executable or device does not count allocations"};
  return makeProof("no_allocation", after == before,
                   std::to_string(after - before) +
                       " allocations from step 2 to step " +
                       std::to_string(last));
}

} // namespace

Expected<int64_t> runtime::touchedPeak(Executor &executor, uint8_t fill) {
  PatternRun run;
  if (Status status = scanHighWater(executor, fill, run); !status)
    return status.error();
  return roundUp(run.highWater, executor.program().alignment);
}

int64_t runtime::residentBytes() {
  std::ifstream stream("/proc/self/status");
  std::string word;
  while (stream >> word)
    if (word == "VmRSS:") {
      int64_t kilobytes = 0;
      return stream >> kilobytes ? kilobytes * 1024 : 0;
    }
  return 0;
}

Expected<PeakProofs> runtime::provePeak(const ProgramFile &file, Device &device,
                                        const ProofConfig &config) {
  PeakProofs result;
  ExecutorOptions options;
  options.fill = 0xA5;
  Expected<PatternRun> first = runOnPattern(file, device, config, options);
  if (!first)
    return first.error();
  options.fill = uint8_t(~0xA5);
  Expected<PatternRun> second = runOnPattern(file, device, config, options);
  if (!second)
    return second.error();
  result.measuredPeak = roundUp(std::max(first->highWater, second->highWater),
                                file.program.alignment);
  result.proofs.push_back(proveAccounting(file.program, first->executed));
  result.proofs.push_back(
      provePoison(file.program, *first, *second, result.measuredPeak));

  options.fill = 0xFF;
  options.poisonOnFree = true;
  Expected<PatternRun> poisoned = runOnPattern(file, device, config, options);
  if (!poisoned)
    return poisoned.error();
  std::string stale = firstDifference(file.program, *first, *poisoned);
  result.proofs.push_back(makeProof(
      "poison_on_free", stale.empty(),
      stale.empty() ? "all outputs are equal when dead slots become NaN"
                    : stale + " depends on a slot after its planned death"));
  result.proofs.push_back(proveStarving(file, device));
  Expected<Proof> counted = proveNoAllocation(file, device, config);
  if (!counted)
    return counted.error();
  result.proofs.push_back(std::move(*counted));
  return result;
}
