//===- ProgramBuilder.cpp - Small step programs by hand ---------*- C++ -*-===//
//
// Part of Ringi. Memory is assigned by first fit in order of first use: enough
// to reuse bytes, so that tests see what a planned program does, with no claim
// to be good.
//
//===----------------------------------------------------------------------===//

#include "ringi/Program/ProgramBuilder.h"
#include "ringi/Program/Accounting.h"
#include "ringi/Program/OpSignature.h"

#include <algorithm>

using namespace ringi;
using namespace ringi::program;

namespace {

OpClass classOf(OpKind kind) {
  switch (kind) {
  case OpKind::Matmul:
  case OpKind::MatmulGelu:
  case OpKind::MatmulGeluBackward:
  case OpKind::MatmulBiasGradient:
    return OpClass::Gemm;
  case OpKind::Attention:
  case OpKind::AttentionBackward:
    return OpClass::Attention;
  case OpKind::LayerNorm:
  case OpKind::LayerNormBackward:
  case OpKind::RmsNorm:
  case OpKind::RmsNormBackward:
    return OpClass::Normalization;
  case OpKind::Dropout:
  case OpKind::DropoutBackward:
  case OpKind::DropoutMask:
    return OpClass::Random;
  case OpKind::ReduceSum:
  case OpKind::CrossEntropy:
  case OpKind::Mse:
    return OpClass::Reduction;
  case OpKind::Sgd:
  case OpKind::Momentum:
  case OpKind::AdamW:
    return OpClass::Optimizer;
  default:
    return OpClass::Elementwise;
  }
}

} // namespace

ProgramBuilder::ProgramBuilder(std::string name) {
  file.program.name = std::move(name);
  file.program.version = kStepProgramVersion;
  file.program.claims = std::make_unique<ClaimsT>();
  file.program.claims->strategy = "none";
}

uint32_t ProgramBuilder::buffer(const std::string &name, bool persistent) {
  auto buffer = std::make_unique<BufferT>();
  buffer->name = name;
  buffer->persistent = persistent;
  file.program.buffers.push_back(std::move(buffer));
  return uint32_t(file.program.buffers.size()) - 1;
}

ProgramBuilder::Id ProgramBuilder::addValue(const std::string &name,
                                            uint32_t buffer, ElementType type,
                                            const std::vector<uint64_t> &shape,
                                            uint64_t byteOffset) {
  auto value = std::make_unique<ValueT>();
  value->name = name;
  value->buffer = buffer;
  value->byte_offset = byteOffset;
  value->element_type = type;
  value->shape = shape;
  file.program.values.push_back(std::move(value));
  return Id(file.program.values.size()) - 1;
}

ProgramBuilder::Id ProgramBuilder::input(const std::string &name,
                                         ElementType type,
                                         const std::vector<uint64_t> &shape,
                                         Role role, Initializer initializer,
                                         double scale) {
  auto input = std::make_unique<InputT>();
  input->name = name;
  input->value = addValue(name, buffer(name, true), type, shape);
  input->role = role;
  input->initializer = initializer;
  input->init_scale = scale;
  file.program.inputs.push_back(std::move(input));
  return file.program.inputs.back()->value;
}

ProgramBuilder::Id ProgramBuilder::data(const std::string &name,
                                        ElementType type,
                                        const std::vector<uint64_t> &shape,
                                        SegmentData bytes, Role role) {
  Id id = input(name, type, shape, role, Initializer::Data, 0);
  file.program.inputs.back()->segment = int32_t(file.segments.size());
  auto segment = std::make_unique<SegmentT>();
  segment->bytes = bytes.size();
  file.program.segments.push_back(std::move(segment));
  file.segments.push_back(std::move(bytes));
  return id;
}

ProgramBuilder::Id ProgramBuilder::scalar(const char *name, ElementType type,
                                          Role role) {
  for (const auto &existing : file.program.inputs)
    if (existing->name == name)
      return existing->value;
  return input(name, type, {}, role, Initializer::Zeros, 0);
}

ProgramBuilder::Id ProgramBuilder::view(Id base,
                                        const std::vector<uint64_t> &shape,
                                        uint64_t byteOffset) {
  const ValueT &from = value(base);
  return addValue(from.name + ".view", from.buffer, from.element_type, shape,
                  from.byte_offset + byteOffset);
}

std::vector<ProgramBuilder::Id>
ProgramBuilder::op(OpKind kind, const std::vector<Id> &operands,
                   const std::vector<TensorShape> &results,
                   const AttributesT &attributes, Phase phase) {
  auto op = std::make_unique<OpT>();
  op->kind = kind;
  op->operands = operands;
  op->attributes = std::make_unique<AttributesT>(attributes);
  op->op_class = classOf(kind);
  op->phase = phase;
  std::string name =
      std::string(toString(kind)) + std::to_string(file.program.ops.size());
  std::vector<TensorShape> operandShapes;
  for (Id operand : operands)
    operandShapes.push_back(shapeOf(value(operand)));
  op->flops = matmulFlops(kind, attributes, operandShapes, results);
  for (const TensorShape &result : results)
    op->results.push_back(addValue(
        name, buffer(name, false), result.type,
        std::vector<uint64_t>(result.shape.begin(), result.shape.end())));
  if (kernelWorkspaceBytes(kind, operandShapes, results,
                           int64_t(file.program.gemm_workspace)) > 0)
    op->workspace = int32_t(buffer(name + ".workspace", false));
  std::vector<Id> ids = op->results;
  file.program.ops.push_back(std::move(op));
  return ids;
}

ProgramBuilder::Id
ProgramBuilder::unary(OpKind kind, const std::vector<Id> &operands, size_t like,
                      const AttributesT &attributes, Phase phase) {
  return op(kind, operands, {shapeOf(value(operands[like]))}, attributes,
            phase)[0];
}

std::vector<ProgramBuilder::Id>
ProgramBuilder::update(OpKind kind, const std::vector<Id> &operands,
                       const AttributesT &attributes) {
  auto op = std::make_unique<OpT>();
  op->kind = kind;
  op->operands = operands;
  op->attributes = std::make_unique<AttributesT>(attributes);
  op->op_class = OpClass::Optimizer;
  op->phase = Phase::Optimizer;
  for (size_t r = 0;; ++r) {
    int required = requiredInPlaceOperand(kind, r);
    size_t count = kind == OpKind::Sgd ? 1 : (kind == OpKind::Momentum ? 2 : 4);
    if (r >= count || required >= int(operands.size()))
      break;
    const ValueT old = value(operands[required]);
    Id id = addValue(old.name + "'", old.buffer, old.element_type, old.shape,
                     old.byte_offset);
    op->results.push_back(id);
    output(old.name + "'", id,
           r == 0 ? Role::UpdatedParameter : Role::UpdatedState);
    for (size_t i = 0; i < file.program.inputs.size(); ++i)
      if (file.program.inputs[i]->value == operands[required])
        file.program.outputs.back()->updates = int32_t(i);
  }
  std::vector<Id> ids = op->results;
  file.program.ops.push_back(std::move(op));
  return ids;
}

std::vector<ProgramBuilder::Id>
ProgramBuilder::clone(uint32_t origin, const std::vector<Id> &operands,
                      Phase phase) {
  OpT copy(*file.program.ops[origin]);
  std::vector<TensorShape> results;
  for (Id result : copy.results)
    results.push_back(shapeOf(value(result)));
  std::vector<Id> ids =
      op(copy.kind, operands, results, *copy.attributes, phase);
  OpT &clone = *file.program.ops.back();
  clone.origin = int32_t(origin);
  clone.flops = copy.flops;
  clone.op_class = copy.op_class;
  return ids;
}

void ProgramBuilder::inPlace(Id result, Id operand) {
  file.program.buffers[value(result).buffer]->reuses =
      int32_t(value(operand).buffer);
}

void ProgramBuilder::output(const std::string &name, Id value, Role role) {
  auto output = std::make_unique<OutputT>();
  output->name = name;
  output->value = value;
  output->role = role;
  file.program.outputs.push_back(std::move(output));
}

void program::fillClaims(StepProgramT &program) {
  Accounting truth = accountFor(program);
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    program.buffers[i]->first = truth.first[i];
    program.buffers[i]->last = truth.last[i];
    program.buffers[i]->category = truth.category[i];
  }
  ClaimsT &claims = *program.claims;
  claims.live_peak = uint64_t(truth.livePeak);
  claims.planned_peak = {uint64_t(truth.plannedPeak)};
  claims.peak_op = truth.peakOp;
  claims.saved_activation_bytes = uint64_t(truth.savedActivationBytes);
  claims.total_flops = truth.totalFlops;
  claims.recompute_flops = truth.recomputeFlops;
  claims.categories_at_peak.clear();
  for (auto [category, bytes] : truth.categoriesAtPeak)
    claims.categories_at_peak.emplace_back(category, uint64_t(bytes));
}

ProgramFile &ProgramBuilder::finish() {
  if (finished)
    return file;
  finished = true;
  StepProgramT &program = file.program;
  uint64_t alignment = program.alignment;
  for (const auto &value : program.values) {
    BufferT &buffer = *program.buffers[value->buffer];
    buffer.bytes =
        std::max(buffer.bytes,
                 value->byte_offset +
                     uint64_t(tensorBytes(value->element_type, value->shape)));
  }
  for (const auto &op : program.ops) {
    if (op->workspace < 0)
      continue;
    std::vector<TensorShape> operands, results;
    for (Id operand : op->operands)
      operands.push_back(shapeOf(value(operand)));
    for (Id result : op->results)
      results.push_back(shapeOf(value(result)));
    program.buffers[op->workspace]->bytes = uint64_t(kernelWorkspaceBytes(
        op->kind, operands, results, int64_t(program.gemm_workspace)));
  }
  for (const auto &buffer : program.buffers)
    buffer->bytes = (buffer->bytes + alignment - 1) / alignment * alignment;

  Accounting lifetimes = accountFor(program);
  std::vector<uint32_t> order(program.buffers.size());
  for (uint32_t i = 0; i < order.size(); ++i)
    order[i] = i;
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return lifetimes.first[a] < lifetimes.first[b];
  });
  std::vector<uint32_t> placed;
  for (uint32_t i : order) {
    BufferT &buffer = *program.buffers[i];
    placed.push_back(i);
    if (buffer.reuses >= 0) {
      buffer.offset = program.buffers[buffer.reuses]->offset;
      continue;
    }
    // The lowest offset that no buffer alive at the same time occupies.
    std::vector<std::pair<uint64_t, uint64_t>> taken;
    for (uint32_t other : placed)
      if (other != i && lifetimes.first[other] <= lifetimes.last[i] &&
          lifetimes.first[i] <= lifetimes.last[other])
        taken.emplace_back(program.buffers[other]->offset,
                           program.buffers[other]->offset +
                               program.buffers[other]->bytes);
    std::sort(taken.begin(), taken.end());
    for (auto [begin, end] : taken) {
      if (begin >= buffer.offset + buffer.bytes)
        break;
      buffer.offset = std::max(buffer.offset, end);
    }
  }
  fillClaims(program);
  return file;
}
