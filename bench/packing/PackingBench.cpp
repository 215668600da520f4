//===- BenchPacking.cpp - Packing heights and times -------------*- C++ -*-===//
//
// Part of Ringi. Packs every `*.csv` under DIR, and a large generated training
// step, and prints load, height, gap, proof, the best greedy height and CPU
// time. The greedy methods are written anew here, from their description (first
// and best fit by size, start, length and area of the lifetimes as given), so
// that the comparison does not rest on the planner's own code.
//
//   bench_packing --data DIR [--effort N]
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/IntervalCsv.h"
#include "ringi/Planner/Packing.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <numeric>
#include <random>
#include <string>

using namespace ringi;
using namespace ringi::planner;

/// Height of one greedy method: blocks in order of `key`, in the lowest or the
/// tightest gap left by the blocks alive together.
static int64_t greedyHeight(const std::vector<PackItem> &items,
                            const std::vector<double> &key, bool bestFit) {
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return key[a] < key[b]; });
  struct Placed {
    int64_t offset, end, lower, upper;
  };
  std::vector<Placed> placed;
  int64_t height = 0;
  for (size_t i : order) {
    const PackItem &item = items[i];
    if (item.bytes == 0 || item.lower == item.upper)
      continue;
    int64_t cursor = 0, best = -1, bestGap = INT64_MAX;
    for (const Placed &other : placed) {
      if (other.lower >= item.upper || other.upper <= item.lower)
        continue;
      int64_t gap = other.offset - cursor;
      if (gap >= item.bytes && gap < bestGap) {
        bestGap = gap;
        best = cursor;
        if (!bestFit)
          break;
      }
      cursor = std::max(cursor, other.end);
    }
    int64_t offset = best >= 0 ? best : cursor;
    Placed added{offset, offset + item.bytes, item.lower, item.upper};
    placed.insert(std::upper_bound(placed.begin(), placed.end(), added,
                                   [](const Placed &a, const Placed &b) {
                                     return a.offset < b.offset;
                                   }),
                  added);
    height = std::max(height, added.end);
  }
  return height;
}

static int64_t bestGreedy(const std::vector<PackItem> &items) {
  std::array<std::vector<double>, 4> keys;
  for (const PackItem &item : items) {
    double size = double(item.bytes);
    double length = double(item.upper) - double(item.lower);
    keys[0].push_back(-size);
    keys[1].push_back(double(item.lower));
    keys[2].push_back(-length);
    keys[3].push_back(-size * length);
  }
  int64_t best = INT64_MAX;
  for (const std::vector<double> &key : keys)
    for (bool bestFit : {false, true})
      best = std::min(best, greedyHeight(items, key, bestFit));
  return best;
}

/// `layers` like layers whose saved activations live until their backward.
static std::vector<PackItem> trainingStep(int layers, int perLayer) {
  std::mt19937 random(1);
  std::vector<PackItem> items;
  int ops = layers * perLayer, end = 2 * ops;
  for (int op = 0; op < ops; ++op) {
    std::mt19937 shape(op % perLayer);
    int64_t bytes = 256 * int64_t(1 + shape() % 4096);
    int backward = end - 1 - op;
    if (shape() % 2)
      items.push_back({op, backward + 1, bytes, -1});
    else
      items.push_back({op, op + 2 + int64_t(random() % 3), bytes, -1});
    items.push_back({backward, std::min(backward + 2, end), bytes, -1});
    if (op % 4 == 0)
      items.push_back({backward, end, 256 * int64_t(1 + shape() % 64), -1});
  }
  return items;
}

static double cpuSeconds() { return double(std::clock()) / CLOCKS_PER_SEC; }

/// Prints one row; false when the packing is wrong.
static bool report(const std::string &name, const std::vector<PackItem> &items,
                   const PackOptions &options, bool compare) {
  double start = cpuSeconds();
  Expected<PackResult> result = pack(items, options);
  double seconds = cpuSeconds() - start;
  if (!result) {
    std::fprintf(stderr, "error: %s: %s\n", name.c_str(),
                 result.error().message.c_str());
    return false;
  }
  Status valid = verifyPacking(items, result->offsets, result->height);
  if (!valid) {
    std::fprintf(stderr, "error: %s: %s\n", name.c_str(),
                 valid.error().message.c_str());
    return false;
  }
  auto percent = [&](int64_t height) {
    return result->lowerBound == 0
               ? 0.0
               : 100.0 * double(height - result->lowerBound) /
                     double(result->lowerBound);
  };
  std::string greedy = "not run";
  if (compare) {
    char text[32];
    std::snprintf(text, sizeof(text), "%+.3f %%", percent(bestGreedy(items)));
    greedy = text;
  }
  std::printf("| %s | %zu | %lld | %lld | %+.3f %% | %s | %s | %.3f | %s |\n",
              name.c_str(), items.size(), (long long)result->lowerBound,
              (long long)result->height, percent(result->height),
              result->optimal ? "yes" : "no", greedy.c_str(), seconds,
              result->method.c_str());
  std::fflush(stdout);
  return true;
}

int main(int argc, char **argv) {
  std::filesystem::path data;
  PackOptions options;
  for (int i = 1; i < argc; ++i) {
    std::string argument = argv[i];
    if (argument == "--data" && i + 1 < argc)
      data = argv[++i];
    else if (argument == "--effort" && i + 1 < argc)
      options.effort = std::atoll(argv[++i]);
    else
      data.clear(), i = argc;
  }
  std::error_code code;
  if (data.empty() || !std::filesystem::is_directory(data, code)) {
    std::fprintf(stderr, "usage: bench_packing --data DIR [--effort N]\n");
    return 2;
  }
  std::vector<std::filesystem::path> files;
  for (const auto &entry :
       std::filesystem::recursive_directory_iterator(data, code))
    if (entry.path().extension() == ".csv")
      files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::printf(
      "| instance | buffers | load | height | gap | proven least | best "
      "greedy | CPU s | found by |\n|---|---|---|---|---|---|---|---|---|"
      "\n");
  bool ok = true;
  for (const std::filesystem::path &file : files) {
    std::ifstream in(file);
    std::string text{std::istreambuf_iterator<char>(in), {}};
    Expected<IntervalTable> table = readIntervalCsv(text, file.string());
    if (!table) {
      std::fprintf(stderr, "error: %s\n", table.error().message.c_str());
      ok = false;
      continue;
    }
    ok &= report(file.lexically_relative(data).replace_extension().string(),
                 table->items, options, true);
  }
  // The baseline is quadratic, so it is left out here.
  for (auto [layers, perLayer] : {std::pair(48, 10), std::pair(96, 290)})
    ok &= report("generated step, " + std::to_string(layers) + " layers",
                 trainingStep(layers, perLayer), options, layers < 96);
  return ok ? 0 : 1;
}
