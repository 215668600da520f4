//===- Plan.h - A schedule that may compute a value again -------*- C++ -*-===//
//
// Part of Ringi. The planner's answer: executions in order, each naming the
// computation that every operand reads. That covers every strategy: nested
// recompute, k clones of one op, reordering. docs/memory-model.md, "Plan".
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_PLAN_H
#define RINGI_PLANNER_PLAN_H

#include "ringi/Planner/Problem.h"

namespace ringi::planner {

/// Index into Plan::schedule; kNone stands for "exists before the step".
using ExecutionIndex = int32_t;

/// One run of one op. The first execution of an op is its origin, every later
/// one is a clone.
struct Execution {
  OpIndex op = kNone;
  /// Parallel to Op::inputs: the execution whose result is read, or kNone for a
  /// storage without producer.
  std::vector<ExecutionIndex> reads;
};

/// Which schedules a lower bound speaks about.
enum class BoundClass : uint8_t {
  None,     ///< no bound computed
  GapFixed, ///< gap bound: every schedule whose first executions keep the given
            ///< order
  SnapshotFixed, ///< snapshot bound for the same class
  SnapshotFree,  ///< snapshot bound: every schedule
  Exact          ///< exhaustive search: the optimum itself
};

/// What happened to one storage, for reports ("kept or recomputed, and why").
struct Decision {
  StorageIndex storage = kNone;
  bool recomputed = false;
  /// A short phrase: "marked must-keep", "gemm result (selective)", "block
  /// input", "cheaper to recompute at price 0.3".
  std::string reason;
};

/// The numbers a planner claims. The verifier recomputes them and never trusts
/// them.
struct Claims {
  int64_t livePeak = 0;
  /// Total time units of all executions beyond each op's first.
  double recomputeCost = 0;
  double recomputeFlops = 0;
  int64_t recomputes = 0;
  /// Proven lower bound on recomputeCost at this budget, and its class.
  double lowerBound = 0;
  BoundClass boundClass = BoundClass::None;
};

struct Plan {
  std::string strategy;
  /// Bytes; 0 where the strategy has no budget.
  int64_t budget = 0;
  std::vector<Execution> schedule;
  /// Parallel to the list of output storages with a producer (ascending storage
  /// index): the execution whose result leaves the step.
  std::vector<ExecutionIndex> outputs;
  std::vector<Decision> decisions;
  /// What the user should know although the plan stands: one line each, in the
  /// style of Error::message ("strategy 'every-block' frees nothing ...").
  std::vector<std::string> warnings;
  Claims claims;
};

/// The plan that computes everything once in the given order and keeps it:
/// strategy "none".
Plan makeKeepAllPlan(const Problem &problem);

/// Storages that are outputs of the step and have a producer, ascending.
std::vector<StorageIndex> outputStorages(const Problem &problem);

/// For every execution whether it is a clone: not the first one of its op.
std::vector<bool> findClones(const Problem &problem, const Plan &plan);

/// For every execution whether it serves the backward phase: the origin of an
/// op that is not Phase::Forward, any clone of such an op, and a clone of a
/// forward op that runs after the forward phase. The forward phase ends before
/// the run of clones that directly precedes the first origin of a non-forward
/// op.
std::vector<bool> findBackwardExecutions(const Problem &problem,
                                         const Plan &plan);

/// Whether first executions stand in the order of Problem::ops (`order=fixed`).
bool keepsGivenOrder(const Problem &problem, const Plan &plan);

/// Bytes of forward results that the backward phase reads in the copy the
/// forward phase made: what crosses from forward to backward.
int64_t savedActivationBytes(const Problem &problem, const Plan &plan);

/// Fills every number of Plan::claims but the lower bound from the schedule;
/// livePeak through the simulator. The error is the simulator's.
Status fillClaims(const Problem &problem, Plan &plan);

const char *toString(BoundClass boundClass);

} // namespace ringi::planner

#endif // RINGI_PLANNER_PLAN_H
