//===- Support.h - What the parts of bench_planner share --------*- C++ -*-===//
//
// Part of Ringi. Reading graphs of the data folder, and clocks.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_BENCH_PLANNER_SUPPORT_H
#define RINGI_BENCH_PLANNER_SUPPORT_H

#include "ringi/Planner/Problem.h"

#include <filesystem>

namespace ringi::planner {

/// CPU seconds of this process.
double cpuSeconds();
/// The most memory that this process has held, in MiB.
double peakMebibytes();

/// Reads a graph; .xz files go through `xz -dc` and a temporary file.
Expected<Problem> loadGraph(const std::filesystem::path &path);

/// The parts; false, after a message, when a graph cannot be read.
bool benchPublished(const std::filesystem::path &data);
bool benchTorch(const std::filesystem::path &data);
void benchScale();
void benchGpt2();
/// \param effort of every search on the way, in multiples of the default.
bool benchFronts(const std::filesystem::path &data, double effort);

} // namespace ringi::planner

#endif // RINGI_BENCH_PLANNER_SUPPORT_H
