//===- Strategies.h - Every strategy a user can name ------------*- C++ -*-===//
//
// Part of Ringi. One entry point from a strategy's name to a plan: none,
// every-block, sqrt, selective, recompute-all, manual and memory-budget.
// docs/strategies.md compares them.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_PLANNER_STRATEGIES_H
#define RINGI_PLANNER_STRATEGIES_H

#include "ringi/Planner/Plan.h"

#include <atomic>
#include <functional>
#include <string_view>

namespace ringi::planner {

enum class Strategy : uint8_t {
  None,
  EveryBlock,
  Sqrt,
  Selective,
  RecomputeAll,
  Manual,
  MemoryBudget
};

/// Whether first executions keep the order of Problem::ops.
enum class Order : uint8_t { Fixed, Free };

/// What `selective` keeps.
enum class SelectiveKeep : uint8_t {
  /// Results of GEMM, attention and convolution ops.
  Gemm,
  /// Results of GEMMs that read a parameter, of attention and convolution, and
  /// of the context product (a GEMM without a
  /// parameter operand that derives from another such GEMM through other ops).
  /// Quadratic scores are recomputed.
  WeightGemm
};

struct StrategyOptions {
  Strategy strategy = Strategy::None;
  SelectiveKeep keep = SelectiveKeep::Gemm;
  /// Number of segments for sqrt; 0 chooses about the square root of the number
  /// of blocks.
  int32_t segments = 0;
  /// Bytes of live peak for memory-budget. "60%" and "auto" are resolved by
  /// parseBudget before.
  int64_t budget = 0;
  Order order = Order::Fixed;
  /// Local-search moves allowed, in multiples of the default; counted in moves,
  /// never in seconds.
  double effort = 1.0;
  uint64_t seed = 0;
  /// When it becomes true, searches end with the best plan so far.
  const std::atomic<bool> *stop = nullptr;
  /// Told what a long search is at, a short phrase each time; may be empty.
  std::function<void(const std::string &)> progress;
};

/// "memory-budget" and so on; an error lists the accepted names.
Expected<Strategy> parseStrategy(std::string_view text);
const char *toString(Strategy strategy);

/// "8GiB", "500MB", "1234", "60%" (of keepAllPeak) or "auto" (deviceBytes less
/// 5 %, an error when it is 0).
Expected<int64_t> parseBudget(std::string_view text, int64_t keepAllPeak,
                              int64_t deviceBytes);

/// Plans `problem` under a named strategy. Marks bind every strategy: honoured
/// exactly, or a Refused error that says how many bytes are missing.
/// memory-budget answers with a plan whose live peak is at most the budget, or
/// a Refused error that gives the minimum feasible budget and the storages that
/// force it. The result has its claims filled and passes verifyPlan. A strategy
/// that would free nothing inserts no recompute and says so in its decisions.
Expected<Plan> planStrategy(const Problem &problem,
                            const StrategyOptions &options);

} // namespace ringi::planner

#endif // RINGI_PLANNER_STRATEGIES_H
