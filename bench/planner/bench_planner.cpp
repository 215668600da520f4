//===- bench_planner.cpp - The planner beside published planners ----------===//
//
// Part of Ringi. Prints, for graphs of a data folder given by --data, the cost
// and proven bound of memory-budget beside the published figures, the same for
// PyTorch's joint graphs at the peaks its partitioner reaches, generated steps
// of up to a million ops, fronts of forty budgets, and GPT-2 shapes beside
// named strategies and other tools' rules. CPU seconds of one core.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include "ringi/Planner/Generators.h"
#include "ringi/Planner/MemoryBudget.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace ringi::planner {

namespace {

void printRow(const Problem &problem, const std::string &label, int64_t budget,
              Order order, const std::string &published) {
  StrategyOptions options;
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

struct PublishedGraph {
  const char *name, *file;
  /// Best published extra cost at 90, 80 and 70 %, and its seconds.
  const char *figures[3];
  bool freeOrder;
};

constexpr PublishedGraph kPublished[] = {
    {"CM1",
     "fcn_8_vgg_32_416_608_3_train_nx.json",
     {"0.0 / 3.1 s (Moccasin)", "0.1 / 3.1 s (Moccasin)",
      "3.0 / 9.7 s (FastSA)"},
     false},
    {"CM2",
     "ResNet50_256_224_224_3_train_nx.json",
     {"0.1 / 434 s (Checkmate)", "0.3 / 69 s (Moccasin)",
      "0.8 / 11.0 s (FastSA)"},
     false},
    {"RLG1",
     "random_layered_n100_w0.27_nlv0.75_ed0.2_scd0.14.json",
     {"0.0 / 11.7 s (FastSA)", "0.3 / 11.5 s (FastSA)",
      "2.2 / 12.0 s (FastSA)"},
     true},
    {"RLG2",
     "random_layered_n250_w0.43_nlv0.75_ed0.2_scd0.14.json",
     {"0.0 / 15.1 s (FastSA)", "0.0 / 15.0 s (FastSA)",
      "2.6 / 14.5 s (FastSA)"},
     true},
    {"RLG3",
     "random_layered_n500_w0.36_nlv0.75_ed0.2_scd0.14.json",
     {"0.03 / 21.0 s (FastSA)", "2.3 / 20.9 s (FastSA)",
      "4.8, missed (FastSA)"},
     true},
    {"RLG4",
     "random_layered_n1000_w0.31_nlv0.75_ed0.2_scd0.14.json",
     {"0.4 / 36.0 s (FastSA)", "2.5 / 36.3 s (FastSA)",
      "7.4 / 36.5 s (FastSA)"},
     true}};

void printHeader(const char *title, const char *what) {
  std::printf("\n## %s\n\n| %s | extra cost %% | bound %% | class | published "
              "%% | CPU s |\n|---|---|---|---|---|---|\n",
              title, what);
}

} // namespace

bool benchPublished(const std::filesystem::path &data) {
  printHeader("Published graphs", "graph, budget, order");
  for (const PublishedGraph &graph : kPublished) {
    Expected<Problem> problem =
        loadGraph(data / "remat" / "moccasin" / graph.file);
    if (!problem) {
      std::fprintf(stderr, "%s\n", problem.error().message.c_str());
      return false;
    }
    int64_t peak = makeKeepAllPlan(*problem).claims.livePeak;
    for (int i = 0; i < 3; ++i) {
      int percent = 90 - 10 * i;
      printRow(*problem,
               std::string(graph.name) + " " + std::to_string(percent) +
                   (graph.freeOrder ? " free" : " fixed"),
               int64_t(double(peak) * percent / 100),
               graph.freeOrder ? Order::Free : Order::Fixed, graph.figures[i]);
    }
  }
  return true;
}

namespace {
struct TorchPoint {
  int64_t peak;
  double extra;
};
struct TorchGraph {
  const char *name;
  std::vector<TorchPoint> points;
};

} // namespace

bool benchTorch(const std::filesystem::path &data) {
  printHeader("PyTorch's partitioner, order fixed",
              "graph, live peak of PyTorch's plan");
  const TorchGraph graphs[] = {
      {"gpt2_124m",
       {{4457185280, 0.0392},
        {4342693888, 0.2396},
        {4040704000, 0.8189},
        {3738714112, 1.3981},
        {3436724224, 1.9773},
        {3210231808, 2.9127},
        {2920824832, 9.2311},
        {2637709312, 15.41},
        {2516582400, -1},
        {2306867200, -1}}},
      {"deepnet20_b4096",
       {{1962938368, 0.0163},
        {1862316032, 2.5339},
        {1661071360, 6.7301},
        {1409515520, 10.0866},
        {1208270848, 14.2828},
        {1090523136, 19.3182},
        {838860800, -1}}},
      {"resnet18", {{717867684, 0.016}, {636485632, -1}, {556793856, -1}}}};
  for (const TorchGraph &graph : graphs) {
    Expected<Problem> problem =
        loadGraph(data / "torch" / (std::string(graph.name) + ".json.xz"));
    if (!problem) {
      std::fprintf(stderr, "%s\n", problem.error().message.c_str());
      return false;
    }
    for (const TorchPoint &point : graph.points) {
      char published[32] = "none";
      if (point.extra >= 0)
        std::snprintf(published, sizeof published, "%.4f", point.extra);
      printRow(*problem,
               std::string(graph.name) + " " + std::to_string(point.peak),
               point.peak, Order::Fixed, published);
    }
  }
  return true;
}

void benchScale() {
  printHeader("Generated GPT-like steps", "ops, budget");
  for (int64_t ops : {10'000, 100'000, 1'000'000}) {
    Problem problem = makeGptStep(gptOptionsForOps(ops));
    int64_t peak = makeKeepAllPlan(problem).claims.livePeak;
    for (int percent : {60, 30})
      printRow(problem,
               std::to_string(problem.ops.size()) + " at " +
                   std::to_string(percent) + " %",
               int64_t(double(peak) * percent / 100), Order::Fixed, "-");
    std::printf("| memory of the process so far | %.0f MiB | | | | |\n",
                peakMebibytes());
  }
}

} // namespace ringi::planner

using namespace ringi::planner;

int main(int argc, char **argv) {
  std::filesystem::path data;
  std::string only;
  double effort = 1;
  for (int i = 1; i + 1 < argc; i += 2) {
    if (!std::strcmp(argv[i], "--data"))
      data = argv[i + 1];
    else if (!std::strcmp(argv[i], "--only"))
      only = argv[i + 1];
    else if (!std::strcmp(argv[i], "--effort"))
      effort = std::atof(argv[i + 1]);
  }
  auto wanted = [&](const char *part) { return only.empty() || only == part; };
  if (data.empty() &&
      (wanted("published") || wanted("torch") || wanted("fronts"))) {
    std::fprintf(stderr, "usage: bench_planner --data DIR [--only "
                         "published|torch|fronts|scale|gpt2] [--effort N]\n");
    return 2;
  }
  if (wanted("published") && !benchPublished(data))
    return 2;
  if (wanted("torch") && !benchTorch(data))
    return 2;
  if (wanted("fronts") && !benchFronts(data, effort))
    return 2;
  if (wanted("scale"))
    benchScale();
  if (wanted("gpt2"))
    benchGpt2();
  return 0;
}
