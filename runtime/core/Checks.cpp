//===- Checks.cpp - The same bits with and without recompute ----*- C++ -*-===//
//
// Part of Ringi. Results are copied out right after the op that made them,
// before a later op may take over their bytes.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/Checks.h"
#include "ringi/Program/OpSignature.h"

#include <algorithm>
#include <cstring>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;

namespace {

Expected<std::vector<std::byte>> contents(Executor &executor, uint32_t value) {
  std::vector<std::byte> bytes(size_t(executor.bytesOf(value)));
  if (Status status = executor.read(value, bytes.data()); !status)
    return status.error();
  return bytes;
}

std::string hexadecimal(const std::byte *bytes, size_t size) {
  constexpr char digits[] = "0123456789abcdef";
  std::string result = "0x";
  for (size_t i = size; i-- > 0;) {
    result += digits[size_t(bytes[i]) >> 4];
    result += digits[size_t(bytes[i]) & 15];
  }
  return result;
}

/// Name of the parameter that an update op updates.
std::string parameterOf(const StepProgramT &program, const OpT &op) {
  for (const auto &input : program.inputs)
    if (input->value == op.operands[0])
      return input->name;
  return program.values[op.operands[0]]->name;
}

/// Copies the gradient that each update is about to read.
class GradientTap : public OpObserver {
public:
  explicit GradientTap(Executor &executor) : executor(executor) {}
  Status beforeOp(size_t index) override {
    const StepProgramT &program = executor.program();
    const OpT &op = *program.ops[index];
    if (!isUpdate(op.kind))
      return Status::success();
    Expected<std::vector<std::byte>> bytes = contents(executor, op.operands[1]);
    if (!bytes)
      return bytes.error();
    type[parameterOf(program, op)] =
        program.values[op.operands[1]]->element_type;
    gradients[parameterOf(program, op)] = std::move(*bytes);
    return Status::success();
  }

  std::map<std::string, std::vector<std::byte>> gradients;
  std::map<std::string, ElementType> type;

private:
  Executor &executor;
};

} // namespace

std::string runtime::describeDifference(ElementType type,
                                        const std::vector<std::byte> &a,
                                        const std::vector<std::byte> &b) {
  if (a.size() != b.size())
    return std::to_string(a.size()) + " bytes instead of " +
           std::to_string(b.size());
  if (a.empty() || std::memcmp(a.data(), b.data(), a.size()) == 0)
    return "";
  size_t width = std::max(1, elementBits(type) / 8);
  size_t at =
      size_t(std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin()) /
      width * width;
  return "element " + std::to_string(at / width) + ": " +
         hexadecimal(&a[at], width) + " instead of " +
         hexadecimal(&b[at], width);
}

CloneAudit::CloneAudit(Executor &executor) : executor(executor) {
  const StepProgramT &program = executor.program();
  cloneCount.resize(program.ops.size());
  for (const auto &op : program.ops)
    if (op->origin >= 0)
      ++cloneCount[op->origin];
  clonesLeft = cloneCount;
}

Status CloneAudit::afterOp(size_t index) {
  const StepProgramT &program = executor.program();
  const OpT &op = *program.ops[index];
  if (op.origin < 0) {
    clonesLeft[index] = cloneCount[index];
    if (clonesLeft[index] == 0)
      return Status::success();
    std::vector<std::vector<std::byte>> &results = kept[index];
    results.clear();
    for (uint32_t result : op.results) {
      Expected<std::vector<std::byte>> bytes = contents(executor, result);
      if (!bytes)
        return bytes.error();
      results.push_back(std::move(*bytes));
    }
    return Status::success();
  }

  size_t origin = size_t(op.origin);
  for (size_t r = 0; r < op.results.size(); ++r) {
    Expected<std::vector<std::byte>> bytes = contents(executor, op.results[r]);
    if (!bytes)
      return bytes.error();
    std::string found = describeDifference(
        program.values[op.results[r]]->element_type, *bytes, kept[origin][r]);
    if (!found.empty() && firstDifference.empty())
      firstDifference = describeOp(program, index) +
                        " differs from its origin " +
                        describeOp(program, origin) + " in result " +
                        std::to_string(r) + ", " + found;
  }
  ++compared;
  if (--clonesLeft[origin] == 0)
    kept.erase(origin);
  return Status::success();
}

Expected<Comparison> Comparison::create(Session &session, Session &reference) {
  Comparison result(session, reference);
  const StepProgramT &a = session.executor().program();
  const StepProgramT &b = reference.executor().program();
  std::map<std::string, uint32_t> inReference;
  for (const auto &output : b.outputs)
    inReference[output->name] = output->value;
  for (const auto &output : a.outputs) {
    auto other = inReference.find(output->name);
    if (other == inReference.end())
      return Error::badInput("cannot compare: '" + b.name +
                             "' has no output '" + output->name +
                             "'; give two plans of one model");
    const ValueT &x = *a.values[output->value], &y = *b.values[other->second];
    if (x.element_type != y.element_type || x.shape != y.shape)
      return Error::badInput("cannot compare: output '" + output->name +
                             "' is " + toString(x.element_type, x.shape) +
                             " in '" + a.name + "' and " +
                             toString(y.element_type, y.shape) + " in '" +
                             b.name + "'; give two plans of one model");
    result.outputs[output->name] = {output->value, other->second};
    inReference.erase(other);
  }
  if (!inReference.empty())
    return Error::badInput("cannot compare: '" + a.name + "' has no output '" +
                           inReference.begin()->first +
                           "'; give two plans of one model");
  return result;
}

Status Comparison::step() {
  auto differ = [&](const std::string &what, const std::string &found) {
    ++compared;
    if (!found.empty() && firstDifference.empty())
      firstDifference = what + " of step " +
                        std::to_string(session->stepsDone()) + " differs, " +
                        found;
  };
  GradientTap expected(reference->executor()), actual(session->executor());
  if (Status status = reference->step(&expected); !status)
    return status;
  if (Status status = session->step(&actual); !status)
    return status;
  for (const auto &[name, bytes] : actual.gradients)
    differ(
        "the gradient of '" + name + "'",
        describeDifference(actual.type[name], bytes, expected.gradients[name]));
  if (actual.gradients.size() != expected.gradients.size())
    differ("the number of gradients",
           std::to_string(actual.gradients.size()) + " instead of " +
               std::to_string(expected.gradients.size()));
  for (const auto &[name, values] : outputs) {
    Expected<std::vector<std::byte>> a =
        contents(session->executor(), values.first);
    if (!a)
      return a.error();
    Expected<std::vector<std::byte>> b =
        contents(reference->executor(), values.second);
    if (!b)
      return b.error();
    differ("output '" + name + "'",
           describeDifference(
               session->executor().program().values[values.first]->element_type,
               *a, *b));
  }
  return Status::success();
}
