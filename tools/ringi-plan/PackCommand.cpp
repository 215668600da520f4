//===- PackCommand.cpp - ringi-plan pack ----------------------------------===//
//
// Part of Ringi. Packs a CSV of lifetimes into an arena, or checks a solution.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "Report.h"

#include "ringi/Planner/GraphFile.h"
#include "ringi/Planner/IntervalCsv.h"
#include "ringi/Support/NumberText.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <unordered_map>

namespace ringi::tool {

using namespace planner;

namespace {

struct PackArguments {
  std::string intervals, output, verify;
  int64_t capacity = 0, alignment = 1;
  double effort = 1;
  bool json = false;
};

Expected<IntervalTable> readTable(const std::string &path) {
  Expected<std::string> text = readTextFile(path);
  if (!text)
    return text.error();
  return readIntervalCsv(*text, path);
}

void print(const PackArguments &a, const PackResult &result, double seconds) {
  if (a.json) {
    nlohmann::ordered_json json;
    json["height"] = result.height;
    json["lower_bound"] = result.lowerBound;
    json["optimal"] = result.optimal;
    json["seconds"] = seconds;
    std::printf("%s\n", json.dump(2).c_str());
    return;
  }
  std::printf("height         %s\n", formatBytes(result.height).c_str());
  std::printf("lower bound    %s\n", formatBytes(result.lowerBound).c_str());
  std::printf("optimal        %s\n", result.optimal ? "proven" : "not proven");
  if (!result.method.empty())
    std::printf("method         %s\n", result.method.c_str());
  std::printf("time           %.3f s\n", seconds);
}

Status refuseAbove(int64_t height, int64_t capacity) {
  if (capacity <= 0 || height <= capacity)
    return Status::success();
  return Error::refused("the arena is " + std::to_string(height) +
                        " bytes high but the capacity is " +
                        std::to_string(capacity) +
                        "; raise --effort or the capacity");
}

/// Checks the offsets of `a.verify` against the lifetimes of `a.intervals`.
Status verifySolution(const PackArguments &a, const IntervalTable &table) {
  Stopwatch watch;
  Expected<IntervalTable> solution = readTable(a.verify);
  if (!solution)
    return solution.error();
  if (solution->offsets.empty() && !solution->ids.empty())
    return Error::badInput(a.verify + ": has no column 'offset'");
  std::unordered_map<std::string, int64_t> offsetOf;
  for (size_t i = 0; i < solution->ids.size(); ++i)
    offsetOf[solution->ids[i]] = solution->offsets[i];
  std::vector<int64_t> offsets;
  PackResult result;
  for (size_t i = 0; i < table.ids.size(); ++i) {
    auto offset = offsetOf.find(table.ids[i]);
    if (offset == offsetOf.end())
      return Error::refused(a.verify + ": buffer '" + table.ids[i] +
                            "' has no offset");
    offsets.push_back(offset->second);
    if (table.items[i].bytes > 0 && table.items[i].lower < table.items[i].upper)
      result.height =
          std::max(result.height, offset->second + table.items[i].bytes);
  }
  if (solution->ids.size() != table.ids.size())
    return Error::refused(
        a.verify + ": has " + std::to_string(solution->ids.size()) +
        " buffers but there are " + std::to_string(table.ids.size()));
  if (Status status = verifyPacking(table.items, offsets, result.height);
      !status)
    return Error{a.verify + ": " + status.error().message,
                 Error::Kind::Refused};
  PackOptions heuristics;
  heuristics.effort = 0;
  Expected<PackResult> bound = pack(table.items, heuristics);
  if (!bound)
    return bound.error();
  result.lowerBound = bound->lowerBound;
  result.optimal = result.height == result.lowerBound;
  result.method = "checked";
  print(a, result, watch.seconds());
  return refuseAbove(result.height, a.capacity);
}

Status runPack(const PackArguments &a) {
  if (!(a.effort >= 0))
    return Error::badInput("effort " + numberText(a.effort) +
                           " is not 0 or more; 0 runs the heuristics only");
  Expected<IntervalTable> table = readTable(a.intervals);
  if (!table)
    return table.error();
  if (!a.verify.empty())
    return verifySolution(a, *table);
  PackOptions options;
  options.capacity = a.capacity;
  options.alignment = a.alignment;
  options.effort = int64_t(double(options.effort) * std::min(a.effort, 1e9));
  Stopwatch watch;
  Expected<PackResult> result = pack(table->items, options);
  if (!result)
    return Error{a.intervals + ": " + result.error().message,
                 result.error().kind};
  double seconds = watch.seconds();
  if (!a.output.empty())
    if (Status status =
            writeTextFile(a.output, writeIntervalCsv(*table, result->offsets));
        !status)
      return status;
  print(a, *result, seconds);
  return refuseAbove(result->height, a.capacity);
}

} // namespace

Action addPackCommand(CLI::App &app) {
  auto arguments = std::make_shared<PackArguments>();
  PackArguments &a = *arguments;
  app.add_option("intervals", a.intervals,
                 "CSV with the columns id,lower,upper,size; lifetimes are "
                 "half-open")
      ->required();
  app.add_option("--capacity", a.capacity,
                 "Bytes of the arena; a higher packing is refused")
      ->check(CLI::PositiveNumber);
  app.add_option("--alignment", a.alignment, "Offsets are multiples of this")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  app.add_option("--effort", a.effort,
                 "Search nodes, in multiples of the default; 0 runs the "
                 "heuristics only")
      ->capture_default_str();
  app.add_option("-o,--output", a.output, "Write the offsets to this CSV");
  app.add_option("--verify", a.verify,
                 "Check the offsets of this CSV instead of packing");
  app.add_flag("--json", a.json, "Print JSON");
  return [arguments] { return runPack(*arguments); };
}

} // namespace ringi::tool
