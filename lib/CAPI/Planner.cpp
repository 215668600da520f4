//===- Planner.cpp - Planning and packing from C ----------------*- C++ -*-===//
//
// Part of Ringi. Thin: every decision is the C++ library's.
//
//===----------------------------------------------------------------------===//

#include "ringi-c/Planner.h"

#include "Errors.h"
#include "ringi/Planner/GraphFile.h"
#include "ringi/Planner/Packing.h"
#include "ringi/Planner/PlanJson.h"
#include "ringi/Planner/Strategies.h"
#include "ringi/Planner/Verifier.h"

using namespace ringi;
using namespace ringi::capi;
using namespace ringi::planner;

struct RingiProblem {
  Problem problem;
  int64_t keepAllPeak;
};

struct RingiPlan {
  Plan plan;
};

static RingiStatus take(Expected<Problem> read, RingiProblem **problem) {
  if (!read)
    return fail(read.error());
  if (Status status = read->check(); !status)
    return fail(status.error());
  int64_t peak = makeKeepAllPlan(*read).claims.livePeak;
  *problem = new RingiProblem{std::move(*read), peak};
  return RINGI_OK;
}

static RingiStatus take(Expected<Plan> made, RingiPlan **plan) {
  if (!made)
    return fail(made.error());
  *plan = new RingiPlan{std::move(*made)};
  return RINGI_OK;
}

RingiStatus ringiProblemReadFile(const char *path, RingiProblem **problem) {
  if (!path || !problem)
    return failNull(path ? "problem" : "path");
  return guarded([&] { return take(readGraphFile(path), problem); });
}

RingiStatus ringiProblemParse(const char *text, size_t length,
                              RingiProblem **problem) {
  if (!text || !problem)
    return failNull(text ? "problem" : "text");
  return guarded([&] { return take(readGraph({text, length}), problem); });
}

void ringiProblemDestroy(RingiProblem *problem) { delete problem; }

size_t ringiProblemOpCount(const RingiProblem *problem) {
  return problem->problem.ops.size();
}

int64_t ringiProblemKeepAllPeak(const RingiProblem *problem) {
  return problem->keepAllPeak;
}

void ringiPlanOptionsInit(RingiPlanOptions *options) {
  *options = {"none", nullptr, 0, 0, 0, 1.0, 0};
}

static Expected<StrategyOptions> readOptions(const RingiProblem &problem,
                                             const RingiPlanOptions &given) {
  StrategyOptions options;
  Expected<Strategy> strategy =
      parseStrategy(given.strategy ? given.strategy : "");
  if (!strategy)
    return strategy.error();
  options.strategy = *strategy;
  if (options.strategy == Strategy::MemoryBudget) {
    Expected<int64_t> budget =
        parseBudget(given.budget ? given.budget : "", problem.keepAllPeak, 0);
    if (!budget)
      return budget.error();
    options.budget = *budget;
  }
  if (!(given.effort >= 0 && given.effort <= 1e6) || given.segments < 0)
    return Error::badInput("effort " + std::to_string(given.effort) +
                           " and segments " + std::to_string(given.segments) +
                           " must not be negative, and effort at most 1e6");
  options.keep =
      given.keepWeightGemm ? SelectiveKeep::WeightGemm : SelectiveKeep::Gemm;
  options.segments = given.segments;
  options.order = given.freeOrder ? Order::Free : Order::Fixed;
  options.effort = given.effort;
  options.seed = given.seed;
  return options;
}

RingiStatus ringiPlanCreate(const RingiProblem *problem,
                            const RingiPlanOptions *options, RingiPlan **plan) {
  if (!problem || !options || !plan)
    return failNull(!problem ? "problem" : !options ? "options" : "plan");
  return guarded([&] {
    Expected<StrategyOptions> ask = readOptions(*problem, *options);
    if (!ask)
      return fail(ask.error());
    return take(planStrategy(problem->problem, *ask), plan);
  });
}

RingiStatus ringiPlanParse(const RingiProblem *problem, const char *text,
                           size_t length, RingiPlan **plan) {
  if (!problem || !text || !plan)
    return failNull(!problem ? "problem" : !text ? "text" : "plan");
  return guarded([&] {
    return take(readPlanJson(problem->problem, {text, length}), plan);
  });
}

void ringiPlanDestroy(RingiPlan *plan) { delete plan; }

RingiStatus ringiPlanVerify(const RingiProblem *problem,
                            const RingiPlan *plan) {
  if (!problem || !plan)
    return failNull(problem ? "plan" : "problem");
  return guarded([&] {
    Expected<VerifiedPlan> verified = verifyPlan(problem->problem, plan->plan);
    return verified ? RINGI_OK : fail(verified.error());
  });
}

RingiStatus ringiPlanWrite(const RingiProblem *problem, const RingiPlan *plan,
                           char **text) {
  if (!problem || !plan || !text)
    return failNull(!problem ? "problem" : !plan ? "plan" : "text");
  return guarded([&] {
    *text = copyText(writePlanJson(problem->problem, plan->plan));
    return RINGI_OK;
  });
}

RingiPlanNumbers ringiPlanNumbers(const RingiPlan *plan) {
  const Claims &claims = plan->plan.claims;
  return {plan->plan.budget,    claims.livePeak,   claims.recomputes,
          claims.recomputeCost, claims.lowerBound, toString(claims.boundClass)};
}

size_t ringiPlanLength(const RingiPlan *plan) {
  return plan->plan.schedule.size();
}

int32_t ringiPlanOp(const RingiPlan *plan, size_t index) {
  return index < plan->plan.schedule.size() ? plan->plan.schedule[index].op
                                            : -1;
}

RingiStatus ringiPack(size_t count, const int64_t *lower, const int64_t *upper,
                      const int64_t *bytes, int64_t alignment, int64_t effort,
                      int64_t *offsets, int64_t *height, int64_t *lowerBound) {
  if (count > 0 && (!lower || !upper || !bytes || !offsets))
    return failNull(!lower   ? "lower"
                    : !upper ? "upper"
                    : !bytes ? "bytes"
                             : "offsets");
  return guarded([&] {
    std::vector<PackItem> items(count);
    for (size_t i = 0; i < count; ++i)
      items[i] = {lower[i], upper[i], bytes[i]};
    PackOptions options;
    options.effort = effort;
    options.alignment = alignment;
    Expected<PackResult> packed = pack(items, options);
    if (!packed)
      return fail(packed.error());
    std::copy(packed->offsets.begin(), packed->offsets.end(), offsets);
    if (height)
      *height = packed->height;
    if (lowerBound)
      *lowerBound = packed->lowerBound;
    return RINGI_OK;
  });
}
