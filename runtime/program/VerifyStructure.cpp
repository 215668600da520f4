//===- VerifyStructure.cpp - Tables that make sense alone -------*- C++ -*-===//
//
// Part of Ringi. Indices, enums, ranks, sizes and roles of a step program, and
// each op's signature and scratch. After it, no index can leave its table and
// no size can overflow.
//
//===----------------------------------------------------------------------===//

#include "VerifySteps.h"
#include "ringi/Program/OpSignature.h"
#include "ringi/Support/NumberText.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::detail;

namespace {

/// Larger arenas do not exist; keeps every later sum of sizes in range.
constexpr uint64_t kMaxArena = uint64_t(1) << 48;
constexpr size_t kMaxTables = size_t(1) << 30;

std::string number(uint64_t value) { return std::to_string(value); }

template <typename T>
Status noNulls(const std::vector<std::unique_ptr<T>> &tables,
               const std::string &name) {
  if (tables.size() > kMaxTables)
    return invalid("the program", "has " + number(tables.size()) + " " + name);
  for (size_t i = 0; i < tables.size(); ++i)
    if (!tables[i])
      return invalid("the program",
                     "lacks number " + number(i) + " of its " + name);
  return Status::success();
}

Status verifyHeader(const StepProgramT &program) {
  if (program.alignment == 0 ||
      (program.alignment & (program.alignment - 1)) != 0 ||
      program.alignment < 8 || program.alignment > (1u << 20))
    return invalid("the program", "has alignment " + number(program.alignment) +
                                      ", expected a power of two from 8 to "
                                      "1048576");
  if (program.gemm_workspace > kMaxArena)
    return invalid("the program", "grants " + number(program.gemm_workspace) +
                                      " bytes of GEMM workspace, at most " +
                                      number(kMaxArena) + " make sense");
  for (Status status :
       {noNulls(program.buffers, "buffers"), noNulls(program.values, "values"),
        noNulls(program.ops, "ops"), noNulls(program.inputs, "inputs"),
        noNulls(program.outputs, "outputs"),
        noNulls(program.segments, "segments")})
    if (!status)
      return status;
  if (program.ops.empty())
    return invalid("the program", "has 0 ops, expected 1 or more");
  if (!program.claims)
    return invalid("the program", "has no claims");
  if (program.claims->planned_peak.size() != 1)
    return invalid("the claims",
                   "give " + number(program.claims->planned_peak.size()) +
                       " planned peaks, expected 1 (one arena)");
  return Status::success();
}

Status verifyBuffer(const StepProgramT &program, size_t index) {
  const BufferT &buffer = *program.buffers[index];
  std::string name = bufferName(program, index);
  uint64_t alignment = program.alignment;
  if (buffer.arena != 0)
    return invalid(name,
                   "is in arena " + number(buffer.arena) + ", expected 0");
  if (buffer.category > Category::MAX)
    return invalid(name,
                   "has unknown category " + number(uint64_t(buffer.category)));
  if (buffer.offset % alignment || buffer.bytes % alignment ||
      buffer.bytes == 0)
    return invalid(name, "has offset " + number(buffer.offset) + " and " +
                             number(buffer.bytes) +
                             " bytes, expected positive multiples of " +
                             number(alignment));
  if (program.claims->planned_peak[0] > kMaxArena)
    return invalid("the program", "plans an arena of " +
                                      number(program.claims->planned_peak[0]) +
                                      " bytes, at most " + number(kMaxArena) +
                                      " are supported");
  if (buffer.offset > kMaxArena || buffer.bytes > kMaxArena ||
      buffer.offset + buffer.bytes > program.claims->planned_peak[0])
    return invalid(name, "ends at offset " + number(buffer.offset) + " plus " +
                             number(buffer.bytes) + " bytes, the arena has " +
                             number(program.claims->planned_peak[0]));
  if (buffer.first > buffer.last || buffer.last >= program.ops.size())
    return invalid(name, "lives from " + number(buffer.first) + " to " +
                             number(buffer.last) + ", the program has " +
                             number(program.ops.size()) + " ops");
  if (buffer.reuses < -1 ||
      buffer.reuses >= static_cast<int64_t>(program.buffers.size()) ||
      buffer.reuses == static_cast<int64_t>(index))
    return invalid(name, "reuses buffer " + std::to_string(buffer.reuses) +
                             ", there are " + number(program.buffers.size()));
  return Status::success();
}

Status verifyValue(const StepProgramT &program, size_t index) {
  const ValueT &value = *program.values[index];
  std::string name = valueName(program, index);
  if (value.buffer >= program.buffers.size())
    return invalid(name, "is in buffer " + number(value.buffer) +
                             ", there are " + number(program.buffers.size()));
  int bits = elementBits(value.element_type);
  if (bits == 0)
    return invalid(name, "has unknown element type " +
                             number(uint64_t(value.element_type)));
  if (value.shape.size() > kMaxValueRank)
    return invalid(name, "has rank " + number(value.shape.size()) +
                             ", at most " + number(kMaxValueRank) +
                             " is supported");
  if (std::find(value.shape.begin(), value.shape.end(), 0u) !=
      value.shape.end())
    return invalid(name, "has shape " +
                             toString(value.element_type, value.shape) +
                             ", expected dimensions of 1 or more");
  int64_t bytes = tensorBytes(value.element_type, value.shape);
  uint64_t elementBytes = bits < 8 ? 1 : bits / 8;
  uint64_t available = program.buffers[value.buffer]->bytes;
  if (bytes < 0 || value.byte_offset > available ||
      static_cast<uint64_t>(bytes) > available - value.byte_offset)
    return invalid(name,
                   "of type " + toString(value.element_type, value.shape) +
                       " at byte " + number(value.byte_offset) +
                       " does not fit " + bufferName(program, value.buffer) +
                       " of " + number(available) + " bytes");
  if (value.byte_offset % elementBytes)
    return invalid(name, "starts at byte " + number(value.byte_offset) +
                             ", expected a multiple of its " +
                             number(elementBytes) + "-byte elements");
  return Status::success();
}

bool allFinite(const AttributesT &a) {
  for (double value : {a.factor, a.epsilon, a.probability, a.beta1, a.beta2,
                       a.weight_decay, a.momentum})
    if (std::isnan(value))
      return false;
  return true;
}

Status verifyOpTable(const StepProgramT &program, size_t index) {
  const OpT &op = *program.ops[index];
  std::string name = describeOp(program, index);
  if (op.kind > OpKind::MAX)
    return invalid(name, "has unknown kind " + number(uint64_t(op.kind)));
  if (op.op_class > OpClass::MAX)
    return invalid(name, "has unknown class " + number(uint64_t(op.op_class)));
  if (op.phase > Phase::MAX)
    return invalid(name, "has unknown phase " + number(uint64_t(op.phase)));
  for (const std::vector<uint32_t> *list : {&op.operands, &op.results})
    for (uint32_t value : *list)
      if (value >= program.values.size())
        return invalid(name, "names value " + number(value) + ", there are " +
                                 number(program.values.size()));
  if (op.workspace < -1 ||
      op.workspace >= static_cast<int64_t>(program.buffers.size()))
    return invalid(name, "has workspace buffer " +
                             std::to_string(op.workspace) + ", there are " +
                             number(program.buffers.size()));
  if (op.origin < -1 || op.origin >= static_cast<int64_t>(index))
    return invalid(name, "has origin " + std::to_string(op.origin) +
                             ", expected an earlier op");
  if (op.origin >= 0 && program.ops[op.origin]->origin >= 0)
    return invalid(name, "has origin " + std::to_string(op.origin) +
                             ", which is a clone itself");
  if (!std::isfinite(op.flops) || op.flops < 0)
    return invalid(name, "has " + numberText(op.flops) +
                             " FLOPs, expected 0 or more");
  if (op.attributes && !allFinite(*op.attributes))
    return invalid(name, "has an attribute that is not a number");
  if (isUpdate(op.kind) && op.phase != Phase::Optimizer)
    return invalid(name, std::string("has phase ") + toString(op.phase) +
                             ", expected optimizer");
  return Status::success();
}

Status verifyInput(const StepProgramT &program, const InputT &input) {
  std::string name = "input '" + input.name + "'";
  if (input.value >= program.values.size())
    return invalid(name, "names value " + number(input.value) + ", there are " +
                             number(program.values.size()));
  if (input.role > Role::LearningRate)
    return invalid(name, "has role " + number(uint64_t(input.role)) +
                             ", expected a role of inputs");
  if (input.initializer > Initializer::MAX)
    return invalid(name, "has unknown initializer " +
                             number(uint64_t(input.initializer)));
  const ValueT &value = *program.values[input.value];
  std::string type = toString(value.element_type, value.shape);
  if (!program.buffers[value.buffer]->persistent)
    return invalid(name, "is in " + bufferName(program, value.buffer) +
                             ", which is not persistent");
  bool isCounter = input.role == Role::Seed || input.role == Role::Step;
  if (isCounter &&
      (value.element_type != ElementType::I64 || !value.shape.empty()))
    return invalid(name, "is " + type + ", expected i64[]");
  if (input.role == Role::LearningRate &&
      ((value.element_type != ElementType::F32 &&
        value.element_type != ElementType::F64) ||
       !value.shape.empty()))
    return invalid(name, "is " + type + ", expected f32[] or f64[]");

  bool isIndex = value.element_type == ElementType::I32 ||
                 value.element_type == ElementType::I64 ||
                 value.element_type == ElementType::I8;
  double scale = input.init_scale;
  switch (input.initializer) {
  case Initializer::Tokens:
    if (!isIndex || !(scale >= 1) ||
        scale > (value.element_type == ElementType::I8 ? 127.0 : 2147483647.0))
      return invalid(name, "is " + type + " with tokens below " +
                               numberText(scale) +
                               ", expected an integer type that holds them");
    break;
  case Initializer::Normal:
  case Initializer::Uniform:
    if (!isFloat(value.element_type) || !std::isfinite(scale) || scale < 0)
      return invalid(name, "is " + type + " with " +
                               toString(input.initializer) + " scale " +
                               numberText(scale) +
                               ", expected a float type and a scale >= 0");
    break;
  case Initializer::Ones:
    if (!isIndex && !isFloat(value.element_type))
      return invalid(name, "is " + type +
                               " with initializer ones, expected f64, f32, "
                               "bf16, f16 or an integer type");
    break;
  case Initializer::Data:
    if (input.segment < 0 ||
        input.segment >= static_cast<int64_t>(program.segments.size()) ||
        program.segments[input.segment]->bytes !=
            static_cast<uint64_t>(tensorBytes(value.element_type, value.shape)))
      return invalid(name, "takes segment " + std::to_string(input.segment) +
                               " for " + type +
                               ", expected a segment of its size");
    break;
  case Initializer::Zeros:
    break;
  }
  return Status::success();
}

Status verifyOutput(const StepProgramT &program, const OutputT &output) {
  std::string name = "output '" + output.name + "'";
  if (output.value >= program.values.size())
    return invalid(name, "names value " + number(output.value) +
                             ", there are " + number(program.values.size()));
  if (output.role < Role::Loss || output.role > Role::MAX)
    return invalid(name, "has role " + number(uint64_t(output.role)) +
                             ", expected a role of outputs");
  const ValueT &value = *program.values[output.value];
  std::string type = toString(value.element_type, value.shape);
  if (output.role == Role::Loss &&
      (!isFloat(value.element_type) || !value.shape.empty()))
    return invalid(name, "is " + type + ", expected a float scalar");
  bool isUpdate = output.role == Role::UpdatedParameter ||
                  output.role == Role::UpdatedState;
  if (isUpdate != (output.updates >= 0) ||
      output.updates >= static_cast<int64_t>(program.inputs.size()))
    return invalid(name, std::string("with role ") + toString(output.role) +
                             " updates input " +
                             std::to_string(output.updates) +
                             ", expected an input exactly for updated "
                             "parameters and states");
  if (!isUpdate)
    return Status::success();
  const InputT &input = *program.inputs[output.updates];
  const ValueT &old = *program.values[input.value];
  if (old.buffer != value.buffer || old.byte_offset != value.byte_offset ||
      old.element_type != value.element_type || old.shape != value.shape)
    return invalid(name, "is " + type + " at byte " +
                             number(value.byte_offset) + " of " +
                             bufferName(program, value.buffer) +
                             ", expected the bytes of input '" + input.name +
                             "', " + toString(old.element_type, old.shape) +
                             " at byte " + number(old.byte_offset) + " of " +
                             bufferName(program, old.buffer));
  return Status::success();
}

} // namespace

Status detail::verifyStructure(const StepProgramT &program) {
  if (Status status = verifyHeader(program); !status)
    return status;
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (Status status = verifyBuffer(program, i); !status)
      return status;
  for (size_t i = 0; i < program.values.size(); ++i)
    if (Status status = verifyValue(program, i); !status)
      return status;
  for (size_t i = 0; i < program.ops.size(); ++i)
    if (Status status = verifyOpTable(program, i); !status)
      return status;

  std::set<std::string> names;
  std::set<uint32_t> values;
  for (const auto &input : program.inputs) {
    if (Status status = verifyInput(program, *input); !status)
      return status;
    if (!names.insert(input->name).second ||
        !values.insert(input->value).second)
      return invalid("input '" + input->name + "'",
                     "has the name or the value of another input");
  }
  std::set<int32_t> updated;
  for (const auto &output : program.outputs) {
    if (Status status = verifyOutput(program, *output); !status)
      return status;
    if (output->updates >= 0 && !updated.insert(output->updates).second)
      return invalid("output '" + output->name + "'",
                     "updates input " + std::to_string(output->updates) +
                         ", which another output updates too");
  }
  return Status::success();
}

Status detail::verifyOps(const StepProgramT &program) {
  const AttributesT defaults;
  std::vector<uint64_t> needed(program.buffers.size());
  std::vector<bool> holdsValue(program.buffers.size());
  for (const auto &value : program.values) {
    holdsValue[value->buffer] = true;
    needed[value->buffer] =
        std::max(needed[value->buffer],
                 value->byte_offset +
                     uint64_t(tensorBytes(value->element_type, value->shape)));
  }
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const OpT &op = *program.ops[i];
    const AttributesT &attributes = op.attributes ? *op.attributes : defaults;
    std::string name = describeOp(program, i);
    std::vector<TensorShape> operands, results;
    for (uint32_t value : op.operands)
      operands.push_back(shapeOf(*program.values[value]));
    for (uint32_t value : op.results)
      results.push_back(shapeOf(*program.values[value]));
    if (Status status = checkSignature(op.kind, attributes, operands, results);
        !status)
      return invalid(name + ":", status.error().message);
    if (isProduct(op.kind) &&
        op.flops != matmulFlops(op.kind, attributes, operands, results))
      return invalid(
          name,
          "claims " + numberText(op.flops) + " FLOPs, its shapes give " +
              numberText(matmulFlops(op.kind, attributes, operands, results)));

    int64_t scratch =
        kernelWorkspaceBytes(op.kind, operands, results,
                             static_cast<int64_t>(program.gemm_workspace));
    uint64_t slot =
        op.workspace >= 0 ? program.buffers[op.workspace]->bytes : 0;
    if (static_cast<uint64_t>(scratch) > slot)
      return invalid(name, "has a workspace of " + number(slot) +
                               " bytes, its kernel needs " +
                               std::to_string(scratch));
    if (op.workspace < 0)
      continue;
    if (scratch == 0)
      return invalid(name, "has a workspace of " + number(slot) +
                               " bytes, its kernel needs 0");
    if (holdsValue[op.workspace] || program.buffers[op.workspace]->persistent)
      return invalid(name, "has its workspace in " +
                               bufferName(program, op.workspace) +
                               ", which is persistent or holds a value");
    needed[op.workspace] =
        std::max(needed[op.workspace], static_cast<uint64_t>(scratch));
  }
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    uint64_t alignment = program.alignment;
    uint64_t expected = (needed[i] + alignment - 1) / alignment * alignment;
    if (program.buffers[i]->bytes != expected)
      return invalid(bufferName(program, i),
                     "has " + number(program.buffers[i]->bytes) +
                         " bytes, its values and workspaces need " +
                         number(expected));
  }
  return Status::success();
}
