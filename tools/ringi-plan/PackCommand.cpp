//===- PackCommand.cpp - ringi-plan pack ----------------------------------===//
//
// Part of Ringi. Packs a CSV of lifetimes into an arena, or checks a solution.
//
//===----------------------------------------------------------------------===//

#include "Commands.h"
#include "OptionRules.h"
#include "Report.h"

#include "../CommandLine.h"

#include "ringi/Planner/GraphFile.h"
#include "ringi/Planner/IntervalCsv.h"
#include "ringi/Support/NumberText.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <tuple>
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

std::string describe(const PackItem &item) {
  return std::to_string(item.bytes) + " bytes alive from " +
         std::to_string(item.lower) + " to " + std::to_string(item.upper);
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

Status refuseAbove(const PackResult &result, int64_t capacity) {
  if (capacity <= 0 || result.height <= capacity)
    return Status::success();
  std::string text = "the arena is " + std::to_string(result.height) +
                     " bytes high but the capacity is " +
                     std::to_string(capacity);
  if (result.lowerBound > capacity || result.optimal)
    return Error::refused(
        text + " and no packing is below " +
        std::to_string(result.optimal ? result.height : result.lowerBound) +
        "; raise the capacity");
  return Error::refused(text + "; raise --effort or the capacity");
}

/// The offset that `solution` gives to each buffer of the table.
Expected<std::vector<int64_t>> matchOffsets(const PackArguments &a,
                                            const IntervalTable &table,
                                            const IntervalTable &solution) {
  if (solution.offsets.empty() && !solution.ids.empty())
    return Error::badInput(a.verify + ": has no column 'offset'");
  std::unordered_map<std::string, size_t> rowOf;
  for (size_t i = 0; i < solution.ids.size(); ++i)
    rowOf[solution.ids[i]] = i;
  std::vector<int64_t> offsets;
  for (size_t i = 0; i < table.ids.size(); ++i) {
    const std::string what = a.verify + ": buffer '" + table.ids[i] + "'";
    auto row = rowOf.find(table.ids[i]);
    if (row == rowOf.end())
      return Error::refused(what + " has no offset");
    const PackItem &given = table.items[i];
    const PackItem &found = solution.items[row->second];
    if (std::tuple(given.lower, given.upper, given.bytes) !=
        std::tuple(found.lower, found.upper, found.bytes))
      return Error::refused(what + " has " + describe(found) + " but " +
                            a.intervals + " gives " + describe(given));
    const int64_t offset = solution.offsets[row->second];
    if (offset % a.alignment != 0)
      return Error::refused(what + " is at offset " + std::to_string(offset) +
                            ", not a multiple of the alignment " +
                            std::to_string(a.alignment));
    offsets.push_back(offset);
  }
  if (solution.ids.size() != table.ids.size())
    return Error::refused(
        a.verify + ": has " + std::to_string(solution.ids.size()) +
        " buffers but there are " + std::to_string(table.ids.size()));
  return offsets;
}

/// Checks the offsets of `a.verify` against the lifetimes of `a.intervals`.
Status verifySolution(const PackArguments &a, const IntervalTable &table) {
  Stopwatch watch;
  Expected<IntervalTable> solution = readTable(a.verify);
  if (!solution)
    return solution.error();
  Expected<std::vector<int64_t>> offsets = matchOffsets(a, table, *solution);
  if (!offsets)
    return offsets.error();
  // The bound also refuses sizes whose sums overflow.
  PackOptions heuristics;
  heuristics.effort = 0;
  Expected<PackResult> bound = pack(table.items, heuristics);
  if (!bound)
    return Error{a.intervals + ": " + bound.error().message,
                 bound.error().kind};
  PackResult result;
  for (size_t i = 0; i < table.items.size(); ++i) {
    const PackItem &item = table.items[i];
    if (item.bytes == 0 || item.lower == item.upper)
      continue;
    if ((*offsets)[i] > INT64_MAX - item.bytes)
      return Error::refused(a.verify + ": buffer '" + table.ids[i] +
                            "' at offset " + std::to_string((*offsets)[i]) +
                            " ends beyond what 64 bits hold");
    result.height = std::max(result.height, (*offsets)[i] + item.bytes);
  }
  if (Status status = verifyPacking(table.items, *offsets, result.height);
      !status)
    return Error{a.verify + ": " + status.error().message,
                 Error::Kind::Refused};
  result.lowerBound = bound->lowerBound;
  result.optimal = result.height == result.lowerBound;
  result.method = "checked";
  print(a, result, watch.seconds());
  return refuseAbove(result, a.capacity);
}

Status checkOptions(const CLI::App &app, const PackArguments &a) {
  if (!(a.effort >= 0))
    return Error::badInput("effort " + numberText(a.effort) +
                           " is not 0 or more; 0 runs the heuristics only");
  const bool packs = a.verify.empty();
  return checkRules(
      app, {{"--effort", packs, "is not read by --verify; drop one of them"},
            {"--output", packs, "is not read by --verify; drop one of them"}});
}

Status runPack(const CLI::App &app, const PackArguments &a) {
  if (Status status = checkOptions(app, a); !status)
    return status;
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
  Status fits = refuseAbove(*result, a.capacity);
  if (fits && !a.output.empty())
    if (Status status =
            writeTextFile(a.output, writeIntervalCsv(*table, result->offsets));
        !status)
      return status;
  print(a, *result, seconds);
  return fits;
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
      ->check(CLI::Range(int64_t(1), INT64_MAX));
  app.add_option("--alignment", a.alignment, "Offsets are multiples of this")
      ->check(CLI::Range(int64_t(1), int64_t(1) << 40))
      ->capture_default_str();
  app.add_option("--effort", a.effort,
                 "Search nodes, in multiples of the default; 0 runs the "
                 "heuristics only")
      ->capture_default_str();
  app.add_option("-o,--output", a.output,
                 "Write the offsets to this CSV, unless the arena is above "
                 "the capacity")
      ->check(commandline::writableFile());
  app.add_option("--verify", a.verify,
                 "Check the offsets of this CSV instead of packing")
      ->check(commandline::nonEmpty());
  app.add_flag("--json", a.json, "Print JSON");
  return [arguments, &app] { return runPack(app, *arguments); };
}

} // namespace ringi::tool
