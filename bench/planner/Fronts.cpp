//===- Fronts.cpp - Forty budgets on every graph --------------------------===//
//
// Part of Ringi. From the minimum budget to the peak of keeping everything:
// how often the cost rises with the budget or a peak exceeds it (never), and
// the cost at both ends.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "ringi/Planner/Pareto.h"

#include <algorithm>
#include <cstdio>

namespace ringi::planner {

bool benchFronts(const BenchOptions &bench) {
  std::vector<std::filesystem::path> files;
  for (const char *folder : {"remat/moccasin", "torch"})
    for (const auto &entry :
         std::filesystem::directory_iterator(bench.data / folder))
      if ((entry.path().extension() == ".json" ||
           entry.path().extension() == ".xz") &&
          bench.wants(entry.path().filename().string()))
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::printf("\n## Forty budgets per graph, effort %g\n\n"
              "| graph, order | least budget in %% of keep-all | extra cost %% "
              "there | at half way | cost rises | peak above budget | CPU s |\n"
              "|---|---|---|---|---|---|---|\n",
              bench.effort);
  for (const std::filesystem::path &file : files) {
    Expected<Problem> problem = loadGraph(file);
    if (!problem) {
      std::fprintf(stderr, "%s\n", problem.error().message.c_str());
      return false;
    }
    const double onePercent = problem->totalCost() / 100;
    const double peak = double(makeKeepAllPlan(*problem).claims.livePeak);
    for (Order order : {Order::Fixed, Order::Free}) {
      StrategyOptions options;
      options.strategy = Strategy::MemoryBudget;
      options.order = order;
      options.effort = bench.effort;
      double start = cpuSeconds();
      Expected<std::vector<Plan>> front = planPareto(*problem, options, 40);
      double seconds = cpuSeconds() - start;
      if (!front) {
        std::fprintf(stderr, "%s: %s\n", file.c_str(),
                     front.error().message.c_str());
        return false;
      }
      int rises = 0, above = 0;
      for (size_t i = 0; i < front->size(); ++i) {
        const Claims &claims = (*front)[i].claims;
        above += claims.livePeak > (*front)[i].budget;
        rises += i > 0 &&
                 claims.recomputeCost > (*front)[i - 1].claims.recomputeCost;
      }
      std::printf("| %s %s | %.1f | %.2f | %.2f | %d | %d | %.1f |\n",
                  file.stem().stem().c_str(),
                  order == Order::Fixed ? "fixed" : "free",
                  100 * double(front->front().budget) / peak,
                  front->front().claims.recomputeCost / onePercent,
                  (*front)[front->size() / 2].claims.recomputeCost / onePercent,
                  rises, above, seconds);
      std::fflush(stdout);
    }
  }
  return true;
}

} // namespace ringi::planner
