//===- Accounting.cpp - Memory and work recounted from the ops --*- C++ -*-===//
//
// Part of Ringi. Allocate at the first definition, free after the last use; a
// buffer that is taken over in place counts once at that op. The rules are
// those of docs/step-program.md and docs/memory-model.md.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/Accounting.h"

#include <algorithm>
#include <numeric>

using namespace ringi;
using namespace ringi::program;

namespace {

/// What the ops say about one buffer.
struct Use {
  uint32_t first = UINT32_MAX, last = 0;
  Phase firstPhase = Phase::Forward;
  bool firstIsClone = false;
  bool isScratch = false;
  bool readAfterForward = false, readByOptimizer = false;
  bool isOutput = false;
  /// Smallest category among the inputs that live here; -1 without input.
  int inputCategory = -1;
};

Category categoryOfRole(Role role) {
  switch (role) {
  case Role::Parameter:
    return Category::Parameter;
  case Role::OptimizerState:
    return Category::OptimizerState;
  case Role::ConstantState:
    return Category::Constant;
  default:
    return Category::Input;
  }
}

Category categoryOf(const Use &use, const BufferT &buffer) {
  if (use.inputCategory >= 0)
    return static_cast<Category>(use.inputCategory);
  if (buffer.persistent)
    return Category::Gradient;
  if (use.isScratch)
    return Category::Workspace;
  if (use.firstIsClone)
    return Category::RecomputedTemporary;
  if (use.firstPhase == Phase::Forward)
    return use.readAfterForward ? Category::SavedActivation
                                : Category::ForwardTemporary;
  return use.readByOptimizer ? Category::Gradient : Category::GradientInFlight;
}

} // namespace

Accounting program::accountFor(const StepProgramT &program,
                               const std::vector<uint32_t> &executed) {
  Accounting result;
  std::vector<Use> uses(program.buffers.size());
  for (const auto &input : program.inputs) {
    Use &use = uses[program.values[input->value]->buffer];
    int category = static_cast<int>(categoryOfRole(input->role));
    if (use.inputCategory < 0 || category < use.inputCategory)
      use.inputCategory = category;
  }
  for (const auto &output : program.outputs)
    uses[program.values[output->value]->buffer].isOutput = true;

  uint32_t end = executed.empty() ? 0 : uint32_t(executed.size()) - 1;
  for (uint32_t position = 0; position < executed.size(); ++position) {
    const OpT &op = *program.ops[executed[position]];
    auto write = [&](uint32_t buffer) -> Use & {
      Use &use = uses[buffer];
      if (use.first == UINT32_MAX) {
        use.first = position;
        use.firstPhase = op.phase;
        use.firstIsClone = op.origin >= 0;
      }
      use.last = position;
      return use;
    };
    for (uint32_t value : op.operands) {
      Use &use = uses[program.values[value]->buffer];
      use.last = position;
      use.readAfterForward |= op.phase != Phase::Forward;
      use.readByOptimizer |= op.phase == Phase::Optimizer;
    }
    for (uint32_t value : op.results)
      write(program.values[value]->buffer);
    if (op.workspace >= 0)
      write(op.workspace).isScratch = true;
    result.totalFlops += op.flops;
    if (op.origin >= 0)
      result.recomputeFlops += op.flops;
  }

  size_t count = program.buffers.size();
  // Bytes that appear at and disappear after each position.
  std::vector<int64_t> change(executed.size() + 1);
  std::vector<int64_t> takenOver(executed.size());
  for (size_t i = 0; i < count; ++i) {
    const BufferT &buffer = *program.buffers[i];
    Use &use = uses[i];
    if (buffer.persistent || use.inputCategory >= 0) {
      use.first = 0;
      use.last = end;
    } else if (use.isOutput && use.first != UINT32_MAX) {
      use.last = end;
    }
    result.first.push_back(use.first);
    result.last.push_back(use.last);
    result.category.push_back(categoryOf(use, buffer));
    int64_t bytes = static_cast<int64_t>(buffer.bytes);
    result.plannedPeak = std::max(result.plannedPeak,
                                  static_cast<int64_t>(buffer.offset) + bytes);
    if (result.category.back() == Category::SavedActivation)
      result.savedActivationBytes += bytes;
    if (use.first > use.last || executed.empty())
      continue;
    change[use.first] += bytes;
    change[use.last + 1] -= bytes;
  }
  auto isTakenOverAt = [&](size_t i, uint32_t position) {
    // The buffer that buffer i takes over does not count at position.
    int32_t reused = program.buffers[i]->reuses;
    return reused >= 0 && result.first[i] == position &&
           result.last[reused] == position;
  };
  for (size_t i = 0; i < count; ++i)
    if (result.first[i] < executed.size() && isTakenOverAt(i, result.first[i]))
      takenOver[result.first[i]] += static_cast<int64_t>(
          program.buffers[program.buffers[i]->reuses]->bytes);

  int64_t alive = 0;
  for (uint32_t position = 0; position < executed.size(); ++position) {
    alive += change[position];
    result.resident.push_back(alive - takenOver[position]);
    if (result.resident.back() > result.livePeak) {
      result.livePeak = result.resident.back();
      result.peakOp = position;
    }
  }
  for (size_t i = 0; i < count; ++i) {
    int64_t bytes = static_cast<int64_t>(program.buffers[i]->bytes);
    if (result.first[i] > result.peakOp || result.last[i] < result.peakOp)
      continue;
    result.categoriesAtPeak[result.category[i]] += bytes;
    if (isTakenOverAt(i, result.peakOp)) {
      int32_t reused = program.buffers[i]->reuses;
      result.categoriesAtPeak[result.category[reused]] -=
          static_cast<int64_t>(program.buffers[reused]->bytes);
    }
  }
  std::erase_if(result.categoriesAtPeak,
                [](const auto &entry) { return entry.second == 0; });
  return result;
}

Accounting program::accountFor(const StepProgramT &program) {
  std::vector<uint32_t> all(program.ops.size());
  std::iota(all.begin(), all.end(), 0);
  return accountFor(program, all);
}
