//===- IncrementalSimulator.h - A schedule under edit -----------*- C++ -*-===//
//
// Part of Ringi. The simulator for searches: holds a schedule in which every
// read takes the latest earlier copy, and keeps resident bytes up to date while
// executions are added, removed and moved.
//
// The memory is a range-add structure over slots (a flat array for small
// graphs, a range-add/range-max segment tree for large ones), as in the
// simulated annealing of Sadamoto et al. (FastSA, NeurIPS 2023). Reading the
// latest copy never costs memory: the older copy would have to live over a
// superset of the time. The values equal Simulator's on every state; a property
// test holds them together.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_INCREMENTALSIMULATOR_H
#define RINGI_PLANNER_INCREMENTALSIMULATOR_H

#include "ringi/Planner/Plan.h"

#include <memory>

namespace ringi::planner {

class IncrementalSimulator {
public:
  /// One execution under edit; stays valid until it is removed.
  using Handle = int32_t;

  /// Loads `plan`, which must be accepted by simulate(). Its reads become reads
  /// of the latest earlier copies. `budget` is what overflow() is measured
  /// against. O((n + m) log n).
  IncrementalSimulator(const Problem &problem, const Plan &plan,
                       int64_t budget);
  ~IncrementalSimulator();

  /// Max over executions of resident bytes. O(1) for large graphs, O(n) for
  /// small.
  int64_t peak() const;
  /// Sum over executions of bytes above the budget (small graphs), or the
  /// peak's bytes above the budget (large graphs). 0 exactly when the peak is
  /// within the budget. O(1).
  double overflow() const;
  /// Cost of all executions beyond each op's first. O(1).
  double recomputeCost() const;
  int32_t numExecutions() const;

  /// The first and the last execution in schedule order, and the neighbours of
  /// one; kNone past the ends.
  Handle front() const;
  Handle back() const;
  Handle next(Handle handle) const;
  Handle previous(Handle handle) const;
  OpIndex op(Handle handle) const;
  /// The execution stands before the other.
  bool before(Handle left, Handle right) const;
  /// Executions of one op, in schedule order.
  const std::vector<Handle> &executions(OpIndex op) const;

  /// Runs `op` once more right before `where` (kNone: at the end). Later reads
  /// up to the op's next execution take the new copy. \returns kNone, without
  /// any change, when an input has no earlier copy, the op may not be executed
  /// again, or an input was overwritten.
  Handle insert(OpIndex op, Handle where);
  /// Removes an execution; its readers take the previous copy. \returns false,
  /// without any change, when a reader would have none.
  bool remove(Handle handle);
  /// Moves an execution right before `where`. \returns false, without any
  /// change, when a read or reader would lose its copy.
  bool move(Handle handle, Handle where);

  /// Starts recording edits; rollback() takes back all edits since, in any
  /// number; commit() forgets them. Handles removed since are valid again after
  /// rollback.
  void begin();
  void rollback();
  void commit();

  /// The schedule as a plan with claims filled (no bound). O(n + m).
  Plan toPlan() const;

private:
  struct Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ringi::planner

#endif // RINGI_PLANNER_INCREMENTALSIMULATOR_H
