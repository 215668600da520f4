//===- plan-file.c - Plans a graph file through the C API -------*- C -*-===//
//
// Part of Ringi. A C program of somebody else: reads a graph, plans it within a
// share of its keep-all peak, and checks the plan.
//
//===----------------------------------------------------------------------===//

#include "ringi-c/Planner.h"
#include "ringi-c/Runtime.h"

#include <stdio.h>

int main(int argc, char **argv) {
  RingiProblem *problem = NULL;
  RingiPlan *plan = NULL;
  RingiPlanOptions options;
  RingiStatus status = RINGI_BAD_INPUT;
  if (argc != 3) {
    fprintf(stderr, "usage: plan-file GRAPH BUDGET\n");
    return RINGI_BAD_INPUT;
  }
  ringiPlanOptionsInit(&options);
  options.strategy = "memory-budget";
  options.budget = argv[2];
  status = ringiProblemReadFile(argv[1], &problem);
  if (status == RINGI_OK)
    status = ringiPlanCreate(problem, &options, &plan);
  if (status == RINGI_OK)
    status = ringiPlanVerify(problem, plan);
  if (status == RINGI_OK)
    printf("live peak %lld of %lld, %lld recomputes\n",
           (long long)ringiPlanNumbers(plan).livePeak,
           (long long)ringiProblemKeepAllPeak(problem),
           (long long)ringiPlanNumbers(plan).recomputes);
  else
    fprintf(stderr, "error: %s\n", ringiLastError());
  ringiPlanDestroy(plan);
  ringiProblemDestroy(problem);
  return status;
}
