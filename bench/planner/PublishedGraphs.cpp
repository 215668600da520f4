//===- PublishedGraphs.cpp - The graphs of published planners -------------===//
//
// Part of Ringi. Checkmate graphs and random layered graphs at 90, 80 and 70 %
// of the peak of keeping everything, beside the best published figure.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <cstdio>

namespace ringi::planner {

namespace {

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

} // namespace

bool benchPublished(const BenchOptions &options) {
  printHeader("Published graphs", "graph, budget, order");
  for (const PublishedGraph &graph : kPublished) {
    if (!options.wants(graph.name))
      continue;
    Expected<Problem> problem =
        loadGraph(options.data / "remat" / "moccasin" / graph.file);
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
               graph.freeOrder ? Order::Free : Order::Fixed, graph.figures[i],
               options);
    }
  }
  return true;
}

} // namespace ringi::planner
