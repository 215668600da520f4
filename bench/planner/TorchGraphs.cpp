//===- TorchGraphs.cpp - PyTorch's joint graphs ---------------------------===//
//
// Part of Ringi. At each peak that PyTorch's partitioner reaches, and below its
// least.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cstdio>
#include <vector>

namespace ringi::planner {

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

bool benchTorch(const BenchOptions &options) {
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
    if (!options.wants(graph.name))
      continue;
    Expected<Problem> problem = loadGraph(
        options.data / "torch" / (std::string(graph.name) + ".json.xz"));
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
               point.peak, Order::Fixed, published, options);
    }
  }
  return true;
}

} // namespace ringi::planner
