//===- ProgramExport.cpp - From assigned IR to a step program -------------===//
//
// Part of Ringi. One program op per dialect op, except where the program has
// none: reduce_mean is reduce_sum and scale, a split that copies is one slice
// per part. Neither changes the peak: the parts live as long as the whole.
//
//===----------------------------------------------------------------------===//

#include "ringi/Target/ProgramExport.h"

#include "ringi/Analysis/AttributeNames.h"
#include "ringi/Analysis/CostReport.h"
#include "ringi/Dialect/Ringi/IR/RingiAttrs.h"
#include "ringi/Program/OpSignature.h"
#include "ringi/Program/ProgramBuilder.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"

#include <map>

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

class ProgramExporter {
public:
  ProgramExporter(const ActivationGraph &graph,
                  const MemoryAssignment &assignment)
      : graph(graph), problem(graph.problem()), assignment(assignment),
        function(graph.function()) {}

  FailureOr<program::ProgramFile> run() {
    program::StepProgramT &step = file.program;
    step.name = problem.name;
    step.alignment = uint32_t(graph.options().alignment);
    step.gemm_workspace = uint64_t(graph.options().gemmWorkspace);
    step.tokens_per_step = uint64_t(tokensPerStep(function));
    addBuffers();
    if (failed(addInputs()))
      return failure();
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
      if (failed(addOp(v)))
        return failure();
    if (failed(addOutputs()) || failed(addClaims()))
      return failure();
    return std::move(file);
  }

private:
  /// One program buffer per buffer of the timeline, except that an update
  /// writes inside its argument's.
  void addBuffers() {
    const std::vector<Buffer> &buffers = assignment.timeline.buffers;
    bufferOfStorage.assign(problem.storages.size(), kNone);
    bufferOfWorkspace.assign(problem.ops.size(), kNone);
    std::vector<int32_t> number(buffers.size(), kNone);
    for (auto [index, buffer] : llvm::enumerate(buffers)) {
      if (buffer.bytes == 0)
        continue;
      bool inArgument =
          buffer.reuses != kNone && isPersistent(number[buffer.reuses]);
      if (inArgument) {
        number[index] = number[buffer.reuses];
      } else {
        auto slot = std::make_unique<program::BufferT>();
        slot->name = buffer.storage != kNone
                         ? problem.storages[buffer.storage].name
                         : problem.ops[buffer.execution].name + ".workspace";
        slot->offset = uint64_t(assignment.offsets[index]);
        slot->bytes = uint64_t(buffer.bytes);
        slot->persistent = buffer.execution == kNone;
        if (buffer.reuses != kNone)
          slot->reuses = number[buffer.reuses];
        number[index] = int32_t(file.program.buffers.size());
        file.program.buffers.push_back(std::move(slot));
      }
      if (buffer.storage != kNone)
        bufferOfStorage[buffer.storage] = number[index];
      else
        bufferOfWorkspace[buffer.execution] = number[index];
    }
  }

  bool isPersistent(int32_t buffer) const {
    return buffer != kNone && file.program.buffers[buffer]->persistent;
  }

  /// The program value of an SSA value; equal ranges of equal type are one.
  FailureOr<uint32_t> valueOf(Value value, Operation *user) {
    StoragePlace place = graph.place(value);
    std::optional<program::TensorShape> shape = programShape(value.getType());
    if (!shape || place.storage == kNone ||
        bufferOfStorage[place.storage] == kNone)
      return mlir::emitError(user->getLoc())
             << "reads or makes a value of type " << value.getType()
             << ", which a step program does not have; it holds tensors of "
                "f64, f32, bf16, f16, i64, i32 and i8 of rank up to 8 and of "
                "known, nonzero sizes";
    return addValue(place.storage, uint32_t(bufferOfStorage[place.storage]),
                    place.byteOffset, *shape);
  }

  uint32_t addValue(StorageIndex storage, uint32_t buffer, int64_t offset,
                    const program::TensorShape &shape) {
    auto [it, isNew] = valueNumbers.try_emplace(
        std::make_tuple(storage, buffer, offset, shape.type, shape.shape),
        uint32_t(file.program.values.size()));
    if (isNew) {
      auto entry = std::make_unique<program::ValueT>();
      entry->name = problem.storages[storage].name;
      entry->buffer = buffer;
      entry->byte_offset = uint64_t(offset);
      entry->element_type = shape.type;
      entry->shape.assign(shape.shape.begin(), shape.shape.end());
      file.program.values.push_back(std::move(entry));
    }
    return it->second;
  }

  LogicalResult addInputs() {
    for (BlockArgument argument : function.getArguments()) {
      unsigned number = argument.getArgNumber();
      auto role = function.getArgAttrOfType<StringAttr>(number, attr::kRole);
      std::optional<program::Role> known;
      for (program::Role candidate : program::EnumValuesRole())
        if (role && role.getValue() == program::toString(candidate))
          known = candidate;
      if (!known)
        return mlir::emitError(function->getLoc())
               << "argument " << number << " has no '" << attr::kRole
               << "'; a program must know what each input is";
      auto input = std::make_unique<program::InputT>();
      input->name = problem.storages[graph.place(argument).storage].name;
      FailureOr<uint32_t> value = valueOf(argument, function);
      if (failed(value))
        return failure();
      input->value = *value;
      input->role = *known;
      if (failed(setInitializer(argument, *input)))
        return failure();
      file.program.inputs.push_back(std::move(input));
    }
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
      Value value = graph.value(s);
      Operation *op = value ? value.getDefiningOp() : nullptr;
      if (!op || problem.storages[s].producer != kNone)
        continue;
      Attribute content;
      matchPattern(op, m_Constant(&content));
      std::optional<program::SegmentData> bytes = constantBytes(content);
      if (!bytes)
        return op->emitError() << "is a constant that a step program cannot "
                                  "hold; use a dense tensor";
      auto input = std::make_unique<program::InputT>();
      input->name = problem.storages[s].name;
      FailureOr<uint32_t> number = valueOf(value, op);
      if (failed(number))
        return failure();
      input->value = *number;
      input->role = program::Role::ConstantState;
      setData(*input, std::move(*bytes));
      file.program.inputs.push_back(std::move(input));
    }
    return success();
  }

  void setData(program::InputT &input, program::SegmentData bytes) {
    input.initializer = program::Initializer::Data;
    input.segment = int32_t(file.segments.size());
    auto segment = std::make_unique<program::SegmentT>();
    segment->bytes = bytes.size();
    file.program.segments.push_back(std::move(segment));
    file.segments.push_back(std::move(bytes));
  }

  /// Without `ringi.init`: zeros for state and scalars, else normal floats and
  /// zero integers.
  LogicalResult setInitializer(BlockArgument argument, program::InputT &input) {
    auto init = function.getArgAttrOfType<InitAttr>(argument.getArgNumber(),
                                                    attr::kInit);
    program::TensorShape shape = *programShape(argument.getType());
    if (!init) {
      bool random = (input.role == program::Role::Input ||
                     input.role == program::Role::Target ||
                     input.role == program::Role::Parameter) &&
                    program::isFloat(shape.type);
      input.initializer =
          random ? program::Initializer::Normal : program::Initializer::Zeros;
      input.init_scale = random ? 1 : 0;
      return success();
    }
    input.init_scale = init.getScaleValue();
    switch (init.getKind()) {
    case InitKind::Zeros:
      input.initializer = program::Initializer::Zeros;
      break;
    case InitKind::Ones:
      input.initializer = program::Initializer::Ones;
      break;
    case InitKind::Normal:
      input.initializer = program::Initializer::Normal;
      break;
    case InitKind::Uniform:
      input.initializer = program::Initializer::Uniform;
      break;
    case InitKind::Tokens:
      input.initializer = program::Initializer::Tokens;
      break;
    case InitKind::Constant: {
      int64_t elements = 1;
      for (int64_t size : shape.shape)
        elements *= size;
      setData(input, filledBytes(shape.type, elements, input.init_scale));
      input.init_scale = 0;
      break;
    }
    }
    return success();
  }

  /// A program op with everything but kind, operands and results.
  std::unique_ptr<program::OpT> makeOp(OpIndex index) {
    const planner::Op &op = problem.ops[index];
    auto entry = std::make_unique<program::OpT>();
    entry->attributes = std::make_unique<program::AttributesT>();
    entry->op_class = program::OpClass(op.opClass);
    entry->phase = program::Phase(op.phase);
    entry->flops = op.flops;
    if (op.block != kNone)
      entry->block = problem.blocks[op.block];
    entry->location = op.location;
    if (graph.isClone(index))
      entry->origin =
          firstProgramOp[graph.origin(index)] +
          (int32_t(file.program.ops.size()) - firstProgramOp[index]);
    return entry;
  }

  LogicalResult addOp(OpIndex index) {
    Operation *op = graph.operation(index);
    firstProgramOp.push_back(int32_t(file.program.ops.size()));
    auto entry = makeOp(index);
    if (StringRef name = programAttributes(op, *entry->attributes);
        !name.empty())
      return op->emitError() << "has the attribute '" << name
                             << "', which a step program does not have";
    SmallVector<uint32_t> operands, results;
    for (Value operand : op->getOperands()) {
      FailureOr<uint32_t> value = valueOf(operand, op);
      if (failed(value))
        return failure();
      operands.push_back(*value);
    }
    for (Value opResult : op->getResults()) {
      FailureOr<uint32_t> value = valueOf(opResult, op);
      if (failed(value))
        return failure();
      results.push_back(*value);
    }
    StringRef name = op->getName().getStringRef();
    if (name == "ringi.split" && llvm::any_of(op->getResults(), [](Value part) {
          return part.use_empty();
        }))
      return op->emitError()
             << "copies a part that nobody reads, which a program would free "
                "earlier than the plan; write ringi.slice for the other parts";
    if (name == "ringi.split")
      return addSlices(index, op, *entry->attributes, operands[0], results);
    if (name == "ringi.reduce_mean")
      return addMean(index, op, std::move(entry), operands[0], results[0]);
    std::optional<program::OpKind> kind = programKind(op);
    if (!kind)
      return op->emitError()
             << "'" << name
             << "' has no kernel in a step program; only operations of the "
                "ringi dialect can be exported";
    entry->kind = *kind;
    entry->operands.assign(operands.begin(), operands.end());
    entry->results.assign(results.begin(), results.end());
    return append(index, std::move(entry));
  }

  LogicalResult append(OpIndex index, std::unique_ptr<program::OpT> entry) {
    std::vector<program::TensorShape> operands, results;
    for (uint32_t value : entry->operands)
      operands.push_back(program::shapeOf(*file.program.values[value]));
    for (uint32_t value : entry->results)
      results.push_back(program::shapeOf(*file.program.values[value]));
    int64_t needs = program::kernelWorkspaceBytes(
        entry->kind, operands, results, graph.options().gemmWorkspace);
    // The program counts the product alone, not what is fused into it.
    if (program::isProduct(entry->kind))
      entry->flops = program::matmulFlops(entry->kind, *entry->attributes,
                                          operands, results);
    if (needs > 0) {
      entry->workspace = bufferOfWorkspace[index];
      int64_t has =
          entry->workspace == kNone
              ? 0
              : int64_t(file.program.buffers[entry->workspace]->bytes);
      if (has < needs)
        return graph.operation(index)->emitError()
               << "needs a workspace of " << needs << " bytes and was planned "
               << "with " << has
               << "; its getWorkspaceBytes does not know its kernel";
    }
    file.program.ops.push_back(std::move(entry));
    return success();
  }

  LogicalResult addSlices(OpIndex index, Operation *op,
                          const program::AttributesT &attributes,
                          uint32_t operand, ArrayRef<uint32_t> results) {
    int64_t start = 0;
    for (uint32_t part : results) {
      auto slice = makeOp(index);
      slice->flops /= double(results.size());
      slice->kind = program::OpKind::Slice;
      slice->attributes->axis = attributes.axis;
      slice->attributes->start = start;
      start +=
          int64_t(file.program.values[part]->shape[size_t(attributes.axis)]);
      slice->operands = {operand};
      slice->results = {part};
      if (failed(append(index, std::move(slice))))
        return failure();
    }
    return success();
  }

  /// The sum stands in the result's slot and is scaled in place.
  LogicalResult addMean(OpIndex index, Operation *op,
                        std::unique_ptr<program::OpT> sum, uint32_t operand,
                        uint32_t mean) {
    const program::ValueT &value = *file.program.values[mean];
    program::BufferT &meanBuffer = *file.program.buffers[value.buffer];
    auto sumBuffer = std::make_unique<program::BufferT>();
    sumBuffer->name = meanBuffer.name + ".sum";
    sumBuffer->offset = meanBuffer.offset;
    sumBuffer->bytes = meanBuffer.bytes;
    sumBuffer->reuses = meanBuffer.reuses;
    uint32_t buffer = uint32_t(file.program.buffers.size());
    meanBuffer.reuses = int32_t(buffer);
    file.program.buffers.push_back(std::move(sumBuffer));
    program::TensorShape shape = program::shapeOf(value);
    StorageIndex storage = graph.place(op->getResult(0)).storage;
    uint32_t total = addValue(storage, buffer, 0, shape);

    double elements = 1, kept = 1;
    for (uint64_t size : file.program.values[operand]->shape)
      elements *= double(size);
    for (int64_t size : shape.shape)
      kept *= double(size);
    double flops = sum->flops;
    sum->kind = program::OpKind::ReduceSum;
    sum->operands = {operand};
    sum->results = {total};
    sum->flops = std::max(flops - kept, 0.0);
    double rest = flops - sum->flops;
    if (failed(append(index, std::move(sum))))
      return failure();
    auto scale = makeOp(index);
    scale->kind = program::OpKind::Scale;
    scale->attributes->factor = kept / elements;
    scale->operands = {total};
    scale->results = {mean};
    scale->flops = rest;
    return append(index, std::move(scale));
  }

  LogicalResult addOutputs() {
    for (auto [number, output] : llvm::enumerate(graph.outputs())) {
      auto entry = std::make_unique<program::OutputT>();
      FailureOr<uint32_t> value = valueOf(output.value, function);
      if (failed(value))
        return failure();
      entry->value = *value;
      entry->updates = int32_t(output.updates);
      auto name = function.getResultAttrOfType<StringAttr>(number, attr::kName);
      entry->name = name ? name.str() : "output" + std::to_string(number);
      entry->role = program::Role::Output;
      if (auto role =
              function.getResultAttrOfType<StringAttr>(number, attr::kRole))
        for (program::Role candidate : program::EnumValuesRole())
          if (role.getValue() == program::toString(candidate))
            entry->role = candidate;
      file.program.outputs.push_back(std::move(entry));
    }
    return success();
  }

  /// The program's own accounting must give what was assigned.
  LogicalResult addClaims() {
    file.program.claims = std::make_unique<program::ClaimsT>();
    program::ClaimsT &claims = *file.program.claims;
    if (file.program.ops.empty())
      return mlir::emitError(function->getLoc())
             << "'" << function.getName() << "' has no operation to execute";
    program::fillClaims(file.program);
    claims.strategy = "none";
    if (auto plan = function->getAttrOfType<DictionaryAttr>(attr::kPlan)) {
      if (auto strategy = plan.getAs<StringAttr>("strategy"))
        claims.strategy = strategy.str();
      if (auto budget = plan.getAs<IntegerAttr>("budget"))
        claims.budget = uint64_t(budget.getInt());
    }
    if (int64_t(claims.live_peak) != assignment.timeline.livePeak ||
        int64_t(claims.planned_peak[0]) != assignment.plannedPeak)
      return mlir::emitError(function->getLoc())
             << "the program of '" << function.getName() << "' has peaks "
             << claims.live_peak << " and " << claims.planned_peak[0] << " but "
             << assignment.timeline.livePeak << " and "
             << assignment.plannedPeak
             << " were assigned; run --ringi-assign-memory again";
    return success();
  }

  const ActivationGraph &graph;
  const Problem &problem;
  const MemoryAssignment &assignment;
  FunctionOpInterface function;
  program::ProgramFile file;
  std::vector<int32_t> bufferOfStorage, bufferOfWorkspace, firstProgramOp;
  std::map<std::tuple<StorageIndex, uint32_t, int64_t, program::ElementType,
                      std::vector<int64_t>>,
           uint32_t>
      valueNumbers;
};

} // namespace

FailureOr<program::ProgramFile>
ringi::exportProgram(const ActivationGraph &graph,
                     const MemoryAssignment &assignment) {
  return ProgramExporter(graph, assignment).run();
}
