//===- Verify.cpp - Nothing in a file is trusted ----------------*- C++ -*-===//
//
// Part of Ringi. The semantic verifier's order, and its claims part. It shares
// no code with the planner or the compiler (docs/step-program.md).
//
//===----------------------------------------------------------------------===//

#include "VerifySteps.h"
#include "ringi/Program/Accounting.h"
#include "ringi/Support/NumberText.h"

#include <cmath>

using namespace ringi;
using namespace ringi::program;

Error detail::invalid(const std::string &place, const std::string &what) {
  return Error::badInput(place + " " + what + "; export the program again");
}

std::string detail::bufferName(const StepProgramT &program, size_t buffer) {
  std::string result = "buffer " + std::to_string(buffer);
  if (!program.buffers[buffer]->name.empty())
    result += " '" + program.buffers[buffer]->name + "'";
  return result;
}

std::string detail::valueName(const StepProgramT &program, size_t value) {
  std::string result = "value " + std::to_string(value);
  if (!program.values[value]->name.empty())
    result += " '" + program.values[value]->name + "'";
  return result;
}

Status detail::verifyClaims(const StepProgramT &program) {
  Accounting truth = accountFor(program);
  for (size_t i = 0; i < program.buffers.size(); ++i)
    if (program.buffers[i]->category != truth.category[i])
      return invalid(bufferName(program, i),
                     std::string("has category ") +
                         toString(program.buffers[i]->category) +
                         ", its ops make it " + toString(truth.category[i]));

  const ClaimsT &claims = *program.claims;
  auto differs = [](const std::string &what, const std::string &claimed,
                    const std::string &actual) {
    return invalid("the claims",
                   "give " + what + " " + claimed + ", the ops give " + actual);
  };
  auto bytesDiffer = [&](const std::string &what, uint64_t claimed,
                         int64_t actual) {
    return differs(what, std::to_string(claimed), std::to_string(actual));
  };
  if (claims.live_peak != static_cast<uint64_t>(truth.livePeak))
    return bytesDiffer("live_peak", claims.live_peak, truth.livePeak);
  if (claims.planned_peak[0] != static_cast<uint64_t>(truth.plannedPeak))
    return bytesDiffer("planned_peak", claims.planned_peak[0],
                       truth.plannedPeak);
  if (claims.peak_op != truth.peakOp)
    return differs("peak_op", std::to_string(claims.peak_op),
                   std::to_string(truth.peakOp));
  if (claims.saved_activation_bytes !=
      static_cast<uint64_t>(truth.savedActivationBytes))
    return bytesDiffer("saved_activation_bytes", claims.saved_activation_bytes,
                       truth.savedActivationBytes);
  std::map<Category, int64_t> claimed;
  for (const CategoryBytes &entry : claims.categories_at_peak)
    if (entry.bytes() > static_cast<uint64_t>(truth.livePeak) ||
        entry.category() > Category::MAX ||
        !claimed.emplace(entry.category(), int64_t(entry.bytes())).second)
      return invalid("the claims", "list category " +
                                       std::to_string(int(entry.category())) +
                                       " twice, unknown or above the live "
                                       "peak at the peak");
  std::erase_if(claimed, [](const auto &entry) { return entry.second == 0; });
  for (int c = 0; c <= int(Category::MAX); ++c) {
    Category category = static_cast<Category>(c);
    if (claimed[category] != truth.categoriesAtPeak[category])
      return bytesDiffer(std::string(toString(category)) + " bytes at the peak",
                         claimed[category], truth.categoriesAtPeak[category]);
  }
  // Sums of doubles may differ in the last bits with the order of addition.
  auto near = [](double a, double b) {
    return std::abs(a - b) <= 1e-9 * std::max(std::abs(a), std::abs(b));
  };
  if (!near(claims.total_flops, truth.totalFlops))
    return differs("total_flops", numberText(claims.total_flops),
                   numberText(truth.totalFlops));
  if (!near(claims.recompute_flops, truth.recomputeFlops))
    return differs("recompute_flops", numberText(claims.recompute_flops),
                   numberText(truth.recomputeFlops));
  return Status::success();
}

Status program::verifyProgram(const StepProgramT &program) {
  using namespace detail;
  for (auto step : {verifyStructure, verifyOps, verifyBuffers, verifyDataFlow,
                    verifyClaims})
    if (Status status = step(program); !status)
      return status;
  return Status::success();
}

Expected<ProgramFile> program::loadProgram(const std::string &path) {
  Expected<ProgramFile> file = readProgramUnverified(path);
  if (!file)
    return file;
  if (Status status = verifyProgram(file->program); !status)
    return Error{"'" + path + "': " + status.error().message,
                 status.error().kind};
  return file;
}
