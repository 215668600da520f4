//===- MemoryAssignment.cpp - Slots of one arena --------------------------===//
//
// Part of Ringi. Lifetimes come from the simulator, offsets from the packer.
//
//===----------------------------------------------------------------------===//

#include "ringi/Transforms/MemoryAssignment.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Planner/Packing.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

Expected<MemoryAssignment> ringi::assignMemory(const ActivationGraph &graph,
                                               int64_t effort) {
  Expected<Timeline> timeline =
      simulate(graph.problem(), makeKeepAllPlan(graph.problem()));
  if (!timeline)
    return timeline.error();
  MemoryAssignment assignment;
  assignment.timeline = std::move(*timeline);
  const std::vector<Buffer> &buffers = assignment.timeline.buffers;
  int32_t end = int32_t(assignment.timeline.resident.size());

  // Buffers that overwrite each other share one slot. A buffer stands after
  // the one it reuses.
  std::vector<int32_t> slot(buffers.size());
  std::vector<PackItem> slots;
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    if (buffer.reuses != kNone) {
      slot[index] = slot[buffer.reuses];
      PackItem &item = slots[slot[index]];
      item.upper = std::max<int64_t>(item.upper, buffer.last + 1);
      continue;
    }
    slot[index] = int32_t(slots.size());
    slots.push_back({buffer.first, buffer.last + 1, buffer.bytes, -1});
  }

  std::vector<int64_t> slotOffset(slots.size(), 0);
  int64_t resident = 0;
  std::vector<PackItem> moving;
  std::vector<int32_t> movingSlot;
  for (auto [index, item] : llvm::enumerate(slots)) {
    if (item.lower == 0 && item.upper >= end) {
      slotOffset[index] = resident;
      resident += item.bytes;
    } else {
      moving.push_back(item);
      movingSlot.push_back(int32_t(index));
    }
  }
  PackOptions options;
  options.effort = effort;
  options.alignment = graph.options().alignment;
  Expected<PackResult> packed = pack(moving, options);
  if (!packed)
    return packed.error();
  for (auto [index, offset] : llvm::zip(movingSlot, packed->offsets))
    slotOffset[index] = resident + offset;
  assignment.plannedPeak = resident + packed->height;
  assignment.optimal = packed->optimal;
  for (int32_t s : slot)
    assignment.offsets.push_back(slotOffset[s]);
  return assignment;
}

void ringi::writeAssignment(const ActivationGraph &graph,
                            const MemoryAssignment &assignment) {
  const Problem &problem = graph.problem();
  FunctionOpInterface function = graph.function();
  Builder builder(function->getContext());
  std::vector<int64_t> storageOffset(problem.storages.size(), -1);
  std::vector<int64_t> workspaceOffset(problem.ops.size(), -1);
  for (auto [buffer, offset] :
       llvm::zip(assignment.timeline.buffers, assignment.offsets)) {
    if (buffer.storage != kNone)
      storageOffset[buffer.storage] = offset;
    else
      workspaceOffset[buffer.execution] = offset;
  }
  for (BlockArgument argument : function.getArguments())
    function.setArgAttr(argument.getArgNumber(), attr::kOffset,
                        builder.getI64IntegerAttr(
                            storageOffset[graph.place(argument).storage]));
  function->walk([](Operation *op) {
    op->removeAttr(attr::kOffsets);
    op->removeAttr(attr::kWorkspaceOffset);
  });
  for (auto [index, op] : llvm::enumerate(problem.ops)) {
    Operation *operation = graph.operation(OpIndex(index));
    SmallVector<int64_t> offsets;
    for (StorageIndex s : op.outputs)
      if (graph.value(s))
        offsets.push_back(storageOffset[s]);
    if (!offsets.empty())
      operation->setAttr(attr::kOffsets, builder.getDenseI64ArrayAttr(offsets));
    if (workspaceOffset[index] >= 0)
      operation->setAttr(attr::kWorkspaceOffset,
                         builder.getI64IntegerAttr(workspaceOffset[index]));
  }
  // Constants stand outside of the list of ops.
  for (auto [s, storage] : llvm::enumerate(problem.storages))
    if (storage.category == Category::Constant && storage.producer == kNone &&
        storageOffset[s] >= 0 &&
        (storage.bytes > 0 || !graph.isMadeByReaders(StorageIndex(s))))
      if (Operation *constant = graph.value(StorageIndex(s)).getDefiningOp())
        constant->setAttr(attr::kOffsets,
                          builder.getDenseI64ArrayAttr(storageOffset[s]));

  SmallVector<NamedAttribute> totals;
  auto add = [&](StringRef name, int64_t value) {
    totals.push_back(
        builder.getNamedAttr(name, builder.getI64IntegerAttr(value)));
  };
  add("alignment", graph.options().alignment);
  add("gemm_workspace", graph.options().gemmWorkspace);
  add("live_peak", assignment.timeline.livePeak);
  add("planned_peak", assignment.plannedPeak);
  if (OpIndex peak = assignment.timeline.peakExecution; peak != kNone)
    totals.push_back(builder.getNamedAttr(
        "peak_op", builder.getStringAttr(problem.ops[peak].name)));
  function->setAttr(attr::kMemory, builder.getDictionaryAttr(totals));
}

FailureOr<MemoryAssignment>
ringi::readAssignment(const ActivationGraph &graph) {
  const Problem &problem = graph.problem();
  FunctionOpInterface function = graph.function();
  auto totals = function->getAttrOfType<DictionaryAttr>(attr::kMemory);
  auto planned =
      totals ? totals.getAs<IntegerAttr>("planned_peak") : IntegerAttr();
  if (!planned)
    return mlir::emitError(function->getLoc())
           << "'" << function.getName()
           << "' has no assigned memory; run --ringi-assign-memory first";
  MemoryAssignment assignment;
  assignment.plannedPeak = planned.getInt();
  Expected<Timeline> timeline = simulate(problem, makeKeepAllPlan(problem));
  if (!timeline)
    return mlir::emitError(function->getLoc()) << timeline.error().message;
  assignment.timeline = std::move(*timeline);
  for (const Buffer &buffer : assignment.timeline.buffers) {
    std::optional<int64_t> offset;
    if (buffer.storage == kNone) {
      if (auto given = graph.operation(buffer.execution)
                           ->getAttrOfType<IntegerAttr>(attr::kWorkspaceOffset))
        offset = given.getInt();
    } else if (Value value = graph.value(buffer.storage); !value) {
      offset = 0;
    } else if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (auto given = function.getArgAttrOfType<IntegerAttr>(
              argument.getArgNumber(), attr::kOffset))
        offset = given.getInt();
    } else if (auto given =
                   value.getDefiningOp()->getAttrOfType<DenseI64ArrayAttr>(
                       attr::kOffsets);
               given &&
               given.size() > cast<OpResult>(value).getResultNumber()) {
      offset = given[cast<OpResult>(value).getResultNumber()];
    }
    if (!offset || *offset < 0) {
      Operation *place = buffer.execution != kNone
                             ? graph.operation(buffer.execution)
                             : function.getOperation();
      return mlir::emitError(place->getLoc())
             << "has a result, a workspace or an argument without an offset; "
                "run --ringi-assign-memory again after the last rewrite";
    }
    assignment.offsets.push_back(*offset);
  }
  return assignment;
}
