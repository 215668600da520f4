//===- Verifier.cpp - Independent check of a plan -------------------------===//
//
// Part of Ringi. Walks the schedule once with a table of live copies and use
// counts, the way an executor would, and compares what it sees with what the
// plan claims. It deliberately calls nothing of the simulator or the planners.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Verifier.h"

#include "ringi/Support/NumberText.h"

#include <cmath>

namespace ringi::planner {

namespace {

/// One copy of one storage in memory.
struct Copy {
  StorageIndex storage = kNone;
  /// Reads still to come; the end of the step counts as one for what leaves it.
  int64_t usesLeft = 0;
  bool alive = false;
  bool overwritten = false;
  /// Sits in bytes that are never given back.
  bool inPersistentBytes = false;
  /// Computed by an execution of the forward phase.
  bool fromForward = false;
};

class Verifier {
public:
  Verifier(const Problem &problem, const Plan &plan)
      : problem(problem), plan(plan) {}

  Expected<VerifiedPlan> run() {
    for (auto step :
         {&Verifier::checkShape, &Verifier::classify, &Verifier::countUses,
          &Verifier::execute, &Verifier::compareClaims})
      if (Status status = (this->*step)(); !status)
        return status.error();
    return result;
  }

private:
  std::string at(size_t e) const {
    return "execution #" + std::to_string(e) + " (op '" +
           problem.ops[plan.schedule[e].op].name + "')";
  }
  std::string quoted(StorageIndex s) const {
    return "'" + problem.storages[s].name + "'";
  }

  /// Indices in range, every op at least once, clones only where allowed.
  Status checkShape() {
    runs.assign(problem.ops.size(), 0);
    OpIndex lastOrdered = kNone;
    for (size_t e = 0; e < plan.schedule.size(); ++e) {
      const Execution &execution = plan.schedule[e];
      if (execution.op < 0 || size_t(execution.op) >= problem.ops.size())
        return Error::badInput("execution #" + std::to_string(e) +
                               " runs op #" + std::to_string(execution.op) +
                               " but the graph has " +
                               std::to_string(problem.ops.size()) +
                               " ops; the plan is for another graph");
      const Op &op = problem.ops[execution.op];
      if (execution.reads.size() != op.inputs.size())
        return Error::badInput(
            at(e) + " names " + std::to_string(execution.reads.size()) +
            " reads but the op has " + std::to_string(op.inputs.size()) +
            " inputs; the plan is for another graph");
      if (++runs[execution.op] > 1 && !op.recomputable)
        return Error::refused(at(e) + " runs the op a second time, but it is "
                                      "not recomputable; keep its results");
      if (!op.ordered)
        continue;
      if (execution.op < lastOrdered)
        return Error::refused(at(e) + " runs after op '" +
                              problem.ops[lastOrdered].name +
                              "', but ops with effects keep the given order");
      lastOrdered = execution.op;
    }
    for (size_t v = 0; v < problem.ops.size(); ++v) {
      if (runs[v] == 0)
        return Error::refused("op '" + problem.ops[v].name +
                              "' never runs; a plan runs each of the " +
                              std::to_string(problem.ops.size()) + " ops");
      if (runs[v] == 1)
        continue;
      for (StorageIndex s : problem.ops[v].outputs)
        if (problem.storages[s].mark == Mark::MustKeep)
          return Error::refused("op '" + problem.ops[v].name + "' runs " +
                                std::to_string(runs[v]) +
                                " times but its result " + quoted(s) +
                                " is marked must-keep");
    }
    return Status::success();
  }

  /// Which executions serve the backward phase (Plan.h defines the split).
  Status classify() {
    size_t count = plan.schedule.size();
    std::vector<bool> first(count, false);
    std::vector<bool> seen(problem.ops.size(), false);
    size_t split = count;
    for (size_t e = 0; e < count; ++e) {
      OpIndex v = plan.schedule[e].op;
      first[e] = !seen[v];
      seen[v] = true;
      if (first[e] && problem.ops[v].phase != Phase::Forward && split == count)
        split = e;
    }
    while (split > 0 && !first[split - 1])
      --split;
    servesBackward.resize(count);
    for (size_t e = 0; e < count; ++e)
      servesBackward[e] =
          problem.ops[plan.schedule[e].op].phase != Phase::Forward ||
          (!first[e] && e >= split);
    return Status::success();
  }

  /// Copies are numbered: initial storages by index, then results in schedule
  /// order.
  Status countUses() {
    copies.resize(problem.storages.size());
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      const Storage &storage = problem.storages[s];
      copies[s].storage = StorageIndex(s);
      if (storage.producer != kNone)
        continue;
      copies[s].inPersistentBytes = storage.persistent;
      copies[s].usesLeft = storage.output;
    }
    base.resize(plan.schedule.size());
    for (size_t e = 0; e < plan.schedule.size(); ++e) {
      const Op &op = problem.ops[plan.schedule[e].op];
      for (size_t i = 0; i < op.inputs.size(); ++i) {
        ExecutionIndex from = plan.schedule[e].reads[i];
        if (from < kNone || from >= ExecutionIndex(e))
          return Error::refused(at(e) + " reads " + quoted(op.inputs[i]) +
                                " of execution #" + std::to_string(from) +
                                ", which has not run by then");
        size_t copy = findCopy(op.inputs[i], from);
        if (copy == kNowhere)
          return Error::refused(
              at(e) + " reads " + quoted(op.inputs[i]) + " of " +
              (from == kNone ? std::string("before the step") : at(from)) +
              ", which does not compute it");
        ++copies[copy].usesLeft;
      }
      base[e] = copies.size();
      for (StorageIndex s : op.outputs) {
        Copy copy;
        copy.storage = s;
        copy.fromForward = !servesBackward[e];
        copies.push_back(copy);
      }
    }
    size_t next = 0;
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      if (!problem.storages[s].output || problem.storages[s].producer == kNone)
        continue;
      if (next == plan.outputs.size())
        return Error::refused("the plan names " +
                              std::to_string(plan.outputs.size()) +
                              " outputs and misses " + quoted(s));
      ExecutionIndex from = plan.outputs[next++];
      size_t copy = from < 0 || size_t(from) >= plan.schedule.size()
                        ? kNowhere
                        : findCopy(StorageIndex(s), from);
      if (copy == kNowhere)
        return Error::refused(
            "output " + quoted(s) + " is taken from execution #" +
            std::to_string(from) + ", which does not compute it");
      ++copies[copy].usesLeft;
    }
    if (next != plan.outputs.size())
      return Error::refused(
          "the plan names " + std::to_string(plan.outputs.size()) +
          " outputs but the step has " + std::to_string(next));
    return Status::success();
  }

  Status execute() {
    for (size_t s = 0; s < problem.storages.size(); ++s) {
      const Storage &storage = problem.storages[s];
      if (storage.producer != kNone ||
          (!storage.persistent && copies[s].usesLeft == 0))
        continue;
      copies[s].alive = true;
      if (!grow(storage.bytes))
        return overflow();
    }
    result.livePeak = now;
    for (size_t e = 0; e < plan.schedule.size(); ++e)
      if (Status status = executeOne(e); !status)
        return status;
    return Status::success();
  }

  Status executeOne(size_t e) {
    const Op &op = problem.ops[plan.schedule[e].op];
    const std::vector<ExecutionIndex> &reads = plan.schedule[e].reads;
    for (size_t i = 0; i < op.inputs.size(); ++i) {
      Copy &copy = copies[findCopy(op.inputs[i], reads[i])];
      if (copy.overwritten)
        return Error::refused(at(e) + " reads " + quoted(op.inputs[i]) +
                              " after it was overwritten");
      if (problem.storages[op.inputs[i]].mark == Mark::MustRecompute &&
          copy.fromForward && servesBackward[e])
        return Error::refused(at(e) + " reads the forward copy of " +
                              quoted(op.inputs[i]) +
                              ", which is marked must-recompute");
      --copy.usesLeft;
    }
    // Allocate before free: results and workspace first, less what is written
    // over a dying operand.
    int64_t extra = op.workspace;
    std::vector<StorageIndex> placed;
    for (const InPlacePair &pair : op.inPlace) {
      size_t operand = 0;
      while (op.inputs[operand] != pair.input)
        ++operand;
      Copy &source = copies[findCopy(pair.input, reads[operand])];
      Copy &target = copies[findCopy(pair.output, ExecutionIndex(e))];
      if (pair.required && source.usesLeft > 0)
        return Error::refused(at(e) + " overwrites " + quoted(pair.input) +
                              " which has " + std::to_string(source.usesLeft) +
                              " later uses; move them before it");
      const bool isParameter =
          reads[operand] == kNone && problem.storages[pair.input].persistent;
      bool taken = source.overwritten;
      for (StorageIndex s : placed)
        taken |= s == pair.output;
      if (taken || source.usesLeft > 0 || (isParameter && !pair.required))
        continue;
      source.overwritten = true;
      target.inPersistentBytes = source.inPersistentBytes;
      placed.push_back(pair.output);
      // The bytes change hands: neither freed nor allocated.
      source.alive = false;
      target.alive = true;
    }
    for (size_t i = 0; i < op.outputs.size(); ++i) {
      Copy &copy = copies[base[e] + i];
      if (copy.alive)
        continue;
      copy.alive = true;
      if (__builtin_add_overflow(extra, problem.storages[copy.storage].bytes,
                                 &extra))
        return overflow();
    }
    if (!grow(extra))
      return overflow();
    if (now > result.livePeak)
      result.livePeak = now;
    now -= op.workspace;
    for (size_t i = 0; i < op.inputs.size(); ++i)
      freeIfDead(copies[findCopy(op.inputs[i], reads[i])]);
    for (size_t i = 0; i < op.outputs.size(); ++i)
      freeIfDead(copies[base[e] + i]);
    if (done.empty())
      done.resize(problem.ops.size(), false);
    if (done[plan.schedule[e].op]) {
      result.recomputeCost += op.cost;
      ++result.recomputes;
    }
    done[plan.schedule[e].op] = true;
    return Status::success();
  }

  void freeIfDead(Copy &copy) {
    if (!copy.alive || copy.usesLeft > 0 || copy.inPersistentBytes)
      return;
    copy.alive = false;
    now -= problem.storages[copy.storage].bytes;
  }

  Status compareClaims() {
    const Claims &claims = plan.claims;
    if (result.livePeak != claims.livePeak)
      return Error::refused(
          "the plan claims a live peak of " + std::to_string(claims.livePeak) +
          " bytes but it is " + std::to_string(result.livePeak) +
          "; plan the graph again");
    if (plan.budget > 0 && result.livePeak > plan.budget)
      return Error::refused(
          "the plan's live peak of " + std::to_string(result.livePeak) +
          " bytes exceeds its budget of " + std::to_string(plan.budget));
    if (result.recomputes != claims.recomputes)
      return Error::refused(
          "the plan claims " + std::to_string(claims.recomputes) +
          " recomputes but has " + std::to_string(result.recomputes));
    double tolerance = 1e-9 * (std::fabs(result.recomputeCost) +
                               std::fabs(claims.recomputeCost));
    if (!(std::fabs(result.recomputeCost - claims.recomputeCost) <= tolerance))
      return Error::refused("the plan claims a recompute cost of " +
                            numberText(claims.recomputeCost) + " but it is " +
                            numberText(result.recomputeCost));
    if (claims.lowerBound > result.recomputeCost + tolerance + 1e-12)
      return Error::refused("the plan claims the lower bound " +
                            numberText(claims.lowerBound) +
                            " above its own recompute cost of " +
                            numberText(result.recomputeCost));
    return Status::success();
  }

  /// The copy of `s` made by execution `e` (kNone: before the step), or
  /// kNowhere.
  size_t findCopy(StorageIndex s, ExecutionIndex e) const {
    if (e == kNone)
      return problem.storages[s].producer == kNone ? size_t(s) : kNowhere;
    const std::vector<StorageIndex> &outputs =
        problem.ops[plan.schedule[e].op].outputs;
    for (size_t i = 0; i < outputs.size(); ++i)
      if (outputs[i] == s)
        return base[e] + i;
    return kNowhere;
  }

  bool grow(int64_t bytes) {
    return !__builtin_add_overflow(now, bytes, &now) &&
           now <= (int64_t(1) << 62);
  }
  static Status overflow() {
    return Error::badInput("resident bytes exceed 2^62");
  }

  static constexpr size_t kNowhere = ~size_t(0);
  const Problem &problem;
  const Plan &plan;
  VerifiedPlan result;
  std::vector<int64_t> runs;
  std::vector<bool> servesBackward, done;
  std::vector<Copy> copies;
  /// First copy of each execution.
  std::vector<size_t> base;
  int64_t now = 0;
};

} // namespace

Expected<VerifiedPlan> verifyPlan(const Problem &problem, const Plan &plan) {
  return Verifier(problem, plan).run();
}

} // namespace ringi::planner
