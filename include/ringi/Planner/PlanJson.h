//===- PlanJson.h - Plans as files ------------------------------*- C++ -*-===//
//
// Part of Ringi. Reads and writes plans as JSON, so that a plan can be
// reviewed, kept and checked against its graph later; docs/graph-json.md
// documents the fields.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_PLANJSON_H
#define RINGI_PLANNER_PLANJSON_H

#include "ringi/Planner/Plan.h"

#include <string_view>

namespace ringi::planner {

/// Writes `plan` of `problem`.
std::string writePlanJson(const Problem &problem, const Plan &plan);

/// Reads a plan for `problem`. What the plan claims is read as it stands; call
/// verifyPlan before believing it.
///
/// \returns an error for bad JSON, unknown or missing fields, and a plan whose
/// graph fingerprint is not the problem's.
Expected<Plan> readPlanJson(const Problem &problem, std::string_view text);

} // namespace ringi::planner

#endif // RINGI_PLANNER_PLANJSON_H
