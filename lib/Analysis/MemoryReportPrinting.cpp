//===- MemoryReportPrinting.cpp - The memory report as text and JSON ------===//
//
// Part of Ringi. Text for people, JSON with stable keys for scripts.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/MemoryReport.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"

using namespace ringi;

static std::string at(const std::string &location) {
  return location.empty() ? std::string() : " (" + location + ")";
}

void ringi::printText(const MemoryReport &report, llvm::raw_ostream &os) {
  os << "memory of '" << report.function << "': live peak " << report.livePeak
     << " bytes";
  if (!report.peakOp.empty())
    os << " at " << report.peakOp << at(report.peakLocation);
  os << ", saved activations " << report.savedActivationBytes << " bytes\n";

  os << "  at the peak:\n";
  for (unsigned c = 0; c < kNumMemoryCategories; ++c)
    if (report.categories[c])
      os << llvm::formatv("    {0,-22}{1,16}\n", toString(MemoryCategory(c)),
                          report.categories[c]);

  os << "  live storages at the peak:\n";
  for (const MemoryReport::Resident &resident : report.residents) {
    os << llvm::formatv("    {0,-24}{1,16}  {2,-22}", resident.name,
                        resident.bytes, toString(resident.category));
    if (!resident.producer.empty())
      os << " from " << resident.producer;
    if (!resident.lastUse.empty())
      os << " last read by " << resident.lastUse;
    os << at(resident.location) << "\n";
  }

  if (!report.blocks.empty()) {
    os << llvm::formatv("  {0,-26}{1,16}{2,16}{3,16}\n", "block", "saved",
                        "recomputed", "gradients");
    for (const MemoryReport::Block &block : report.blocks)
      os << llvm::formatv("    {0,-24}{1,16}{2,16}{3,16}\n", block.name,
                          block.savedBytes, block.recomputedBytes,
                          block.gradientBytes);
  }

  os << "  timeline:\n";
  for (auto [index, moment] : llvm::enumerate(report.timeline))
    os << llvm::formatv("    {0,6} {1,-28} {2,-9}{3,16}{4}\n", index, moment.op,
                        planner::toString(moment.phase), moment.liveBytes,
                        moment.clone ? "  clone" : "");
}

llvm::json::Object ringi::toJson(const MemoryReport &report) {
  llvm::json::Object categories;
  for (unsigned c = 0; c < kNumMemoryCategories; ++c)
    categories[toString(MemoryCategory(c))] = report.categories[c];
  llvm::json::Array timeline, residents, blocks;
  for (const MemoryReport::Moment &moment : report.timeline)
    timeline.push_back(
        llvm::json::Object{{"op", moment.op},
                           {"kind", moment.kind},
                           {"phase", planner::toString(moment.phase)},
                           {"clone", moment.clone},
                           {"location", moment.location},
                           {"live_bytes", moment.liveBytes}});
  for (const MemoryReport::Resident &resident : report.residents)
    residents.push_back(
        llvm::json::Object{{"name", resident.name},
                           {"category", toString(resident.category)},
                           {"bytes", resident.bytes},
                           {"producer", resident.producer},
                           {"last_use", resident.lastUse},
                           {"location", resident.location}});
  for (const MemoryReport::Block &block : report.blocks)
    blocks.push_back(
        llvm::json::Object{{"block", block.name},
                           {"saved_bytes", block.savedBytes},
                           {"recomputed_bytes", block.recomputedBytes},
                           {"gradient_bytes", block.gradientBytes}});
  return llvm::json::Object{
      {"function", report.function},
      {"live_peak_bytes", report.livePeak},
      {"peak_op", report.peakOp},
      {"peak_location", report.peakLocation},
      {"categories", std::move(categories)},
      {"saved_activation_bytes", report.savedActivationBytes},
      {"live_at_peak", std::move(residents)},
      {"timeline", std::move(timeline)},
      {"blocks", std::move(blocks)}};
}
