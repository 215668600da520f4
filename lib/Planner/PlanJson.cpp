//===- PlanJson.cpp - Plans as files --------------------------------------===//
//
// Part of Ringi. One line per execution: the op's name and the executions whose
// results it reads (-1: from before the step).
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/PlanJson.h"

#include "JsonSupport.h"
#include "ringi/Planner/GraphJson.h"

#include <cstdio>
#include <unordered_map>

namespace ringi::planner {

using nlohmann::json;

namespace {

std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
  return text;
}

void appendField(std::string &out, const char *key, const std::string &text) {
  out += ",\n\"";
  out += key;
  out += "\":";
  appendString(out, text);
}

/// Reads the fields of one plan; the first error sticks.
class PlanReader {
public:
  PlanReader(const Problem &problem, const json &document)
      : problem(problem), document(document) {}

  Expected<Plan> run() {
    for (auto step : {&PlanReader::readHeader, &PlanReader::readSchedule,
                      &PlanReader::readOutputs, &PlanReader::readDecisions,
                      &PlanReader::readClaims})
      if (Status status = (this->*step)(); !status)
        return status.error();
    return std::move(plan);
  }

private:
  static Status bad(std::string message) {
    return Error::badInput(std::move(message));
  }

  Status readHeader() {
    static const char *const known[] = {
        "format",    "version",      "graph",    "fingerprint",
        "strategy",  "budget_bytes", "schedule", "outputs",
        "decisions", "warnings",     "claims"};
    if (!document.is_object())
      return bad("a plan file must be an object");
    for (const auto &[key, value] : document.items()) {
      bool isKnown = false;
      for (const char *name : known)
        isKnown |= key == name;
      if (!isKnown)
        return bad("unknown field '" + key + "' in the plan");
    }
    Expected<std::string> format = getString(document, "format", "the plan");
    if (!format)
      return format.error();
    if (*format != "ringi.plan")
      return bad("format '" + *format + "' is not 'ringi.plan'");
    Expected<int64_t> version = getInteger(document, "version", "the plan");
    if (!version)
      return version.error();
    if (*version != 1)
      return bad("plan version " + std::to_string(*version) +
                 " is not 1; this reader knows version 1");
    Expected<std::string> graph = getString(document, "graph", "the plan");
    if (!graph)
      return graph.error();
    Expected<std::string> print =
        getString(document, "fingerprint", "the plan");
    if (!print)
      return print.error();
    std::string expected = hex(graphFingerprint(problem));
    if (*print != expected)
      return bad("the plan is for another graph: '" + *graph +
                 "' with fingerprint " + *print + ", this one is '" +
                 problem.name + "' with " + expected);
    Expected<std::string> strategy =
        getString(document, "strategy", "the plan");
    if (!strategy)
      return strategy.error();
    plan.strategy = *strategy;
    Expected<int64_t> budget = getInteger(document, "budget_bytes", "the plan");
    if (!budget)
      return budget.error();
    plan.budget = *budget;
    return Status::success();
  }

  Status readSchedule() {
    Expected<const json *> schedule =
        getArray(document, "schedule", "the plan");
    if (!schedule)
      return schedule.error();
    std::unordered_map<std::string_view, OpIndex> byName;
    for (OpIndex v = 0; v < OpIndex(problem.ops.size()); ++v)
      byName.emplace(problem.ops[v].name, v);
    for (const json &entry : **schedule) {
      std::string where = "execution #" + std::to_string(plan.schedule.size());
      if (!entry.is_array() || entry.empty() || !entry[0].is_string())
        return bad(where + " must be an array of an op's name and its reads");
      auto op = byName.find(entry[0].get_ref<const std::string &>());
      if (op == byName.end())
        return bad(where + " runs op '" + entry[0].get<std::string>() +
                   "', which the graph does not have");
      Execution execution;
      execution.op = op->second;
      for (size_t i = 1; i < entry.size(); ++i) {
        int64_t read = entry[i].is_number_integer() ? entry[i].get<int64_t>()
                                                    : int64_t(INT64_MAX);
        if (read < -1 || read >= int64_t((*schedule)->size()))
          return bad("read " + std::to_string(i - 1) + " of " + where + " is " +
                     entry[i].dump() + "; it must be an execution from -1 to " +
                     std::to_string((*schedule)->size() - 1));
        execution.reads.push_back(ExecutionIndex(read));
      }
      plan.schedule.push_back(std::move(execution));
    }
    return Status::success();
  }

  Status readOutputs() {
    auto field = document.find("outputs");
    if (field == document.end() || !field->is_object())
      return bad("field 'outputs' of the plan must be an object");
    for (StorageIndex s : outputStorages(problem)) {
      Expected<int64_t> from = getInteger(
          *field, problem.storages[s].name.c_str(), "'outputs' of the plan");
      if (!from)
        return from.error();
      if (*from < 0 || *from >= int64_t(plan.schedule.size()))
        return bad("output '" + problem.storages[s].name +
                   "' is taken from execution #" + std::to_string(*from) +
                   " but the plan has " + std::to_string(plan.schedule.size()));
      plan.outputs.push_back(ExecutionIndex(*from));
    }
    if (field->size() != plan.outputs.size())
      return bad("the plan names " + std::to_string(field->size()) +
                 " outputs but the step has " +
                 std::to_string(plan.outputs.size()));
    return Status::success();
  }

  Status readDecisions() {
    Expected<const json *> decisions =
        getArray(document, "decisions", "the plan");
    if (!decisions)
      return decisions.error();
    std::unordered_map<std::string_view, StorageIndex> byName;
    for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s)
      byName.emplace(problem.storages[s].name, s);
    for (const json &entry : **decisions) {
      std::string where = "decision #" + std::to_string(plan.decisions.size());
      Expected<std::string> value = getString(entry, "value", where);
      if (!value)
        return value.error();
      Expected<std::string> reason = getString(entry, "reason", where);
      if (!reason)
        return reason.error();
      auto storage = byName.find(*value);
      if (storage == byName.end())
        return bad(where + " is about '" + *value +
                   "', which the graph does not have");
      auto recomputed = entry.find("recomputed");
      if (recomputed == entry.end() || !recomputed->is_boolean())
        return bad("field 'recomputed' of " + where + " must be true or false");
      plan.decisions.push_back(
          {storage->second, recomputed->get<bool>(), *reason});
    }
    Expected<const json *> warnings =
        getArray(document, "warnings", "the plan");
    if (!warnings)
      return warnings.error();
    for (const json &warning : **warnings) {
      if (!warning.is_string())
        return bad("field 'warnings' of the plan must be an array of strings");
      plan.warnings.push_back(warning.get<std::string>());
    }
    return Status::success();
  }

  Status readClaims() {
    auto field = document.find("claims");
    if (field == document.end())
      return bad("the plan has no field 'claims'");
    const std::string where = "'claims' of the plan";
    Claims &claims = plan.claims;
    for (auto [key, target] : {std::pair("live_peak_bytes", &claims.livePeak),
                               std::pair("recomputes", &claims.recomputes)}) {
      Expected<int64_t> value = getInteger(*field, key, where);
      if (!value)
        return value.error();
      *target = *value;
    }
    for (auto [key, target] :
         {std::pair("recompute_cost", &claims.recomputeCost),
          std::pair("recompute_flops", &claims.recomputeFlops),
          std::pair("lower_bound", &claims.lowerBound)}) {
      Expected<double> value = getNumber(*field, key, where);
      if (!value)
        return value.error();
      *target = *value;
    }
    Expected<std::string> name = getString(*field, "bound_class", where);
    if (!name)
      return name.error();
    for (int i = 0; i <= int(BoundClass::Exact); ++i)
      if (*name == toString(BoundClass(i))) {
        claims.boundClass = BoundClass(i);
        return Status::success();
      }
    return bad("unknown bound class '" + *name + "' in " + where);
  }

  const Problem &problem;
  const json &document;
  Plan plan;
};

} // namespace

std::string writePlanJson(const Problem &problem, const Plan &plan) {
  std::string out = "{\"format\":\"ringi.plan\",\"version\":1";
  appendField(out, "graph", problem.name);
  appendField(out, "fingerprint", hex(graphFingerprint(problem)));
  appendField(out, "strategy", plan.strategy);
  out += ",\n\"budget_bytes\":" + std::to_string(plan.budget);
  out += ",\n\"schedule\":[";
  for (size_t e = 0; e < plan.schedule.size(); ++e) {
    out += e ? ",\n[" : "\n[";
    appendString(out, problem.ops[plan.schedule[e].op].name);
    for (ExecutionIndex read : plan.schedule[e].reads)
      out += "," + std::to_string(read);
    out += ']';
  }
  out += "],\n\"outputs\":{";
  std::vector<StorageIndex> outputs = outputStorages(problem);
  for (size_t i = 0; i < outputs.size(); ++i) {
    out += i ? "," : "";
    appendString(out, problem.storages[outputs[i]].name);
    out += ":" + std::to_string(plan.outputs[i]);
  }
  out += "},\n\"decisions\":[";
  for (size_t i = 0; i < plan.decisions.size(); ++i) {
    const Decision &decision = plan.decisions[i];
    out += i ? ",\n{\"value\":" : "\n{\"value\":";
    appendString(out, problem.storages[decision.storage].name);
    out += decision.recomputed ? ",\"recomputed\":true,\"reason\":"
                               : ",\"recomputed\":false,\"reason\":";
    appendString(out, decision.reason);
    out += '}';
  }
  out += "],\n\"warnings\":[";
  for (size_t i = 0; i < plan.warnings.size(); ++i) {
    out += i ? "," : "";
    appendString(out, plan.warnings[i]);
  }
  const Claims &claims = plan.claims;
  out +=
      "],\n\"claims\":{\"live_peak_bytes\":" + std::to_string(claims.livePeak);
  out += ",\"recomputes\":" + std::to_string(claims.recomputes);
  for (auto [key, value] : {std::pair("recompute_cost", claims.recomputeCost),
                            std::pair("recompute_flops", claims.recomputeFlops),
                            std::pair("lower_bound", claims.lowerBound)}) {
    out += ",\"" + std::string(key) + "\":";
    appendNumber(out, value);
  }
  out += ",\"bound_class\":";
  appendString(out, toString(claims.boundClass));
  out += "}}\n";
  return out;
}

Expected<Plan> readPlanJson(const Problem &problem, std::string_view text) {
  Expected<json> document = parseJson(text);
  if (!document)
    return document.error();
  return PlanReader(problem, *document).run();
}

} // namespace ringi::planner
