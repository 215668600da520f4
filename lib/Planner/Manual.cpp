//===- Manual.cpp - Keep everything but what is marked --------------------===//
//
// Part of Ringi. Strategies `none` and `manual`: no opinion of their own, so
// that only the user's marks decide.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/KeepPolicy.h"

namespace ringi::planner {

KeepPolicy keepAll(const Problem &problem) {
  KeepPolicy policy;
  policy.keep.assign(problem.storages.size(), true);
  policy.reason.assign(problem.storages.size(), "not marked");
  return policy;
}

} // namespace ringi::planner
