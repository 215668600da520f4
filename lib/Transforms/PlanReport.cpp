//===- PlanReport.cpp - Kept or recomputed, and why -----------------------===//
//
// Part of Ringi. Reads `ringi.decision` back and joins it with the graph.
//
//===----------------------------------------------------------------------===//

#include "ringi/Transforms/PlanReport.h"

#include "ringi/Analysis/AttributeNames.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

namespace {

struct Row {
  std::string value, decision, reason, producer, firstUse, location;
  int64_t bytes;
};

} // namespace

/// Per storage the first op of the backward part that reads it or a clone's
/// computation of it.
static std::vector<OpIndex> firstLaterUses(const ActivationGraph &graph) {
  const Problem &problem = graph.problem();
  std::vector<OpIndex> uses(problem.storages.size(), kNone);
  for (auto [index, op] : llvm::enumerate(problem.ops)) {
    if (op.phase == Phase::Forward)
      continue;
    for (StorageIndex s : op.inputs) {
      OpIndex producer = problem.storages[s].producer;
      if (producer != kNone && graph.isClone(producer)) {
        const auto &copies = problem.ops[producer].outputs;
        size_t number = llvm::find(copies, s) - copies.begin();
        const planner::Op &origin = problem.ops[graph.origin(producer)];
        if (number < origin.outputs.size())
          s = origin.outputs[number];
      }
      if (uses[s] == kNone)
        uses[s] = OpIndex(index);
    }
  }
  return uses;
}

static std::vector<Row> collectRows(const ActivationGraph &graph) {
  const Problem &problem = graph.problem();
  std::vector<OpIndex> firstUse = firstLaterUses(graph);
  std::vector<Row> rows;
  for (auto [index, op] : llvm::enumerate(problem.ops)) {
    if (graph.isClone(OpIndex(index)))
      continue;
    auto texts = graph.operation(OpIndex(index))
                     ->getAttrOfType<ArrayAttr>(attr::kDecision);
    if (!texts)
      continue;
    for (auto [number, text] : llvm::enumerate(texts)) {
      auto decision = dyn_cast<StringAttr>(text);
      if (!decision || decision.getValue().empty() ||
          number >= op.outputs.size())
        continue;
      StorageIndex s = op.outputs[number];
      auto [word, reason] = decision.getValue().split(": ");
      Row row;
      row.value = problem.storages[s].name;
      row.decision = word.str();
      row.reason = reason.str();
      row.producer = op.kind;
      row.bytes = problem.storages[s].bytes;
      row.location = op.location;
      if (firstUse[s] != kNone)
        row.firstUse = problem.ops[firstUse[s]].name;
      rows.push_back(std::move(row));
    }
  }
  return rows;
}

static int64_t bytesOf(const Problem &problem, const planner::Op &op) {
  int64_t bytes = 0;
  for (StorageIndex s : op.outputs)
    bytes += problem.storages[s].bytes;
  return bytes;
}

namespace {

/// What became of the rows that a loop takes (attr::kStacks).
struct StackRow {
  std::string loop, location;
  int64_t trips = 0, bytesBefore = 0, bytes = 0;
  double flops = 0;
};

} // namespace

static std::vector<StackRow> collectStacks(const ActivationGraph &graph) {
  std::vector<StackRow> rows;
  for (auto [index, op] : llvm::enumerate(graph.problem().ops)) {
    auto stacks = graph.operation(OpIndex(index))
                      ->getAttrOfType<DictionaryAttr>(attr::kStacks);
    if (!stacks)
      continue;
    auto number = [&](StringRef name) {
      auto value = stacks.getAs<IntegerAttr>(name);
      return value ? value.getInt() : 0;
    };
    StackRow row;
    row.loop = op.name;
    row.location = op.location;
    row.trips = number("trips");
    row.bytesBefore = number("bytes_before");
    row.bytes = number("bytes");
    if (auto flops = stacks.getAs<FloatAttr>("replay_flops"))
      row.flops = flops.getValueAsDouble();
    rows.push_back(std::move(row));
  }
  return rows;
}

llvm::json::Object ringi::toJson(const ActivationGraph &graph,
                                 const PlanSummary &summary) {
  const Problem &problem = graph.problem();
  llvm::json::Array values, unknown, loops;
  double loopFlops = 0;
  for (const StackRow &row : collectStacks(graph)) {
    loopFlops += row.flops;
    loops.push_back(
        llvm::json::Object{{"loop", row.loop},
                           {"trips", row.trips},
                           {"stacked_bytes_before", row.bytesBefore},
                           {"stacked_bytes", row.bytes},
                           {"recompute_flops", row.flops},
                           {"location", row.location}});
  }
  for (const Row &row : collectRows(graph))
    values.push_back(llvm::json::Object{{"value", row.value},
                                        {"decision", row.decision},
                                        {"reason", row.reason},
                                        {"bytes", row.bytes},
                                        {"producer", row.producer},
                                        {"first_backward_use", row.firstUse},
                                        {"location", row.location}});
  for (OpIndex v : graph.unknownOps())
    unknown.push_back(
        llvm::json::Object{{"op", problem.ops[v].name},
                           {"kind", problem.ops[v].kind},
                           {"bytes", bytesOf(problem, problem.ops[v])}});
  int64_t operations = 0;
  for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
    operations += !graph.isClone(v);
  llvm::json::Object plan{{"strategy", summary.strategy},
                          {"operations", operations},
                          {"budget_bytes", summary.budget},
                          {"live_peak_bytes", summary.livePeak},
                          {"keep_all_peak_bytes", summary.keepAllPeak},
                          {"recomputes", summary.recomputes},
                          {"recompute_flops", summary.recomputeFlops},
                          {"loop_recompute_flops", loopFlops},
                          {"step_flops", summary.stepFlops},
                          {"recompute_cost_percent", summary.costPercent}};
  if (!summary.boundClass.empty()) {
    plan["bound_percent"] = summary.boundPercent;
    plan["bound_class"] = summary.boundClass;
  }
  llvm::json::Object report{{"function", problem.name},
                            {"plan", std::move(plan)},
                            {"values", std::move(values)},
                            {"unknown_ops", std::move(unknown)}};
  if (!loops.empty())
    report["loops"] = std::move(loops);
  return report;
}

void ringi::printText(const ActivationGraph &graph, const PlanSummary &summary,
                      llvm::raw_ostream &os) {
  const Problem &problem = graph.problem();
  os << "plan of '" << problem.name << "': strategy " << summary.strategy;
  if (summary.budget)
    os << ", budget " << summary.budget << " bytes";
  os << ", live peak " << summary.livePeak << " of " << summary.keepAllPeak
     << " bytes, " << summary.recomputes << " recomputes, "
     << llvm::formatv("{0:f2}%",
                      summary.stepFlops > 0
                          ? 100 * summary.recomputeFlops / summary.stepFlops
                          : 0.0)
     << " extra FLOPs";
  if (!summary.boundClass.empty())
    os << llvm::formatv(", recompute cost {0:f3}% with a proven bound of "
                        "{1:f3}% ({2})",
                        summary.costPercent, summary.boundPercent,
                        summary.boundClass);
  os << "\n";
  for (const Row &row : collectRows(graph)) {
    os << llvm::formatv("  {0,-9} {1,-24}{2,16} bytes  by {3}, first read by "
                        "{4}",
                        row.decision, row.value, row.bytes, row.producer,
                        row.firstUse.empty() ? "nothing" : row.firstUse);
    if (!row.location.empty())
      os << " (" << row.location << ")";
    if (!row.reason.empty())
      os << ": " << row.reason;
    os << "\n";
  }
  for (const StackRow &row : collectStacks(graph)) {
    os << llvm::formatv(
        "  loop      {0,-24}{1,16} bytes  of {2} stacked in {3} "
        "iterations, {4:f0} FLOPs computed again",
        row.loop, row.bytes, row.bytesBefore, row.trips, row.flops);
    if (!row.location.empty())
      os << " (" << row.location << ")";
    os << "\n";
  }
  for (OpIndex v : graph.unknownOps())
    os << "  unknown   " << problem.ops[v].name << " (" << problem.ops[v].kind
       << ") holds " << bytesOf(problem, problem.ops[v])
       << " bytes: kept, never recomputed\n";
}

LogicalResult ringi::writeFile(Operation *place, StringRef file,
                               StringRef text) {
  if (file == "-") {
    llvm::outs() << text;
    llvm::outs().flush();
    return success();
  }
  std::error_code error;
  llvm::raw_fd_ostream os(file, error);
  if (!error) {
    os << text;
    os.close();
    error = os.error();
    os.clear_error();
  }
  if (error)
    return mlir::emitError(place->getLoc())
           << "cannot write '" << file << "': " << error.message();
  return success();
}

LogicalResult ringi::writeReport(Operation *place, StringRef file,
                                 llvm::json::Array &objects) {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (objects.size() == 1)
    os << llvm::formatv("{0:2}", objects.front());
  else
    os << llvm::formatv("{0:2}", llvm::json::Value(std::move(objects)));
  os << "\n";
  return writeFile(place, file, text);
}
