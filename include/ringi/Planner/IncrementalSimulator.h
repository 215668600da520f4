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

class MemoryProfile;

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

  /// Max over executions of resident bytes. O(n) for small graphs, O(1) for
  /// large.
  int64_t peak() const;
  /// Resident bytes at one execution.
  int64_t resident(Handle handle) const;
  /// Sum over executions of bytes above the budget (small graphs), or the
  /// peak's bytes above the budget (large graphs). 0 exactly when the peak is
  /// within the budget. O(1).
  double overflow() const;
  void setBudget(int64_t budget);
  /// Cost of all executions beyond each op's first. O(1).
  double recomputeCost() const { return extraCost; }
  int32_t numExecutions() const { return executionCount; }

  /// The first and the last execution in schedule order, and the neighbours of
  /// one; kNone past the ends.
  Handle front() const { return nodes[kHead].next; }
  Handle back() const {
    return nodes[kHead].prev == kHead ? kNone : nodes[kHead].prev;
  }
  Handle next(Handle handle) const { return nodes[handle].next; }
  Handle previous(Handle handle) const {
    return nodes[handle].prev == kHead ? kNone : nodes[handle].prev;
  }
  OpIndex op(Handle handle) const { return nodes[handle].op; }
  /// The execution stands before the other.
  bool before(Handle left, Handle right) const {
    return slots[left] < slots[right];
  }
  /// A number that grows along the schedule; edits renumber.
  int32_t slot(Handle handle) const { return slots[handle]; }
  /// An execution at or after a slot chosen in [0, numSlots()); kNone past the
  /// end.
  Handle atOrAfter(int32_t slot) const;
  int32_t numSlots() const { return int32_t(at.size()); }
  /// Executions of one op, in schedule order.
  const std::vector<Handle> &executions(OpIndex op) const { return copies[op]; }
  /// Ops with more than one execution, in no meaningful but a reproducible
  /// order.
  const std::vector<OpIndex> &repeatedOps() const { return repeated; }
  /// The copy of the storage that a read standing at the execution takes, and
  /// kNone when there is none or the storage exists before the step.
  Handle source(StorageIndex storage, Handle reader) const;
  /// The last execution before `where` that holds the storage's copy: its last
  /// earlier reader, else the copy itself. kNone without a copy.
  Handle lastUseBefore(StorageIndex storage, Handle where) const;
  /// The first execution that reads this copy of the storage; kNone if none.
  Handle firstReader(StorageIndex storage, Handle copy) const;
  /// The copy is read after `where`, or leaves the step.
  bool isLiveAfter(StorageIndex storage, Handle copy, Handle where) const {
    Handle last = lastUse[nodes[copy == kNone ? kHead : copy].firstBuffer +
                          resultIndex[storage]];
    return last == kEnd || (last != kNone && slots[last] > slots[where]);
  }
  /// Nothing reads any result of the execution, and none leaves the step.
  bool isUseless(Handle handle) const;
  /// The storage's copies are freed when dead: false for persistent storages.
  bool isTracked(StorageIndex storage) const { return tracked[storage]; }

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

  /// What an edit would lead to, told without making it.
  struct Forecast {
    enum Kind : uint8_t {
      Illegal, ///< the edit would be refused
      Unknown, ///< legal as far as seen; make the edit to learn its effect
      Known    ///< `overflow` is what overflow() would be
    } kind = Illegal;
    double overflow = 0;
  };
  /// Known for small graphs without in-place pairs, unless the edit makes other
  /// executions read another copy in ways that only the edit itself sorts out.
  Forecast forecastInsert(OpIndex op, Handle where);
  Forecast forecastRemove(Handle handle);
  Forecast forecastMove(Handle handle, Handle where);

  /// Starts recording edits; rollback() takes back all edits since, in any
  /// number; commit() forgets them. Handles removed since are valid again after
  /// rollback.
  void begin() { journal.clear(); }
  void rollback();
  void commit();

  /// The schedule as a plan with claims filled (no bound). O(n + m).
  Plan toPlan() const;

private:
  static constexpr Handle kHead = 0;
  /// A buffer's last use: kNone = its own execution, kEnd = leaves the step.
  static constexpr Handle kEnd = -2;

  struct Node {
    OpIndex op = kNone;
    Handle prev = kHead, next = kNone;
    /// Index of its first result in lastUse and livesInPersistent.
    int32_t firstBuffer = 0;
    double inPlaceDiscount = 0;
    bool marked = false;
  };
  struct Edit {
    enum Kind : uint8_t { Inserted, Removed, Moved } kind;
    Handle handle, next;
  };
  struct Change {
    int32_t slot;
    double delta;
  };
  /// One list of storages per op, behind one another in memory.
  struct Lists {
    struct Range {
      const StorageIndex *first, *last;
      const StorageIndex *begin() const { return first; }
      const StorageIndex *end() const { return last; }
      size_t size() const { return size_t(last - first); }
      StorageIndex operator[](size_t i) const { return first[i]; }
    };
    std::vector<int32_t> ends = {0};
    std::vector<StorageIndex> values;

    Range operator[](OpIndex op) const {
      return {values.data() + ends[op], values.data() + ends[op + 1]};
    }
    void closeList() { ends.push_back(int32_t(values.size())); }
  };

  double indexProblem();
  void load(const Plan &plan);
  void fillMemory();
  static void sortChanges(std::vector<Change> &changes);
  Handle makeNode(OpIndex op);
  bool mayRepeat(OpIndex op) const;
  bool mayRemove(Handle handle) const;
  bool mayMove(Handle handle, Handle where) const;
  bool forecasts() const;
  double carriedInto(Handle where) const;
  Forecast forecast(double atNewSlot, int32_t freedSlot);
  bool mayRunAt(OpIndex op, int32_t slot, Handle moving) const;
  Handle lookUpCopy(OpIndex op, int32_t slot) const;
  Handle lastReaderBefore(StorageIndex storage, int32_t slot) const;
  int32_t endSlot(Handle handle, int32_t buffer) const;
  double bufferBytes(OpIndex op, int32_t index, int32_t buffer) const;

  int32_t makeRoom(Handle where);
  void respace(int32_t size);
  void link(Handle handle, int32_t slot, Handle where);
  void unlink(Handle handle);
  void insertAt(Handle handle, Handle where);
  void refresh(Handle handle, int32_t index);
  void refreshInputs(OpIndex op, int32_t slot);
  void mark(Handle handle);
  void refreshInPlace();
  void countCopies(OpIndex op, bool grew);
  void addBytes(int32_t first, int32_t last, double delta);
  void flush();

  const Problem &problem;
  // What edits ask for of the problem stands in flat arrays.
  /// Per op the inputs that are tracked, and the results; op n is the step's
  /// entry, which "computes" what exists before the step and is not persistent.
  Lists trackedInputs, results;
  /// Per storage, per op, per op.
  std::vector<double> bytes, workspace, cost;
  std::vector<bool> tracked;
  /// Per storage the op that computes it (n for the entry).
  std::vector<OpIndex> producers;
  std::vector<int32_t> resultIndex;
  std::vector<OpIndex> overwriter;
  bool anyInPlace = false;
  OpIndex entry = 0;

  std::vector<Node> nodes;
  /// Per node its place in `at`.
  std::vector<int32_t> slots;
  std::vector<Handle> lastUse;
  std::vector<char> livesInPersistent;
  std::vector<std::vector<Handle>> copies, freeNodes, readers;
  std::vector<OpIndex> repeated;
  std::vector<int32_t> repeatedIndex;
  std::vector<Handle> at;
  std::unique_ptr<MemoryProfile> memory;
  std::vector<Change> pending;
  std::vector<Handle> markedNodes;
  std::vector<Edit> journal;
  bool recording = true;
  double extraCost = 0;
  int32_t executionCount = 0;
};

} // namespace ringi::planner

#endif // RINGI_PLANNER_INCREMENTALSIMULATOR_H
