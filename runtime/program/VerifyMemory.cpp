//===- VerifyMemory.cpp - Every byte read is the one meant ------*- C++ -*-===//
//
// Part of Ringi. Lifetimes and disjointness of buffers, then a symbolic run: a
// map from arena bytes to the write that they hold. Reads are checked against
// the map, by address, so that no name in the file can hide an overwrite;
// clones are checked to read what their origin read.
//
//===----------------------------------------------------------------------===//

#include "VerifySteps.h"
#include "ringi/Program/Accounting.h"
#include "ringi/Program/OpSignature.h"

#include <algorithm>
#include <map>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::detail;

namespace {

std::string number(int64_t value) { return std::to_string(value); }

struct Range {
  uint64_t begin = 0, end = 0;
  bool operator==(const Range &) const = default;
  bool overlaps(const Range &other) const {
    return begin < other.end && other.begin < end;
  }
};

Range rangeOf(const StepProgramT &program, uint32_t index) {
  const ValueT &value = *program.values[index];
  uint64_t begin = program.buffers[value.buffer]->offset + value.byte_offset;
  return {begin,
          begin + uint64_t(tensorBytes(value.element_type, value.shape))};
}

/// Whether `op` writes a result in `buffer` exactly over an operand in
/// `reused`, as its kind allows.
bool takesOver(const StepProgramT &program, const OpT &op, size_t buffer,
               size_t reused) {
  for (size_t r = 0; r < op.results.size(); ++r)
    for (size_t o = 0; o < op.operands.size(); ++o)
      if (program.values[op.results[r]]->buffer == buffer &&
          program.values[op.operands[o]]->buffer == reused &&
          rangeOf(program, op.results[r]) == rangeOf(program, op.operands[o]) &&
          mayRunInPlace(op.kind, o, r))
        return true;
  return false;
}

Status verifyReuse(const StepProgramT &program, size_t index,
                   std::vector<bool> &isReused) {
  const BufferT &buffer = *program.buffers[index];
  if (buffer.reuses < 0)
    return Status::success();
  const BufferT &reused = *program.buffers[buffer.reuses];
  std::string name = bufferName(program, index);
  std::string other = bufferName(program, buffer.reuses);
  if (reused.offset != buffer.offset || reused.bytes != buffer.bytes)
    return invalid(name, "reuses " + other + " with " + number(buffer.bytes) +
                             " bytes at " + number(buffer.offset) +
                             " instead of " + number(reused.bytes) + " at " +
                             number(reused.offset));
  if (reused.persistent || buffer.persistent || reused.last != buffer.first)
    return invalid(name, "reuses " + other + " at op " + number(buffer.first) +
                             ", which lives until op " + number(reused.last));
  if (!takesOver(program, *program.ops[buffer.first], index, buffer.reuses))
    return invalid(name, "reuses " + other + ", but " +
                             describeOp(program, buffer.first) +
                             " does not write one over the other in place");
  if (isReused[buffer.reuses])
    return invalid(name, "reuses " + other + ", which another buffer reuses");
  isReused[buffer.reuses] = true;
  return Status::success();
}

/// One thing that bytes of the arena can hold.
struct Write {
  /// The op and its result, or -1 and the input.
  int64_t op = -1;
  uint32_t index = 0;
  uint32_t buffer = 0;
  uint64_t begin = 0;
  /// No byte of it had been written before in its buffer.
  bool isFirst = true;
};
constexpr uint32_t kScratch = UINT32_MAX;

/// Arena bytes -> write that they hold.
class ArenaMap {
public:
  struct Piece {
    Range range;
    uint32_t write;
  };

  void write(Range range, uint32_t write) {
    split(range.begin);
    split(range.end);
    pieces.erase(pieces.lower_bound(range.begin),
                 pieces.lower_bound(range.end));
    pieces[range.begin] = {range.end, write};
  }

  /// The pieces of `range` in order; gaps are left out.
  std::vector<Piece> read(Range range) const {
    std::vector<Piece> result;
    auto it = pieces.upper_bound(range.begin);
    if (it != pieces.begin())
      --it;
    for (; it != pieces.end() && it->first < range.end; ++it)
      if (it->second.first > range.begin)
        result.push_back({{std::max(it->first, range.begin),
                           std::min(it->second.first, range.end)},
                          it->second.second});
    return result;
  }

private:
  void split(uint64_t at) {
    auto it = pieces.upper_bound(at);
    if (it == pieces.begin())
      return;
    --it;
    if (it->first < at && at < it->second.first) {
      auto piece = it->second;
      it->second.first = at;
      pieces[at] = piece;
    }
  }
  std::map<uint64_t, std::pair<uint64_t, uint32_t>> pieces;
};

/// Where a piece of an operand comes from, the same for a clone and its origin.
struct Source {
  int64_t op;
  uint32_t index;
  uint64_t offset, bytes;
  bool operator==(const Source &) const = default;
};

class DataFlow {
public:
  explicit DataFlow(const StepProgramT &program) : program(program) {}

  Status run() {
    if (Status status = declareInputs(); !status)
      return status;
    if (Status status = declareResults(); !status)
      return status;
    for (size_t i = 0; i < program.ops.size(); ++i)
      if (Status status = execute(i); !status)
        return status;
    return finish();
  }

private:
  const StepProgramT &program;
  ArenaMap arena;
  std::vector<Write> writes;
  /// Per value: the write that makes it, or none for a view.
  static constexpr uint32_t kNone = UINT32_MAX - 1;
  std::vector<uint32_t> writeOf;
  /// Per origin op that has clones: the sources of its operands.
  std::map<uint32_t, std::vector<std::vector<Source>>> sourcesOf;

  Status declareInputs() {
    writeOf.assign(program.values.size(), kNone);
    for (uint32_t i = 0; i < program.inputs.size(); ++i) {
      uint32_t value = program.inputs[i]->value;
      Range range = rangeOf(program, value);
      if (!arena.read(range).empty())
        return invalid("input '" + program.inputs[i]->name + "'",
                       "shares bytes with another input");
      writeOf[value] = uint32_t(writes.size());
      writes.push_back(
          {-1, i, program.values[value]->buffer, range.begin, true});
      arena.write(range, writeOf[value]);
    }
    return Status::success();
  }

  Status declareResults() {
    for (uint32_t i = 0; i < program.ops.size(); ++i) {
      const OpT &op = *program.ops[i];
      if (op.origin >= 0)
        sourcesOf[op.origin];
      for (uint32_t r = 0; r < op.results.size(); ++r) {
        uint32_t value = op.results[r];
        if (writeOf[value] != kNone)
          return invalid(describeOp(program, i),
                         "writes " + valueName(program, value) +
                             ", which is an input or written before");
        writeOf[value] = uint32_t(writes.size());
        writes.push_back({i, r, program.values[value]->buffer,
                          rangeOf(program, value).begin, true});
      }
    }
    return Status::success();
  }

  /// What the bytes of `value` hold now, or an error if that is not `value`.
  Status read(const std::string &reader, uint32_t value,
              std::vector<Source> *sources) {
    Range range = rangeOf(program, value);
    uint32_t expected = writeOf[value];
    uint64_t at = range.begin;
    for (const ArenaMap::Piece &piece : arena.read(range)) {
      if (piece.range.begin != at)
        break;
      at = piece.range.end;
      if (piece.write == kScratch)
        return invalid(reader, "reads " + valueName(program, value) +
                                   " after it was overwritten as workspace");
      const Write &held = writes[piece.write];
      bool isMeant =
          expected != kNone
              ? piece.write == expected
              : held.isFirst && held.buffer == program.values[value]->buffer;
      if (!isMeant)
        return invalid(reader, "reads " + valueName(program, value) +
                                   ", whose bytes hold what " + describe(held) +
                                   " wrote");
      if (sources) {
        const OpT *writer = held.op >= 0 ? program.ops[held.op].get() : nullptr;
        bool isClone = writer && writer->origin >= 0;
        sources->push_back({isClone ? writer->origin : held.op, held.index,
                            piece.range.begin - held.begin,
                            piece.range.end - piece.range.begin});
      }
    }
    if (at != range.end)
      return invalid(reader, "reads " + valueName(program, value) +
                                 " before byte " + number(at - range.begin) +
                                 " of " + number(range.end - range.begin) +
                                 " is written");
    return Status::success();
  }

  std::string describe(const Write &write) const {
    return write.op >= 0 ? describeOp(program, write.op)
                         : "input '" + program.inputs[write.index]->name + "'";
  }

  /// Results lie over operands only where the kind allows it, and never over
  /// each other.
  Status verifyInPlace(size_t index) {
    const OpT &op = *program.ops[index];
    std::string name = describeOp(program, index);
    for (size_t r = 0; r < op.results.size(); ++r) {
      uint32_t result = op.results[r];
      Range range = rangeOf(program, result);
      for (size_t s = 0; s < r; ++s)
        if (range.overlaps(rangeOf(program, op.results[s])))
          return invalid(name, "writes " + valueName(program, result) +
                                   " over its result " +
                                   valueName(program, op.results[s]));
      for (size_t o = 0; o < op.operands.size(); ++o) {
        uint32_t operand = op.operands[o];
        if (!range.overlaps(rangeOf(program, operand)))
          continue;
        if (!(range == rangeOf(program, operand)) ||
            !mayRunInPlace(op.kind, o, r))
          return invalid(name, "writes " + valueName(program, result) +
                                   " over its operand " +
                                   valueName(program, operand) +
                                   ", which it may not do in place");
      }
      int required = requiredInPlaceOperand(op.kind, r);
      if (required >= 0 &&
          (!(range == rangeOf(program, op.operands[required])) ||
           program.values[result]->buffer !=
               program.values[op.operands[required]]->buffer))
        return invalid(name, "must write " + valueName(program, result) +
                                 " over its operand " +
                                 valueName(program, op.operands[required]));
    }
    return Status::success();
  }

  Status verifyClone(size_t index,
                     const std::vector<std::vector<Source>> &sources) {
    const OpT &op = *program.ops[index];
    const OpT &origin = *program.ops[op.origin];
    std::string name = describeOp(program, index);
    auto differs = [&](const std::string &what) {
      return invalid(name, "is a clone of " + describeOp(program, op.origin) +
                               " with other " + what);
    };
    const AttributesT defaults;
    if (op.kind != origin.kind)
      return differs("kind");
    if (!((op.attributes ? *op.attributes : defaults) ==
          (origin.attributes ? *origin.attributes : defaults)))
      return differs("attributes");
    if (op.op_class != origin.op_class || op.flops != origin.flops)
      return differs("class or FLOPs");
    if (isUpdate(op.kind))
      return invalid(name, "is a clone of an update, which changes state");
    auto sameTypes = [&](const std::vector<uint32_t> &a,
                         const std::vector<uint32_t> &b) {
      return std::equal(
          a.begin(), a.end(), b.begin(), b.end(), [&](uint32_t x, uint32_t y) {
            return program.values[x]->element_type ==
                       program.values[y]->element_type &&
                   program.values[x]->shape == program.values[y]->shape;
          });
    };
    if (!sameTypes(op.operands, origin.operands) ||
        !sameTypes(op.results, origin.results))
      return differs("operand or result shapes");
    for (size_t o = 0; o < op.operands.size(); ++o)
      if (sources[o] != sourcesOf[op.origin][o])
        return differs("data in operand " + number(o) + " (" +
                       valueName(program, op.operands[o]) + ")");
    return Status::success();
  }

  /// Indices come from inputs, whose values are checked before each run.
  Status verifyIndices(size_t index,
                       const std::vector<std::vector<Source>> &sources) {
    const OpT &op = *program.ops[index];
    int operand = indexOperand(op.kind);
    if (operand < 0)
      return Status::success();
    for (const Source &source : sources[operand])
      if (source.op >= 0)
        return invalid(describeOp(program, index),
                       "takes its indices from " +
                           valueName(program, op.operands[operand]) +
                           ", which is no input");
    return Status::success();
  }

  Status execute(size_t index) {
    const OpT &op = *program.ops[index];
    auto origin = sourcesOf.find(index);
    bool wantSources = op.origin >= 0 || origin != sourcesOf.end() ||
                       indexOperand(op.kind) >= 0;
    std::vector<std::vector<Source>> sources(op.operands.size());
    for (size_t o = 0; o < op.operands.size(); ++o)
      if (Status status = read(describeOp(program, index), op.operands[o],
                               wantSources ? &sources[o] : nullptr);
          !status)
        return status;
    if (Status status = verifyInPlace(index); !status)
      return status;
    if (Status status = verifyIndices(index, sources); !status)
      return status;
    if (op.origin >= 0)
      if (Status status = verifyClone(index, sources); !status)
        return status;
    if (origin != sourcesOf.end())
      origin->second = std::move(sources);

    if (op.workspace >= 0) {
      const BufferT &buffer = *program.buffers[op.workspace];
      arena.write({buffer.offset, buffer.offset + buffer.bytes}, kScratch);
    }
    for (uint32_t value : op.results) {
      Range range = rangeOf(program, value);
      Write &write = writes[writeOf[value]];
      for (const ArenaMap::Piece &piece : arena.read(range))
        if (piece.write != kScratch &&
            writes[piece.write].buffer == write.buffer)
          write.isFirst = false;
      arena.write(range, writeOf[value]);
    }
    return Status::success();
  }

  /// Outputs are there at the end, and the next step finds its inputs.
  Status finish() {
    std::map<int32_t, uint32_t> updatedBy;
    for (const auto &output : program.outputs) {
      if (Status status =
              read("output '" + output->name + "'", output->value, nullptr);
          !status)
        return status;
      if (output->updates >= 0)
        updatedBy[output->updates] = output->value;
    }
    for (uint32_t i = 0; i < program.inputs.size(); ++i) {
      auto update = updatedBy.find(i);
      uint32_t value = program.inputs[i]->value;
      if (update != updatedBy.end())
        continue; // Read as an output: the same bytes.
      if (Status status = read("the next step", value, nullptr); !status)
        return status;
    }
    return Status::success();
  }
};

} // namespace

Status detail::verifyBuffers(const StepProgramT &program) {
  Accounting truth = accountFor(program);
  std::vector<bool> isReused(program.buffers.size());
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferT &buffer = *program.buffers[i];
    if (truth.first[i] > truth.last[i])
      return invalid(bufferName(program, i), "is never written");
    if (buffer.first != truth.first[i] || buffer.last != truth.last[i])
      return invalid(bufferName(program, i),
                     "lives from op " + number(buffer.first) + " to op " +
                         number(buffer.last) + ", its ops give " +
                         number(truth.first[i]) + " to " +
                         number(truth.last[i]));
  }
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (Status status = verifyReuse(program, i, isReused); !status)
      return status;

  // Sweep over executions with the live buffers ordered by offset.
  std::vector<uint32_t> byFirst(program.buffers.size()), byLast;
  for (uint32_t i = 0; i < byFirst.size(); ++i)
    byFirst[i] = i;
  byLast = byFirst;
  std::stable_sort(byFirst.begin(), byFirst.end(), [&](uint32_t a, uint32_t b) {
    return program.buffers[a]->first < program.buffers[b]->first;
  });
  std::stable_sort(byLast.begin(), byLast.end(), [&](uint32_t a, uint32_t b) {
    return program.buffers[a]->last < program.buffers[b]->last;
  });
  std::map<uint64_t, uint32_t> live; // offset -> buffer
  size_t dead = 0;
  for (uint32_t index : byFirst) {
    const BufferT &buffer = *program.buffers[index];
    for (; dead < byLast.size() &&
           program.buffers[byLast[dead]]->last < buffer.first;
         ++dead) {
      auto it = live.find(program.buffers[byLast[dead]]->offset);
      if (it != live.end() && it->second == byLast[dead])
        live.erase(it);
    }
    auto next = live.lower_bound(buffer.offset);
    uint32_t clash = UINT32_MAX;
    if (next != live.end() && next->first < buffer.offset + buffer.bytes &&
        int64_t(next->second) != buffer.reuses)
      clash = next->second;
    if (next != live.begin()) {
      const auto &before = *std::prev(next);
      if (before.first + program.buffers[before.second]->bytes > buffer.offset)
        clash = before.second;
    }
    if (clash != UINT32_MAX)
      return invalid(bufferName(program, index),
                     "at offset " + number(buffer.offset) + " overlaps " +
                         bufferName(program, clash) + " at offset " +
                         number(program.buffers[clash]->offset) + " at op " +
                         number(buffer.first));
    live[buffer.offset] = index;
  }
  return Status::success();
}

Status detail::verifyDataFlow(const StepProgramT &program) {
  return DataFlow(program).run();
}
