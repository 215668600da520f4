//===- Trace.cpp - A step on a timeline -------------------------*- C++ -*-===//
//
// Part of Ringi. Format: the JSON array of the Chrome trace event format, with
// complete ("X") and counter ("C") events in microseconds.
//
//===----------------------------------------------------------------------===//

#include "Trace.h"
#include "Report.h"
#include "ringi/Program/Accounting.h"

#include <nlohmann/json.hpp>

using namespace ringi;
using namespace ringi::program;
using Json = nlohmann::ordered_json;

Status run::writeTrace(const runtime::Executor &executor,
                       const std::string &path) {
  const StepProgramT &program = executor.program();
  Accounting accounting = accountFor(program, executor.executed());
  Json events = Json::array();
  for (size_t position = 0; position < executor.executed().size(); ++position) {
    uint32_t index = executor.executed()[position];
    const OpT &op = *program.ops[index];
    auto [start, duration] = executor.opTimes()[index];
    events.push_back({{"name", toString(op.kind)},
                      {"cat", toString(op.op_class)},
                      {"ph", "X"},
                      {"pid", 1},
                      // Origins above, clones on a track of their own.
                      {"tid", op.origin >= 0 ? 2 : 1},
                      {"ts", start * 1e6},
                      {"dur", duration * 1e6},
                      {"args",
                       {{"op", index},
                        {"origin", op.origin},
                        {"phase", toString(op.phase)},
                        {"block", op.block},
                        {"location", op.location},
                        {"flops", op.flops}}}});
    events.push_back({{"name", "resident bytes"},
                      {"ph", "C"},
                      {"pid", 1},
                      {"ts", start * 1e6},
                      {"args", {{"bytes", accounting.resident[position]}}}});
  }
  for (auto [track, name] : {std::pair(1, "ops"), std::pair(2, "recompute")})
    events.push_back({{"name", "thread_name"},
                      {"ph", "M"},
                      {"pid", 1},
                      {"tid", track},
                      {"args", {{"name", name}}}});
  Json trace = {{"traceEvents", events},
                {"displayTimeUnit", "ms"},
                {"otherData",
                 {{"program", program.name},
                  {"planned_peak_bytes", program.claims->planned_peak[0]},
                  {"live_peak_bytes", accounting.livePeak}}}};
  return writeText(
      path, trace.dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}
