//===- ringi-c/Planner.h - Planning and packing from C ------------*- C -*-===//
//
// Part of Ringi. Problems come as graph JSON (docs/graph-json.md), plans go as
// plan JSON; bytes are aligned bytes, costs are in the graph's own unit.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_C_PLANNER_H
#define RINGI_C_PLANNER_H

#include "ringi-c/Common.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct RingiProblem RingiProblem;
typedef struct RingiPlan RingiPlan;

/// Reads a graph file: Ringi's JSON, a networkx node-link file or a PyTorch
/// joint-graph dump.
RINGI_C_API RingiStatus ringiProblemReadFile(const char *path,
                                             RingiProblem **problem);
/// The same from `length` bytes of text.
RINGI_C_API RingiStatus ringiProblemParse(const char *text, size_t length,
                                          RingiProblem **problem);
RINGI_C_API void ringiProblemDestroy(RingiProblem *problem);

RINGI_C_API size_t ringiProblemOpCount(const RingiProblem *problem);
/// The live peak, in bytes, of the plan that recomputes nothing.
RINGI_C_API int64_t ringiProblemKeepAllPeak(const RingiProblem *problem);

/// What ringi-plan takes on its command line.
typedef struct RingiPlanOptions {
  const char *strategy; ///< "memory-budget", "selective", ...
  const char *budget;   ///< "8GiB", "1234", "60%"; memory-budget only
  int keepWeightGemm;   ///< selective: keep=weight-gemm
  int32_t segments;     ///< sqrt: number of segments; 0: automatic
  int freeOrder;        ///< 0: first executions keep the given order
  double effort;        ///< search moves, in multiples of the default
  uint64_t seed;
} RingiPlanOptions;

/// Strategy "none", given order, effort 1, seed 0.
RINGI_C_API void ringiPlanOptionsInit(RingiPlanOptions *options);

/// Plans; the result has passed the independent verifier.
RINGI_C_API RingiStatus ringiPlanCreate(const RingiProblem *problem,
                                        const RingiPlanOptions *options,
                                        RingiPlan **plan);
/// Reads plan JSON made for this problem. Verify it before you trust it.
RINGI_C_API RingiStatus ringiPlanParse(const RingiProblem *problem,
                                       const char *text, size_t length,
                                       RingiPlan **plan);
RINGI_C_API void ringiPlanDestroy(RingiPlan *plan);

/// Simulates the plan anew, sharing no code with the planner.
RINGI_C_API RingiStatus ringiPlanVerify(const RingiProblem *problem,
                                        const RingiPlan *plan);
/// Plan JSON; free it with ringiTextDestroy().
RINGI_C_API RingiStatus ringiPlanWrite(const RingiProblem *problem,
                                       const RingiPlan *plan, char **text);

typedef struct RingiPlanNumbers {
  int64_t budget;   ///< bytes; 0: the strategy has none
  int64_t livePeak; ///< bytes
  int64_t recomputes;
  double recomputeCost;
  double lowerBound;      ///< proven bound on recomputeCost
  const char *boundClass; ///< "none", "exact", ...; never freed
} RingiPlanNumbers;

RINGI_C_API RingiPlanNumbers ringiPlanNumbers(const RingiPlan *plan);

/// Executions, clones included, in order.
RINGI_C_API size_t ringiPlanLength(const RingiPlan *plan);
/// The op (index into the graph's ops) that execution `index` runs; -1 when
/// there is no such execution.
RINGI_C_API int32_t ringiPlanOp(const RingiPlan *plan, size_t index);

/// Packs `count` buffers that live over [lower, upper) into an arena. Writes
/// `count` offsets, and height and lower bound unless NULL. \param effort
/// search nodes after the heuristics; 0: heuristics only.
RINGI_C_API RingiStatus ringiPack(size_t count, const int64_t *lower,
                                  const int64_t *upper, const int64_t *bytes,
                                  int64_t alignment, int64_t effort,
                                  int64_t *offsets, int64_t *height,
                                  int64_t *lowerBound);

#ifdef __cplusplus
}
#endif

#endif // RINGI_C_PLANNER_H
