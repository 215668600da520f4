//===- MemoryReport.cpp - Who holds the bytes of a step -------------------===//
//
// Part of Ringi. Collects the report from the simulator's timeline.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/MemoryReport.h"

#include <algorithm>

using namespace ringi;
using namespace ringi::planner;

const char *ringi::toString(MemoryCategory category) {
  switch (category) {
  case MemoryCategory::Parameter:
    return "parameter";
  case MemoryCategory::OptimizerState:
    return "optimizer_state";
  case MemoryCategory::Input:
    return "input";
  case MemoryCategory::Constant:
    return "constant";
  case MemoryCategory::SavedActivation:
    return "saved_activation";
  case MemoryCategory::RecomputedTemporary:
    return "recomputed_temporary";
  case MemoryCategory::Gradient:
    return "gradient";
  case MemoryCategory::GradientInFlight:
    return "gradient_in_flight";
  case MemoryCategory::Workspace:
    return "workspace";
  case MemoryCategory::ForwardTemporary:
    return "forward_temporary";
  }
  return "?";
}

static MemoryCategory ofInitialStorage(Category category) {
  switch (category) {
  case Category::Parameter:
    return MemoryCategory::Parameter;
  case Category::OptimizerState:
    return MemoryCategory::OptimizerState;
  case Category::Constant:
    return MemoryCategory::Constant;
  default:
    return MemoryCategory::Input;
  }
}

std::vector<MemoryCategory>
ringi::categorizeBuffers(const ActivationGraph &graph,
                         const Timeline &timeline) {
  const Problem &problem = graph.problem();
  std::vector<bool> readLater(problem.storages.size(), false);
  std::vector<bool> readByOptimizer(problem.storages.size(), false);
  for (const planner::Op &op : problem.ops)
    for (StorageIndex s : op.inputs) {
      readLater[s] = readLater[s] || op.phase != Phase::Forward;
      readByOptimizer[s] = readByOptimizer[s] || op.phase == Phase::Optimizer;
    }
  std::vector<MemoryCategory> categories;
  categories.reserve(timeline.buffers.size());
  for (const Buffer &buffer : timeline.buffers) {
    if (buffer.storage == kNone) {
      categories.push_back(MemoryCategory::Workspace);
      continue;
    }
    const Storage &storage = problem.storages[buffer.storage];
    // What is written over a persistent storage stays what that was.
    int32_t base = buffer.reuses;
    while (base != kNone && timeline.buffers[base].reuses != kNone)
      base = timeline.buffers[base].reuses;
    if (buffer.execution == kNone)
      categories.push_back(ofInitialStorage(storage.category));
    else if (base != kNone && timeline.buffers[base].execution == kNone)
      categories.push_back(categories[base]);
    else if (graph.isClone(storage.producer))
      categories.push_back(MemoryCategory::RecomputedTemporary);
    else if (problem.ops[storage.producer].phase == Phase::Forward)
      categories.push_back(readLater[buffer.storage]
                               ? MemoryCategory::SavedActivation
                               : MemoryCategory::ForwardTemporary);
    else
      categories.push_back(readByOptimizer[buffer.storage]
                               ? MemoryCategory::Gradient
                               : MemoryCategory::GradientInFlight);
  }
  return categories;
}

std::array<int64_t, kNumMemoryCategories>
ringi::categoriesAt(const Timeline &timeline,
                    llvm::ArrayRef<MemoryCategory> categories,
                    int32_t execution) {
  std::array<int64_t, kNumMemoryCategories> bytes{};
  for (auto [index, buffer] : llvm::enumerate(timeline.buffers)) {
    if (buffer.first > execution || buffer.last < execution)
      continue;
    bytes[unsigned(categories[index])] += buffer.bytes;
    if (buffer.reuses != kNone && buffer.first == execution)
      bytes[unsigned(categories[buffer.reuses])] -= buffer.bytes;
  }
  return bytes;
}

static void addResidents(const ActivationGraph &graph, const Timeline &timeline,
                         llvm::ArrayRef<MemoryCategory> categories,
                         MemoryReport &report) {
  const Problem &problem = graph.problem();
  int32_t peak = timeline.peakExecution;
  std::vector<bool> overwritten(timeline.buffers.size(), false);
  for (const Buffer &buffer : timeline.buffers)
    if (buffer.reuses != kNone && buffer.first == peak)
      overwritten[buffer.reuses] = true;
  std::vector<OpIndex> lastReader(problem.storages.size(), kNone);
  for (auto [index, op] : llvm::enumerate(problem.ops))
    for (StorageIndex s : op.inputs)
      lastReader[s] = OpIndex(index);
  for (auto [index, buffer] : llvm::enumerate(timeline.buffers)) {
    if (buffer.first > peak || buffer.last < peak || buffer.bytes == 0 ||
        overwritten[index])
      continue;
    MemoryReport::Resident resident;
    resident.category = categories[index];
    resident.bytes = buffer.bytes;
    if (buffer.storage == kNone) {
      const planner::Op &op = problem.ops[buffer.execution];
      resident.name = "workspace of " + op.name;
      resident.producer = resident.lastUse = op.name;
      resident.location = op.location;
    } else {
      const Storage &storage = problem.storages[buffer.storage];
      resident.name = storage.name;
      resident.location = storage.location;
      if (storage.producer != kNone)
        resident.producer = problem.ops[storage.producer].name;
      if (!storage.output && lastReader[buffer.storage] != kNone)
        resident.lastUse = problem.ops[lastReader[buffer.storage]].name;
    }
    report.residents.push_back(std::move(resident));
  }
  std::stable_sort(
      report.residents.begin(), report.residents.end(),
      [](const auto &a, const auto &b) { return a.bytes > b.bytes; });
}

static void addBlocks(const ActivationGraph &graph, const Timeline &timeline,
                      llvm::ArrayRef<MemoryCategory> categories,
                      MemoryReport &report) {
  const Problem &problem = graph.problem();
  for (const std::string &name : problem.blocks)
    report.blocks.push_back({name});
  for (auto [index, buffer] : llvm::enumerate(timeline.buffers)) {
    if (buffer.storage == kNone || buffer.execution == kNone)
      continue;
    int32_t block = problem.ops[buffer.execution].block;
    if (block == kNone)
      continue;
    MemoryReport::Block &row = report.blocks[block];
    switch (categories[index]) {
    case MemoryCategory::SavedActivation:
      row.savedBytes += buffer.bytes;
      break;
    case MemoryCategory::RecomputedTemporary:
      row.recomputedBytes += buffer.bytes;
      break;
    case MemoryCategory::Gradient:
    case MemoryCategory::GradientInFlight:
      row.gradientBytes += buffer.bytes;
      break;
    default:
      break;
    }
  }
}

Expected<MemoryReport> ringi::makeMemoryReport(const ActivationGraph &graph) {
  const Problem &problem = graph.problem();
  Expected<Timeline> timeline = simulate(problem, makeKeepAllPlan(problem));
  if (!timeline)
    return timeline.error();
  std::vector<MemoryCategory> categories = categorizeBuffers(graph, *timeline);
  MemoryReport report;
  report.function = problem.name;
  report.livePeak = timeline->livePeak;
  report.savedActivationBytes = graph.savedActivationBytes();
  if (timeline->peakExecution != kNone) {
    const planner::Op &peak = problem.ops[timeline->peakExecution];
    report.peakOp = peak.name;
    report.peakLocation = peak.location;
  }
  report.categories =
      categoriesAt(*timeline, categories, timeline->peakExecution);
  for (auto [index, op] : llvm::enumerate(problem.ops))
    report.timeline.push_back({op.name, op.kind, op.location, op.phase,
                               graph.isClone(OpIndex(index)),
                               timeline->resident[index]});
  addResidents(graph, *timeline, categories, report);
  addBlocks(graph, *timeline, categories, report);
  return report;
}
