//===- KeepPolicy.cpp - From a keep policy to a reported plan -------------===//
//
// Part of Ringi. What all named strategies share: marks, the check that
// something is freed at all, decisions with reasons, and the verifier's word.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/KeepPolicy.h"

#include "ringi/Planner/KeepSet.h"
#include "ringi/Planner/Verifier.h"

namespace ringi::planner {

namespace {

/// Drops nothing in groups whose dropped results hold no bytes: replaying them
/// would free nothing.
KeepPolicy withoutEmptyGroups(const Problem &problem, KeepPolicy policy) {
  auto groupOf = [&](StorageIndex s) {
    return policy.group.empty() ? kNone : policy.group[s];
  };
  std::vector<int64_t> bytes;
  for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
    int32_t g = groupOf(s);
    if (policy.keep[s] || g == kNone)
      continue;
    if (size_t(g) >= bytes.size())
      bytes.resize(g + 1, 0);
    bytes[g] += problem.storages[s].bytes;
  }
  for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
    int32_t g = groupOf(s);
    if (policy.keep[s] ||
        (g == kNone ? problem.storages[s].bytes : bytes[g]) > 0)
      continue;
    policy.keep[s] = true;
    policy.reason[s] = "recomputing it would free 0 bytes";
  }
  return policy;
}

/// One decision for every forward result that the backward phase reads.
void fillDecisions(const Problem &problem, const KeepPolicy &policy,
                   Plan &plan) {
  std::vector<bool> backward = findBackwardExecutions(problem, plan);
  std::vector<bool> clone = findClones(problem, plan);
  enum Fate : uint8_t { Unread, Kept, Recomputed };
  std::vector<Fate> fate(problem.storages.size(), Unread);
  for (size_t e = 0; e < plan.schedule.size(); ++e) {
    if (!backward[e])
      continue;
    const Execution &execution = plan.schedule[e];
    const std::vector<StorageIndex> &inputs = problem.ops[execution.op].inputs;
    for (size_t i = 0; i < inputs.size(); ++i) {
      OpIndex producer = problem.storages[inputs[i]].producer;
      if (producer == kNone || problem.ops[producer].phase != Phase::Forward)
        continue;
      if (clone[execution.reads[i]])
        fate[inputs[i]] = Recomputed;
      else if (fate[inputs[i]] == Unread)
        fate[inputs[i]] = Kept;
    }
  }
  for (StorageIndex s = 0; s < StorageIndex(problem.storages.size()); ++s) {
    if (fate[s] == Unread)
      continue;
    const Storage &storage = problem.storages[s];
    bool recomputed = fate[s] == Recomputed;
    const char *reason = policy.reason[s];
    if (storage.mark == Mark::MustKeep)
      reason = "marked must-keep";
    else if (storage.mark == Mark::MustRecompute)
      reason = "marked must-recompute";
    else if (!recomputed && !problem.ops[storage.producer].recomputable)
      reason = "its op may not run again";
    else if (!recomputed && !policy.keep[s])
      reason = "what its replay reads is overwritten or kept by a mark";
    plan.decisions.push_back({s, recomputed, reason});
  }
}

} // namespace

bool hasMarks(const Problem &problem) {
  for (const Storage &storage : problem.storages)
    if (storage.mark != Mark::None)
      return true;
  return false;
}

Expected<Plan> planFromPolicy(const Problem &problem, const KeepPolicy &given,
                              Strategy strategy, int64_t budget) {
  const std::string name = std::string("strategy '") + toString(strategy) + "'";
  KeepPolicy policy = withoutEmptyGroups(problem, given);
  Plan plan = expandKeepSet(problem, policy.keep, policy.group);
  Plan plain = expandKeepSet(problem, keepAll(problem).keep);
  bool frees = plan.claims.livePeak < plain.claims.livePeak ||
               savedActivationBytes(problem, plan) <
                   savedActivationBytes(problem, plain);
  bool asked = strategy != Strategy::None && strategy != Strategy::Manual;
  std::vector<std::string> warnings;
  if (asked && !frees) {
    if (plan.claims.recomputes > plain.claims.recomputes)
      for (const char *&reason : policy.reason)
        reason = "recomputing would free nothing";
    policy.keep.assign(problem.storages.size(), true);
    plan = std::move(plain);
    warnings.push_back(name + " frees 0 bytes here; no recompute is inserted");
  } else if (strategy == Strategy::Manual && !hasMarks(problem)) {
    warnings.push_back(name + " finds no marks; everything is kept");
  }
  plan.strategy = toString(strategy);
  plan.warnings = std::move(warnings);
  fillDecisions(problem, policy, plan);
  if (Expected<VerifiedPlan> verified = verifyPlan(problem, plan); !verified)
    return Error{"conflict: " + verified.error().message + "; change the marks",
                 Error::Kind::Refused};
  plan.budget = budget;
  if (budget > 0 && plan.claims.livePeak > budget)
    return Error::refused(
        (hasMarks(problem) ? "conflict: " + name + " with its marks" : name) +
        " has a live peak of " + std::to_string(plan.claims.livePeak) +
        " bytes but the budget is " + std::to_string(budget) + ", " +
        std::to_string(plan.claims.livePeak - budget) +
        " bytes are missing; raise the budget or use memory-budget");
  return plan;
}

} // namespace ringi::planner
