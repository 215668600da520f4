//===- Commands.h - The commands of ringi-plan ------------------*- C++ -*-===//
//
// Part of Ringi. Each command declares its options on a CLI11 app and runs on
// request; main decides which one.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_PLAN_COMMANDS_H
#define RINGI_TOOLS_RINGI_PLAN_COMMANDS_H

#include "ringi/Support/Expected.h"

#include <CLI/CLI.hpp>
#include <atomic>
#include <functional>

namespace ringi::tool {

/// What a command does once its options are read.
using Action = std::function<Status()>;

/// `ringi-plan graph.json ...`: plans, compares, sweeps or verifies.
Action addPlanCommand(CLI::App &app);
/// `ringi-plan pack intervals.csv ...`.
Action addPackCommand(CLI::App &app);
/// `ringi-plan generate KIND ...`.
Action addGenerateCommand(CLI::App &app);

/// Set by Ctrl-C: searches end with the best so far.
extern std::atomic<bool> stopRequested;

} // namespace ringi::tool

#endif // RINGI_TOOLS_RINGI_PLAN_COMMANDS_H
