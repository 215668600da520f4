//===- MemoryReport.h - Who holds the bytes of a step -----------*- C++ -*-===//
//
// Part of Ringi. The numbers behind --ringi-print-memory: resident bytes at
// every op, the peak split by category, the storages alive there, and the bytes
// of each block. The categories are those of a step program's buffers
// (docs/step-program.md).
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_ANALYSIS_MEMORYREPORT_H
#define RINGI_ANALYSIS_MEMORYREPORT_H

#include "ringi/Analysis/ActivationGraph.h"
#include "ringi/Planner/Simulator.h"

#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <array>

namespace ringi {

enum class MemoryCategory : uint8_t {
  Parameter,
  OptimizerState,
  Input,
  Constant,
  SavedActivation,
  RecomputedTemporary,
  Gradient,
  GradientInFlight,
  Workspace,
  ForwardTemporary
};
inline constexpr unsigned kNumMemoryCategories = 10;
/// "parameter", "optimizer_state", ...
const char *toString(MemoryCategory category);

/// The category of every buffer of `timeline`, which simulate() made of the
/// graph's problem in the given order (execution i is op i).
std::vector<MemoryCategory>
categorizeBuffers(const ActivationGraph &graph,
                  const planner::Timeline &timeline);

/// Bytes per category of what is resident at an execution; what is written over
/// in place counts once, as the result.
std::array<int64_t, kNumMemoryCategories>
categoriesAt(const planner::Timeline &timeline,
             llvm::ArrayRef<MemoryCategory> categories, int32_t execution);

struct MemoryReport {
  struct Moment {
    std::string op, kind, location;
    planner::Phase phase;
    bool clone;
    int64_t liveBytes;
  };
  /// A storage alive at the peak.
  struct Resident {
    std::string name;
    MemoryCategory category;
    int64_t bytes;
    /// The op that computed it and the last op that reads it; empty for what
    /// exists before and for what leaves the step.
    std::string producer, lastUse, location;
  };
  struct Block {
    std::string name;
    /// Forward results that the rest of the step reads; what clones compute
    /// again; what backward ops of the block compute.
    int64_t savedBytes = 0, recomputedBytes = 0, gradientBytes = 0;
  };

  std::string function;
  int64_t livePeak = 0;
  std::string peakOp, peakLocation;
  std::array<int64_t, kNumMemoryCategories> categories{};
  int64_t savedActivationBytes = 0;
  std::vector<Moment> timeline;
  /// Largest first.
  std::vector<Resident> residents;
  std::vector<Block> blocks;
};

/// Simulates the function in its given order.
Expected<MemoryReport> makeMemoryReport(const ActivationGraph &graph);

void printText(const MemoryReport &report, llvm::raw_ostream &os);
llvm::json::Object toJson(const MemoryReport &report);

} // namespace ringi

#endif // RINGI_ANALYSIS_MEMORYREPORT_H
