//===- Report.h - What a run found out --------------------------*- C++ -*-===//
//
// Part of Ringi. The numbers of one ringi-run, as text for people and as JSON
// for scripts. Keys: docs/runtime.md, "Report".
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_TOOLS_RINGI_RUN_REPORT_H
#define RINGI_TOOLS_RINGI_RUN_REPORT_H

#include "ringi/Runtime/Proofs.h"
#include "ringi/Support/DeviceSpec.h"

#include <map>
#include <optional>

namespace ringi::run {

struct Report {
  std::string device, model;
  /// With --calibration.
  std::optional<DeviceSpec> calibration;
  int64_t firstStep = 1;
  std::vector<double> losses, stepSeconds;
  /// Seconds over all steps but the first, by op class and in clones.
  std::map<program::OpClass, double> secondsByClass;
  double opSeconds = 0, recomputeSeconds = 0;
  int64_t measuredPeak = 0, arenaBytes = 0, processDelta = 0;
  /// Device memory in use after the last step, less the arena; unset where the
  /// device cannot tell.
  std::optional<int64_t> deviceDelta;
  std::vector<runtime::Proof> proofs;

  bool audited = false;
  int64_t clonesCompared = 0;
  std::string auditDifference;

  bool compared = false;
  std::string comparedWith;
  int64_t valuesCompared = 0;
  std::string comparisonDifference;

  /// Median of stepSeconds without the first; that one when it is alone.
  double medianStepSeconds() const;
  /// No failed proof, no difference, measured peak = planned peak.
  bool allGood(const program::StepProgramT &program) const;
};

void printReport(const Report &report, const program::StepProgramT &program);
Status writeReport(const Report &report, const program::StepProgramT &program,
                   const std::string &path);

/// Writes text to a file that appears whole or not at all.
Status writeText(const std::string &path, const std::string &text);

} // namespace ringi::run

#endif // RINGI_TOOLS_RINGI_RUN_REPORT_H
