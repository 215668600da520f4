//===- Support.h - What the parts of bench_planner share --------*- C++ -*-===//
//
// Part of Ringi. Reading graphs of the data folder, clocks, and the
// rows that most tables have.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_BENCH_PLANNER_SUPPORT_H
#define RINGI_BENCH_PLANNER_SUPPORT_H

#include "ringi/Planner/Strategies.h"

#include <filesystem>
#include <string>

namespace ringi::planner {

/// CPU seconds of this process.
double cpuSeconds();
/// The most memory that this process has held, in MiB.
double peakMebibytes();

/// Reads a graph; .xz files go through `xz -dc` and a temporary file.
Expected<Problem> loadGraph(const std::filesystem::path &path);

/// What the command line asks for.
struct BenchOptions {
  std::filesystem::path data;
  /// Only graphs whose name contains it; empty for all.
  std::string graph;
  /// Of every search, in multiples of the default.
  double effort = 1;

  bool wants(const std::string &name) const {
    return name.find(graph) != std::string::npos;
  }
};

/// Head and rows of the tables that give cost, bound and class of one budget.
void printHeader(const char *title, const char *what);
void printRow(const Problem &problem, const std::string &label, int64_t budget,
              Order order, const std::string &published,
              const BenchOptions &options);

/// The parts; false, after a message, when a graph cannot be read.
bool benchPublished(const BenchOptions &options);
bool benchTorch(const BenchOptions &options);
bool benchFronts(const BenchOptions &options);
bool benchScale(const BenchOptions &options);
bool benchGpt2(const BenchOptions &options);

} // namespace ringi::planner

#endif // RINGI_BENCH_PLANNER_SUPPORT_H
