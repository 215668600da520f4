//===- Strategies.cpp - Every strategy a user can name --------------------===//
//
// Part of Ringi. Names to plans, and the budgets that users write.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Strategies.h"

#include "ringi/Planner/KeepPolicy.h"
#include "ringi/Planner/MemoryBudget.h"

#include <array>
#include <charconv>
#include <cmath>

namespace ringi::planner {

namespace {

constexpr std::array kStrategyNames = {
    "none",          "every-block", "sqrt",         "selective",
    "recompute-all", "manual",      "memory-budget"};

struct Unit {
  std::string_view name;
  double bytes;
};
constexpr std::array<Unit, 12> kUnits = {{{"", 1},
                                          {"B", 1},
                                          {"KB", 1e3},
                                          {"MB", 1e6},
                                          {"GB", 1e9},
                                          {"TB", 1e12},
                                          {"KiB", 0x1p10},
                                          {"MiB", 0x1p20},
                                          {"GiB", 0x1p30},
                                          {"TiB", 0x1p40},
                                          {"%", 0},
                                          {"PiB", 0x1p50}}};

Error badBudget(std::string_view text) {
  return Error::badInput("budget '" + std::string(text) +
                         "' is not a size; write bytes (1234), a size (8GiB, "
                         "500MB), a percentage of the keep-all peak (60%) or "
                         "auto");
}

} // namespace

Expected<Strategy> parseStrategy(std::string_view text) {
  std::string accepted;
  for (size_t i = 0; i < kStrategyNames.size(); ++i) {
    if (text == kStrategyNames[i])
      return Strategy(i);
    accepted += (i ? ", " : "") + std::string(kStrategyNames[i]);
  }
  return Error::badInput("unknown strategy '" + std::string(text) +
                         "'; expected one of " + accepted);
}

const char *toString(Strategy strategy) {
  return kStrategyNames[size_t(strategy)];
}

Expected<int64_t> parseBudget(std::string_view text, int64_t keepAllPeak,
                              int64_t deviceBytes) {
  if (text == "auto") {
    if (deviceBytes <= 0)
      return Error::badInput("budget 'auto' needs the memory of a device; name "
                             "a device or give the budget in bytes");
    return deviceBytes - deviceBytes / 20;
  }
  // Whole bytes stay exact; doubles hold the rest.
  int64_t whole = 0;
  auto [wholeEnd, wholeError] =
      std::from_chars(text.data(), text.data() + text.size(), whole);
  if (wholeError == std::errc() && wholeEnd == text.data() + text.size()) {
    if (whole <= 0)
      return badBudget(text);
    return whole;
  }
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(),
                                      number, std::chars_format::fixed);
  if (error != std::errc() || !(number > 0) || !std::isfinite(number))
    return badBudget(text);
  std::string_view suffix = text.substr(end - text.data());
  while (!suffix.empty() && suffix.front() == ' ')
    suffix.remove_prefix(1);
  for (const Unit &unit : kUnits) {
    if (suffix != unit.name)
      continue;
    double bytes = std::floor(
        unit.bytes > 0 ? number * unit.bytes
                       : double(keepAllPeak) * (number / 100) + 1e-6);
    if (!(bytes < 0x1p62))
      return Error::badInput("budget '" + std::string(text) +
                             "' exceeds 2^62 bytes; give a smaller one");
    if (bytes < 1)
      return Error::badInput("budget '" + std::string(text) +
                             "' is less than 1 byte; give a larger one");
    return int64_t(bytes);
  }
  return badBudget(text);
}

Expected<Plan> planStrategy(const Problem &problem,
                            const StrategyOptions &options) {
  if (Status status = problem.check(); !status)
    return status.error();
  auto plan = [&](const KeepPolicy &policy) {
    return planFromPolicy(problem, policy, options.strategy, options.budget);
  };
  switch (options.strategy) {
  case Strategy::None:
  case Strategy::Manual:
    return plan(keepAll(problem));
  case Strategy::EveryBlock:
    return plan(keepBlockBoundaries(problem));
  case Strategy::Sqrt:
    return plan(keepSegmentBoundaries(problem, options.segments));
  case Strategy::Selective:
    return plan(keepSelected(problem, options.keep));
  case Strategy::RecomputeAll:
    return plan(keepNothing(problem));
  case Strategy::MemoryBudget:
    break;
  }
  if (options.budget <= 0)
    return Error::badInput("strategy 'memory-budget' needs a budget in bytes");
  return planMemoryBudget(problem, options);
}

} // namespace ringi::planner
