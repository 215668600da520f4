//===- ArenaReplay.cpp - The arena, written and read run by run -----------===//
//
// Part of Ringi. An ordered map of disjoint byte ranges; a write cuts out what
// it covers, a read must find its own value in every byte.
//
//===----------------------------------------------------------------------===//

#include "ArenaReplay.h"

#include "ringi/Analysis/AttributeNames.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace ringi;

namespace {

/// What a range of the arena holds: a storage's number, or -1 for scratch.
class Arena {
public:
  void write(int64_t begin, int64_t end, int content) {
    if (begin >= end)
      return;
    auto it = ranges.upper_bound(begin);
    if (it != ranges.begin())
      --it;
    while (it != ranges.end() && it->first < end) {
      auto [start, range] = *it;
      if (range.end <= begin) {
        ++it;
        continue;
      }
      it = ranges.erase(it);
      if (start < begin)
        ranges[start] = {begin, range.content};
      if (range.end > end)
        ranges[end] = {range.end, range.content};
    }
    ranges[begin] = {end, content};
  }

  /// True when every byte holds `content`; else `found` is what one holds.
  bool holds(int64_t begin, int64_t end, int content, int &found) const {
    found = -1;
    while (begin < end) {
      auto it = ranges.upper_bound(begin);
      if (it == ranges.begin())
        return false;
      --it;
      if (it->second.end <= begin)
        return false;
      found = it->second.content;
      if (found != content)
        return false;
      begin = it->second.end;
    }
    return true;
  }

private:
  struct Range {
    int64_t end;
    int content;
  };
  std::map<int64_t, Range> ranges;
};

class ArenaChecker {
public:
  ArenaChecker(FunctionOpInterface function, const StepReplay &replay,
               int64_t alignment, int64_t gemmWorkspace, int64_t plannedPeak)
      : function(function), replay(replay), alignment(alignment),
        gemmWorkspace(gemmWorkspace), plannedPeak(plannedPeak) {}

  LogicalResult run() {
    offsets.assign(replay.storages.size(), 0);
    for (int s = 0; s < int(replay.storages.size()); ++s) {
      if (failed(readOffset(s)))
        return failure();
      if (replay.storages[s].beforeStep)
        arena.write(offsets[s], offsets[s] + replay.storages[s].bytes, s);
    }
    if (failed(checkDisjointArguments()))
      return failure();
    for (const ReplayRun &run : replay.runs)
      if (failed(checkReads(run)) || failed(write(run)))
        return failure();
    if (failed(checkEnd()))
      return failure();
    if (highWater != plannedPeak)
      return mlir::emitError(function->getLoc())
             << "the arena of '" << function.getName() << "' reaches "
             << highWater << " bytes but the planned peak is " << plannedPeak
             << "; run --ringi-assign-memory again";
    return success();
  }

private:
  Operation *placeOf(int s) {
    Operation *op = replay.storages[s].value.getDefiningOp();
    return op ? op : function.getOperation();
  }

  LogicalResult readOffset(int s) {
    const ReplayStorage &storage = replay.storages[s];
    if (storage.bytes == 0)
      return success();
    std::optional<int64_t> offset;
    if (auto argument = dyn_cast<BlockArgument>(storage.value)) {
      if (auto given = function.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), attr::kOffset))
        offset = given.getInt();
    } else {
      unsigned number = cast<OpResult>(storage.value).getResultNumber();
      auto given =
          storage.value.getDefiningOp()->getAttrOfType<DenseI64ArrayAttr>(
              attr::kOffsets);
      if (given && number < given.size())
        offset = given[number];
    }
    if (!offset)
      return placeOf(s)->emitError()
             << "has no offset in the arena; run --ringi-assign-memory again "
                "after the last rewrite";
    offsets[s] = *offset;
    return checkSlot(placeOf(s), *offset, storage.bytes);
  }

  LogicalResult checkSlot(Operation *place, int64_t offset, int64_t bytes) {
    int64_t size = (bytes + alignment - 1) / alignment * alignment;
    // The end of a slot that is inside cannot overflow.
    if (offset < 0 || offset % alignment != 0 || size > plannedPeak ||
        offset > plannedPeak - size)
      return mlir::emitError(place->getLoc())
             << "has a slot of " << size << " bytes at " << offset
             << " that is not aligned to " << alignment
             << " or not inside the planned peak of " << plannedPeak
             << " bytes";
    highWater = std::max(highWater, offset + size);
    return success();
  }

  /// Later writes hide an overlap among what exists before the step.
  LogicalResult checkDisjointArguments() {
    for (int s = 0; s < int(replay.storages.size()); ++s) {
      const ReplayStorage &storage = replay.storages[s];
      int found;
      if (storage.beforeStep &&
          !arena.holds(offsets[s], offsets[s] + storage.bytes, s, found))
        return placeOf(s)->emitError()
               << "has " << describe(s) << " and " << describe(found)
               << " in the same bytes";
    }
    return success();
  }

  std::string describe(int s) const {
    if (s < 0)
      return "nothing or scratch";
    Value value = replay.storages[s].value;
    std::string text;
    llvm::raw_string_ostream os(text);
    if (auto argument = dyn_cast<BlockArgument>(value))
      os << "argument " << argument.getArgNumber();
    else
      os << "result " << cast<OpResult>(value).getResultNumber() << " of '"
         << value.getDefiningOp()->getName() << "'";
    os << " at [" << offsets[s] << ", " << offsets[s] + replay.storages[s].bytes
       << ")";
    return text;
  }

  LogicalResult checkReads(const ReplayRun &run) {
    for (const ReplayRange &range : run.reads) {
      int64_t begin = offsets[range.storage] + range.offset;
      int found;
      if (arena.holds(begin, begin + range.bytes, range.storage, found))
        continue;
      InFlightDiagnostic error = run.op->emitError();
      error << "reads " << describe(range.storage) << ", but those bytes hold "
            << describe(found);
      if (found >= 0)
        if (Operation *writer = replay.storages[found].value.getDefiningOp())
          error.attachNote(writer->getLoc()) << "they were written over here";
      return error;
    }
    return success();
  }

  LogicalResult write(const ReplayRun &run) {
    SmallVector<std::pair<int64_t, int64_t>> written;
    auto claim = [&](int64_t begin, int64_t end,
                     StringRef what) -> LogicalResult {
      for (auto [from, to] : written)
        if (begin < to && from < end)
          return run.op->emitError()
                 << what << " at [" << begin << ", " << end
                 << ") overlaps another of its results or its workspace";
      written.push_back({begin, end});
      return success();
    };
    for (unsigned r = 0; r < run.op->getNumResults(); ++r) {
      int s = run.firstResult + int(r);
      int64_t begin = offsets[s], end = begin + replay.storages[s].bytes;
      if (failed(claim(begin, end, "a result")) ||
          failed(checkAgainstReads(run, begin, end, int(r))))
        return failure();
    }
    int64_t scratch = StepReplay::scratchBytes(run, alignment, gemmWorkspace);
    if (scratch > 0) {
      auto given = run.op->getAttrOfType<IntegerAttr>(attr::kWorkspaceOffset);
      if (!given)
        return run.op->emitError()
               << "needs a workspace of " << scratch
               << " bytes and has none; run --ringi-assign-memory again";
      int64_t begin = given.getInt(), end = begin + scratch;
      if (failed(checkSlot(run.op, begin, scratch)) ||
          failed(claim(begin, end, "the workspace")) ||
          failed(checkAgainstReads(run, begin, end, -1)))
        return failure();
      arena.write(begin, end, -1);
    }
    for (unsigned r = 0; r < run.op->getNumResults(); ++r) {
      int s = run.firstResult + int(r);
      arena.write(offsets[s], offsets[s] + replay.storages[s].bytes, s);
    }
    return success();
  }

  /// What an op writes may share bytes with what it reads only where the op
  /// allows it and the operand dies.
  LogicalResult checkAgainstReads(const ReplayRun &run, int64_t begin,
                                  int64_t end, int result) {
    for (const ReplayRange &range : run.reads) {
      int64_t from = offsets[range.storage] + range.offset;
      if (begin >= from + range.bytes || from >= end)
        continue;
      bool allowed = false;
      for (auto [pair, taken] : llvm::zip(run.pairs, run.inPlace))
        allowed |= taken && int(pair.result) == result &&
                   run.reads[pair.operand].storage == range.storage &&
                   offsets[range.storage] == begin;
      if (!allowed)
        return run.op->emitError()
               << (result < 0 ? "uses as workspace" : "writes over") << " ["
               << begin << ", " << end << "), where " << describe(range.storage)
               << " is still being read";
    }
    return success();
  }

  /// Outputs reach the caller; arguments that nothing updates serve the next
  /// step.
  LogicalResult checkEnd() {
    std::vector<bool> updated(replay.storages.size(), false);
    for (const ReplayRun &run : replay.runs)
      for (auto [pair, taken] : llvm::zip(run.pairs, run.inPlace))
        if (taken)
          updated[run.reads[pair.operand].storage] = true;
    for (int s = 0; s < int(replay.storages.size()); ++s) {
      const ReplayStorage &storage = replay.storages[s];
      if (!storage.leavesStep && !(storage.beforeStep && !updated[s]))
        continue;
      int found;
      if (!arena.holds(offsets[s], offsets[s] + storage.bytes, s, found))
        return placeOf(s)->emitError()
               << describe(s) << " must survive to the end of the step, but "
               << describe(found) << " was written over it";
    }
    return success();
  }

  FunctionOpInterface function;
  const StepReplay &replay;
  const int64_t alignment, gemmWorkspace, plannedPeak;
  int64_t highWater = 0;
  std::vector<int64_t> offsets;
  Arena arena;
};

} // namespace

LogicalResult ringi::replayArena(FunctionOpInterface function,
                                 const StepReplay &replay, int64_t alignment,
                                 int64_t gemmWorkspace, int64_t plannedPeak) {
  return ArenaChecker(function, replay, alignment, gemmWorkspace, plannedPeak)
      .run();
}
