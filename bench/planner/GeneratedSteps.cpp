//===- GeneratedSteps.cpp - Steps of up to a million ops ------------------===//
//
// Part of Ringi. Time, memory, cost and bound of GPT-like steps at 60 and 30 %
// of the peak of keeping everything.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "ringi/Planner/Generators.h"

#include <cstdio>

namespace ringi::planner {

bool benchScale(const BenchOptions &options) {
  printHeader("Generated GPT-like steps", "ops, budget");
  for (int64_t ops : {10'000, 100'000, 1'000'000}) {
    if (!options.wants(std::to_string(ops)))
      continue;
    Problem problem = makeGptStep(gptOptionsForOps(ops));
    int64_t peak = makeKeepAllPlan(problem).claims.livePeak;
    for (int percent : {60, 30})
      printRow(problem,
               std::to_string(problem.ops.size()) + " at " +
                   std::to_string(percent) + " %",
               int64_t(double(peak) * percent / 100), Order::Fixed, "-",
               options);
    std::printf("| memory of the process so far | %.0f MiB | | | | |\n",
                peakMebibytes());
  }
  return true;
}

} // namespace ringi::planner
