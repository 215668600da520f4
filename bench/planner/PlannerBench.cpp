//===- PlannerBench.cpp - The planner beside published planners -----------===//
//
// Part of Ringi. The command line of bench_planner; bench/README.md says what
// each part measures.
//
//===----------------------------------------------------------------------===//

#include "Support.h"

#include <charconv>
#include <cstdio>
#include <string_view>

using namespace ringi::planner;

namespace {

struct Part {
  const char *name;
  bool (*run)(const BenchOptions &);
  bool readsData;
};

constexpr Part kParts[] = {{"published", benchPublished, true},
                           {"torch", benchTorch, true},
                           {"fronts", benchFronts, true},
                           {"scale", benchScale, false},
                           {"gpt2", benchGpt2, false}};

int usage() {
  std::fprintf(stderr,
               "usage: bench_planner --data DIR [--only published|torch|fronts|"
               "scale|gpt2] [--graph TEXT] [--effort N]\n");
  return 2;
}

bool isNumber(std::string_view text, double &value) {
  auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && value > 0;
}

} // namespace

int main(int argc, char **argv) {
  BenchOptions options;
  std::string only;
  for (int i = 1; i < argc; i += 2) {
    std::string_view name = argv[i];
    if (i + 1 == argc)
      return usage();
    std::string value = argv[i + 1];
    if (name == "--data")
      options.data = value;
    else if (name == "--only")
      only = value;
    else if (name == "--graph")
      options.graph = value;
    else if (name != "--effort" || !isNumber(value, options.effort))
      return usage();
  }
  bool any = false;
  for (const Part &part : kParts) {
    if (!only.empty() && only != part.name)
      continue;
    any = true;
    if (part.readsData && options.data.empty())
      return usage();
    if (!part.run(options))
      return 2;
  }
  return any ? 0 : usage();
}
