//===- Report.cpp - What a run found out ------------------------*- C++ -*-===//
//
// Part of Ringi. Numbers come from the run; only the plan's own claims, which
// the loader recomputed, come from the file.
//
//===----------------------------------------------------------------------===//

#include "Report.h"

#include "ringi/Support/PartialFile.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstring>
#include <fstream>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::run;
using runtime::Proof;
using Json = nlohmann::ordered_json;

namespace {

const char *toString(Proof::Verdict verdict) {
  switch (verdict) {
  case Proof::Verdict::Passed:
    return "passed";
  case Proof::Verdict::Failed:
    return "FAILED";
  case Proof::Verdict::Unavailable:
    return "unavailable";
  }
  return "?";
}

double percent(double part, double whole) {
  return whole > 0 ? 100 * part / whole : 0;
}

/// Extra work relative to computing everything once.
double recomputeFlopsPercent(const ClaimsT &claims) {
  return percent(claims.recompute_flops,
                 claims.total_flops - claims.recompute_flops);
}

/// What the model itself needs, recompute left out.
double modelFlops(const ClaimsT &claims) {
  return claims.total_flops - claims.recompute_flops;
}

/// The type that most FLOPs of matrix products are computed in: the one whose
/// calibrated rate utilisation is measured against.
ElementType productType(const StepProgramT &program) {
  std::map<ElementType, double> flops;
  for (const auto &op : program.ops)
    if (op->op_class == OpClass::Gemm || op->op_class == OpClass::Attention)
      flops[program.values[op->operands.front()]->element_type] += op->flops;
  auto most = std::max_element(
      flops.begin(), flops.end(),
      [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == flops.end() ? ElementType::F32 : most->first;
}

/// FLOP/s that the calibration found for the program's type; 0 without one.
double calibratedRate(const Report &report, const StepProgramT &program) {
  return report.calibration ? report.calibration->flopsFor(
                                  program::toString(productType(program)))
                            : 0;
}

/// Model FLOPs utilisation in percent.
double utilisation(const Report &report, const StepProgramT &program) {
  return percent(modelFlops(*program.claims),
                 report.medianStepSeconds() * calibratedRate(report, program));
}

double tokensPerSecond(const Report &report, const StepProgramT &program) {
  double median = report.medianStepSeconds();
  return median > 0 ? double(program.tokens_per_step) / median : 0;
}

} // namespace

double Report::medianStepSeconds() const {
  std::vector<double> sorted(stepSeconds.begin() + (stepSeconds.size() > 1),
                             stepSeconds.end());
  if (sorted.empty())
    return 0;
  std::sort(sorted.begin(), sorted.end());
  size_t middle = sorted.size() / 2;
  return sorted.size() % 2 ? sorted[middle]
                           : (sorted[middle - 1] + sorted[middle]) / 2;
}

bool Report::allGood(const StepProgramT &program) const {
  return auditDifference.empty() && comparisonDifference.empty() &&
         measuredPeak == int64_t(program.claims->planned_peak[0]) &&
         std::none_of(proofs.begin(), proofs.end(), [](const Proof &proof) {
           return proof.verdict == Proof::Verdict::Failed;
         });
}

void run::printReport(const Report &report, const StepProgramT &program) {
  const ClaimsT &claims = *program.claims;
  for (size_t i = 0; i < report.stepSeconds.size(); ++i) {
    std::printf("step %" PRId64 ":", report.firstStep + int64_t(i));
    if (i < report.losses.size())
      std::printf(" loss %.6f,", report.losses[i]);
    std::printf(" %.3f ms\n", report.stepSeconds[i] * 1e3);
  }
  double median = report.medianStepSeconds();
  std::printf("step time (median): %.3f ms", median * 1e3);
  if (median > 0)
    std::printf(", %.2f GFLOP/s", claims.total_flops / median / 1e9);
  if (median > 0 && program.tokens_per_step)
    std::printf(", %.0f tokens/s", tokensPerSecond(report, program));
  std::printf("\n");
  if (report.calibration)
    std::printf("model FLOPs: %.4g, %.2f %% of the calibrated %s rate\n",
                modelFlops(claims), utilisation(report, program),
                program::toString(productType(program)));
  for (auto [opClass, seconds] : report.secondsByClass)
    std::printf("  %-14s %5.1f %%\n", program::toString(opClass),
                percent(seconds, report.opSeconds));
  std::printf("recompute: %.2f %% of FLOPs, %.1f %% of op time\n",
              recomputeFlopsPercent(claims),
              percent(report.recomputeSeconds, report.opSeconds));
  std::printf("live peak:      %" PRIu64 " bytes\n", claims.live_peak);
  std::printf("planned peak:   %" PRIu64 " bytes\n", claims.planned_peak[0]);
  std::printf("measured peak:  %" PRId64 " bytes (%s)\n", report.measuredPeak,
              report.measuredPeak == int64_t(claims.planned_peak[0])
                  ? "equal to the plan"
                  : "NOT the plan");
  std::printf("arena:          %" PRId64 " bytes\n", report.arenaBytes);
  std::printf("process delta:  %" PRId64 " bytes\n", report.processDelta);
  if (report.deviceDelta)
    std::printf("device delta:   %" PRId64 " bytes\n", *report.deviceDelta);
  for (const Proof &proof : report.proofs)
    std::printf("proof %-15s %s: %s\n", proof.name.c_str(),
                toString(proof.verdict), proof.detail.c_str());
  if (report.audited)
    std::printf(
        "audit: %" PRId64 " clones compared, %s\n", report.clonesCompared,
        report.auditDifference.empty() ? "all equal to their origin"
                                       : report.auditDifference.c_str());
  if (report.compared)
    std::printf("compare with %s: %" PRId64 " values, %s\n",
                report.comparedWith.c_str(), report.valuesCompared,
                report.comparisonDifference.empty()
                    ? "all bit-equal"
                    : report.comparisonDifference.c_str());
}

Status run::writeText(const std::string &path, const std::string &text) {
  std::string partial = partialPath(path);
  errno = 0;
  std::ofstream stream(partial, std::ios::binary | std::ios::trunc);
  stream << text;
  stream.close();
  if (!stream || !publishPartial(partial, path)) {
    int code = errno ? errno : EIO;
    discardPartial(partial, path);
    return Error::badInput("cannot write '" + path + "': " +
                           std::strerror(code) + "; choose a writable path");
  }
  return Status::success();
}

Status run::writeReport(const Report &report, const StepProgramT &program,
                        const std::string &path) {
  const ClaimsT &claims = *program.claims;
  Json json;
  json["program"] = program.name;
  json["device"] = report.device;
  json["device_model"] = report.model;
  json["strategy"] = claims.strategy;
  json["budget_bytes"] = claims.budget;
  json["steps"] = report.stepSeconds.size();
  json["first_step"] = report.firstStep;
  json["live_peak_bytes"] = claims.live_peak;
  json["planned_peak_bytes"] = claims.planned_peak[0];
  json["measured_peak_bytes"] = report.measuredPeak;
  json["arena_bytes"] = report.arenaBytes;
  json["process_delta_bytes"] = report.processDelta;
  json["device_delta_bytes"] =
      report.deviceDelta ? Json(*report.deviceDelta) : Json(nullptr);
  json["saved_activation_bytes"] = claims.saved_activation_bytes;
  Json categories = Json::object();
  for (const CategoryBytes &entry : claims.categories_at_peak)
    categories[program::toString(entry.category())] = entry.bytes();
  json["categories_at_peak_bytes"] = categories;
  json["total_flops"] = claims.total_flops;
  json["recompute_flops"] = claims.recompute_flops;
  json["recompute_flops_percent"] = recomputeFlopsPercent(claims);
  json["model_flops"] = modelFlops(claims);
  json["product_type"] = program::toString(productType(program));
  json["calibrated_flops"] = report.calibration
                                 ? Json(calibratedRate(report, program))
                                 : Json(nullptr);
  json["mfu_percent"] =
      report.calibration ? Json(utilisation(report, program)) : Json(nullptr);
  json["recompute_time_percent"] =
      percent(report.recomputeSeconds, report.opSeconds);
  json["step_seconds"] = report.stepSeconds;
  json["step_seconds_median"] = report.medianStepSeconds();
  Json shares = Json::object();
  for (auto [opClass, seconds] : report.secondsByClass)
    shares[program::toString(opClass)] = percent(seconds, report.opSeconds);
  json["time_percent_by_class"] = shares;
  json["tokens_per_step"] = program.tokens_per_step;
  json["tokens_per_second"] = program.tokens_per_step
                                  ? Json(tokensPerSecond(report, program))
                                  : Json(nullptr);
  json["loss"] = report.losses;
  Json verified = Json::object(), details = Json::object();
  for (const Proof &proof : report.proofs) {
    verified[proof.name] = proof.verdict == Proof::Verdict::Unavailable
                               ? Json(nullptr)
                               : Json(proof.verdict == Proof::Verdict::Passed);
    details[proof.name] = proof.detail;
  }
  json["verified"] = verified;
  json["proof_details"] = details;
  if (report.audited) {
    json["audit_equal"] = report.auditDifference.empty();
    json["audit_clones"] = report.clonesCompared;
    json["audit_difference"] = report.auditDifference;
  }
  if (report.compared) {
    json["bit_equal"] = report.comparisonDifference.empty();
    json["compared_with"] = report.comparedWith;
    json["compared_values"] = report.valuesCompared;
    json["difference"] = report.comparisonDifference;
  }
  return writeText(
      path, json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}
