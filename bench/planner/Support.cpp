//===- Support.cpp - What the parts of bench_planner share ----------------===//
//
// Part of Ringi. See Support.h.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "ringi/Planner/GraphFile.h"
#include "ringi/Planner/MemoryBudget.h"

#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sys/resource.h>
#include <unistd.h>

namespace ringi::planner {

double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

double peakMebibytes() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return double(usage.ru_maxrss) / 1024;
}

Expected<Problem> loadGraph(const std::filesystem::path &path) {
  if (path.extension() != ".xz")
    return readGraphFile(path.string());
  char name[] = "/tmp/ringi-bench-XXXXXX";
  int handle = mkstemp(name);
  if (handle < 0)
    return Error::badInput("no temporary file can be made");
  std::string command =
      "xz -dc '" + path.string() + "' > '" + std::string(name) + "'";
  int status = std::system(command.c_str());
  Expected<Problem> problem =
      status == 0 ? readGraphFile(name)
                  : Expected<Problem>(Error::badInput("'" + path.string() +
                                                      "' cannot be unpacked"));
  std::filesystem::remove(name);
  return problem;
}

void printHeader(const char *title, const char *what) {
  std::printf("\n## %s\n\n| %s | extra cost %% | bound %% | class | published "
              "%% | CPU s |\n|---|---|---|---|---|---|\n",
              title, what);
}

void printRow(const Problem &problem, const std::string &label, int64_t budget,
              Order order, const std::string &published,
              const BenchOptions &bench) {
  StrategyOptions options;
  options.effort = bench.effort;
  options.strategy = Strategy::MemoryBudget;
  options.budget = budget;
  options.order = order;
  double start = cpuSeconds();
  Expected<Plan> plan = planMemoryBudget(problem, options);
  double seconds = cpuSeconds() - start;
  if (!plan) {
    std::printf("| %s | - | - | - | %s | %.2f |\n", label.c_str(),
                published.c_str(), seconds);
    return;
  }
  double total = problem.totalCost() / 100;
  std::printf("| %s | %.4f | %.4f | %s | %s | %.2f |\n", label.c_str(),
              plan->claims.recomputeCost / total,
              plan->claims.lowerBound / total,
              toString(plan->claims.boundClass), published.c_str(), seconds);
  std::fflush(stdout);
}

} // namespace ringi::planner
