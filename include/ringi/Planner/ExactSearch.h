//===- ExactSearch.h - The optimum of small graphs --------------*- C++ -*-===//
//
// Part of Ringi. Exhaustive search over what may be in memory: the least
// recompute cost at a budget, and the least budget, for graphs of up to a few
// tens of ops. It is the oracle that every other planner is tested against.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_EXACTSEARCH_H
#define RINGI_PLANNER_EXACTSEARCH_H

#include "ringi/Planner/Strategies.h"

namespace ringi::planner {

struct ExactOptions {
  /// Fixed: first executions keep the given order. Free: any legal order.
  Order order = Order::Fixed;
  /// States taken off the queue before the search gives up.
  int64_t stateLimit = 2'000'000;
};

/// What the search established. LimitReached says nothing about the optimum.
struct ExactResult {
  enum class Outcome { Optimal, Infeasible, LimitReached };
  Outcome outcome = Outcome::Infeasible;
  /// Least recompute cost, and a plan that has it with its claims filled (bound
  /// class Exact); both only when Optimal. Among plans of equal cost it is one
  /// with the fewest recomputes.
  double cost = 0;
  Plan plan;
  /// States taken off the queue.
  int64_t states = 0;
};

/// Finds the least recompute cost of any plan whose live peak is at most
/// `budget` bytes.
///
/// Uniform-cost search; a state is the set of storages in memory and the set of
/// ops that ran. It loses nothing against plans with several copies of a
/// storage alive at once: reads of the older copy can go to the newer one, and
/// the older one dies earlier. A state is dropped when another of equal
/// progress and no more cost holds a superset. Marks, workspace, in-place
/// pairs, ordered and non-recomputable ops and outputs are honoured as the
/// verifier defines them.
///
/// \returns an error for more than 64 ops or storages, and for a required
/// in-place pair over a recomputable result (there two copies may be worth
/// having).
Expected<ExactResult> searchExact(const Problem &problem, int64_t budget,
                                  const ExactOptions &options = {});

/// The least budget for which a plan exists, by bisection over the same search
/// with recomputes for free.
///
/// \returns an error as searchExact does, and when the state limit is reached.
Expected<int64_t> findMinimumBudget(const Problem &problem,
                                    const ExactOptions &options = {});

} // namespace ringi::planner

#endif // RINGI_PLANNER_EXACTSEARCH_H
