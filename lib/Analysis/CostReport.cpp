//===- CostReport.cpp - FLOPs, traffic and time of a step -----------------===//
//
// Part of Ringi. Sums the roofline over a function and prints it.
//
//===----------------------------------------------------------------------===//

#include "ringi/Analysis/CostReport.h"

#include "ringi/Analysis/AttributeNames.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/Support/FormatVariadic.h"

#include <algorithm>
#include <map>

using namespace mlir;
using namespace ringi;
using namespace ringi::planner;

int64_t ringi::tokensPerStep(FunctionOpInterface function) {
  int64_t byTarget = 0, byInput = 0;
  for (BlockArgument argument : function.getArguments()) {
    auto role = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      attr::kRole);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!role || !type || !type.hasStaticShape())
      continue;
    int64_t elements = type.getNumElements();
    bool indices = type.getElementType().isInteger();
    int64_t width = indices || type.getRank() == 0
                        ? 1
                        : std::max<int64_t>(type.getShape().back(), 1);
    if (role.getValue() == "target" && byTarget == 0)
      byTarget = elements / width;
    if (role.getValue() == "input" && byInput == 0)
      byInput = elements / width;
  }
  return byTarget ? byTarget : byInput;
}

static void accumulate(CostReport::Total &total, const CostReport::Row &row) {
  total.flops += row.flops;
  total.bytes += row.bytes;
  total.seconds += row.seconds;
}

CostReport ringi::makeCostReport(const ActivationGraph &graph,
                                 const DeviceSpec &device, int64_t tokens,
                                 double measuredSeconds) {
  const Problem &problem = graph.problem();
  FunctionOpInterface function = graph.function();
  CostReport report;
  report.function = problem.name;
  report.device = device;
  std::map<std::string, double> flopsByType;
  for (auto [index, op] : llvm::enumerate(problem.ops)) {
    OpCost cost = getOpCost(graph.operation(OpIndex(index)), graph.model());
    CostReport::Row row{op.name,
                        op.kind,
                        op.location,
                        op.phase,
                        op.opClass,
                        graph.isClone(OpIndex(index)),
                        cost.known,
                        cost.flops,
                        cost.bytes,
                        predictSeconds(cost, device),
                        trafficSeconds(cost, device) >
                            computeSeconds(cost, device)};
    accumulate(
        row.clone ? report.recompute : report.phases[unsigned(row.phase)], row);
    accumulate(report.classes[unsigned(row.opClass)], row);
    accumulate(report.step, row);
    if (!row.clone)
      flopsByType[cost.elementType] += cost.flops;
    report.rows.push_back(std::move(row));
  }
  for (BlockArgument argument : function.getArguments()) {
    auto role = function.getArgAttrOfType<StringAttr>(argument.getArgNumber(),
                                                      attr::kRole);
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (role && role.getValue() == "parameter" && type && type.hasStaticShape())
      report.parameters += double(type.getNumElements());
  }
  report.tokens = double(tokens ? tokens : tokensPerStep(function));
  report.sixNd = 6 * report.parameters * report.tokens;
  report.measuredSeconds = measuredSeconds;
  if (measuredSeconds > 0)
    for (auto &[type, flops] : flopsByType)
      report.utilisation += flops / device.flopsFor(type) / measuredSeconds;
  return report;
}

/// FLOPs that 6ND estimates: those of the forward and backward part.
static double modelFlops(const CostReport &report) {
  return report.phases[0].flops + report.phases[1].flops;
}

void ringi::printText(const CostReport &report, llvm::raw_ostream &os) {
  os << llvm::formatv("cost of '{0}' on {1}: {2:e3} FLOPs, {3:e3} bytes, "
                      "{4:f6} s predicted\n",
                      report.function, report.device.name, report.step.flops,
                      report.step.bytes, report.step.seconds);
  auto line = [&](const char *name, const CostReport::Total &total) {
    if (total.seconds > 0 || total.flops > 0)
      os << llvm::formatv("  {0,-14}{1,14:e3} FLOPs {2,14:e3} bytes {3,12:f6} "
                          "s\n",
                          name, total.flops, total.bytes, total.seconds);
  };
  for (unsigned phase = 0; phase < 3; ++phase)
    line(toString(Phase(phase)), report.phases[phase]);
  line("recompute", report.recompute);
  os << "  by class:\n";
  for (unsigned c = 0; c < std::size(report.classes); ++c)
    line(toString(OpClass(c)), report.classes[c]);
  if (report.sixNd > 0)
    os << llvm::formatv("  6 x {0:f0} parameters x {1:f0} tokens = {2:e3}; "
                        "forward and backward are {3:f3} of it\n",
                        report.parameters, report.tokens, report.sixNd,
                        modelFlops(report) / report.sixNd);
  if (report.measuredSeconds > 0)
    os << llvm::formatv("  model FLOPs utilisation {0:f2}% at {1:f6} s per "
                        "step\n",
                        100 * report.utilisation, report.measuredSeconds);
  os << "  ops:\n";
  for (const CostReport::Row &row : report.rows)
    os << llvm::formatv(
        "    {0,-28} {1,-14}{2,12:e3} FLOPs {3,12:e3} bytes {4,10:f2} "
        "FLOPs/byte {5,-8}{6,12:f9} s{7}{8}\n",
        row.op, toString(row.opClass), row.flops, row.bytes, row.intensity(),
        row.memoryBound ? "memory" : "compute", row.seconds,
        row.clone ? "  clone" : "", row.known ? "" : "  cost unknown");
}

llvm::json::Object ringi::toJson(const CostReport &report) {
  auto total = [](const CostReport::Total &sum) {
    return llvm::json::Object{{"flops", sum.flops},
                              {"bytes", sum.bytes},
                              {"predicted_seconds", sum.seconds}};
  };
  llvm::json::Object phases, classes;
  for (unsigned phase = 0; phase < 3; ++phase)
    phases[toString(Phase(phase))] = total(report.phases[phase]);
  for (unsigned c = 0; c < std::size(report.classes); ++c)
    if (report.classes[c].seconds > 0)
      classes[toString(OpClass(c))] = total(report.classes[c]);
  llvm::json::Array ops;
  for (const CostReport::Row &row : report.rows)
    ops.push_back(
        llvm::json::Object{{"op", row.op},
                           {"kind", row.kind},
                           {"phase", toString(row.phase)},
                           {"class", toString(row.opClass)},
                           {"clone", row.clone},
                           {"known", row.known},
                           {"location", row.location},
                           {"flops", row.flops},
                           {"bytes", row.bytes},
                           {"intensity", row.intensity()},
                           {"bound", row.memoryBound ? "memory" : "compute"},
                           {"predicted_seconds", row.seconds}});
  llvm::json::Object object{
      {"function", report.function},          {"device", report.device.name},
      {"step", total(report.step)},           {"phases", std::move(phases)},
      {"recompute", total(report.recompute)}, {"classes", std::move(classes)},
      {"parameters", report.parameters},      {"tokens", report.tokens},
      {"six_nd_flops", report.sixNd},         {"ops", std::move(ops)}};
  if (report.sixNd > 0)
    object["model_flops_over_six_nd"] = modelFlops(report) / report.sixNd;
  if (report.measuredSeconds > 0) {
    object["measured_seconds"] = report.measuredSeconds;
    object["model_flops_utilisation"] = report.utilisation;
  }
  return object;
}
