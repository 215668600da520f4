//===- Info.cpp - A step program as text ------------------------*- C++ -*-===//
//
// Part of Ringi. Claims first, then roles, slots and ops: one line each, so
// that two plans can be compared with diff.
//
//===----------------------------------------------------------------------===//

#include "Info.h"
#include "ringi/Program/Accounting.h"

#include <cinttypes>
#include <cstdio>

using namespace ringi;
using namespace ringi::program;

namespace {

std::string describeValue(const StepProgramT &program, uint32_t index) {
  const ValueT &value = *program.values[index];
  std::string result = "%" + std::to_string(index);
  if (!value.name.empty())
    result += " " + value.name;
  result += " " + toString(value.element_type, value.shape) + " @" +
            std::to_string(value.buffer);
  if (value.byte_offset)
    result += "+" + std::to_string(value.byte_offset);
  return result;
}

std::string list(const StepProgramT &program,
                 const std::vector<uint32_t> &values) {
  std::string result;
  for (uint32_t value : values)
    result += (result.empty() ? "" : ", ") + describeValue(program, value);
  return result;
}

void printClaims(const StepProgramT &program) {
  const ClaimsT &claims = *program.claims;
  std::printf("program '%s', strategy %s", program.name.c_str(),
              claims.strategy.c_str());
  if (claims.budget)
    std::printf(", budget %" PRIu64 " bytes", claims.budget);
  std::printf("\n%zu ops, %zu values, %zu buffers, %zu inputs, %zu outputs\n",
              program.ops.size(), program.values.size(), program.buffers.size(),
              program.inputs.size(), program.outputs.size());
  std::printf("live peak %" PRIu64 " bytes at %s\n", claims.live_peak,
              describeOp(program, claims.peak_op).c_str());
  for (const CategoryBytes &entry : claims.categories_at_peak)
    std::printf("  %-20s %" PRIu64 "\n", toString(entry.category()),
                entry.bytes());
  std::printf("planned peak %" PRIu64 " bytes, saved activations %" PRIu64
              " bytes\n",
              claims.planned_peak[0], claims.saved_activation_bytes);
  std::printf("%.6g FLOPs, of which recompute %.6g\n", claims.total_flops,
              claims.recompute_flops);
}

} // namespace

void run::printProgram(const StepProgramT &program) {
  printClaims(program);
  for (const auto &input : program.inputs) {
    std::printf("input  %-24s %-15s %s, %s", input->name.c_str(),
                toString(input->role),
                describeValue(program, input->value).c_str(),
                toString(input->initializer));
    if (input->init_scale != 0)
      std::printf(" %g", input->init_scale);
    std::printf("\n");
  }
  for (const auto &output : program.outputs)
    std::printf("output %-24s %-17s %s\n", output->name.c_str(),
                toString(output->role),
                describeValue(program, output->value).c_str());
  for (size_t i = 0; i < program.buffers.size(); ++i) {
    const BufferT &buffer = *program.buffers[i];
    std::printf("buffer @%zu offset %" PRIu64 " bytes %" PRIu64
                " ops %u..%u %s",
                i, buffer.offset, buffer.bytes, buffer.first, buffer.last,
                toString(buffer.category));
    if (buffer.reuses >= 0)
      std::printf(", takes over @%d", buffer.reuses);
    if (!buffer.name.empty())
      std::printf(" '%s'", buffer.name.c_str());
    std::printf("\n");
  }
  Accounting accounting = accountFor(program);
  for (size_t i = 0; i < program.ops.size(); ++i) {
    const OpT &op = *program.ops[i];
    std::printf("%s (%s) -> (%s)", describeOp(program, i).c_str(),
                list(program, op.operands).c_str(),
                list(program, op.results).c_str());
    std::printf(" %s %s, resident %" PRId64, toString(op.phase),
                toString(op.op_class), accounting.resident[i]);
    if (op.workspace >= 0)
      std::printf(", workspace @%d", op.workspace);
    if (op.origin >= 0)
      std::printf(", recomputes op %d", op.origin);
    std::printf("\n");
  }
}
