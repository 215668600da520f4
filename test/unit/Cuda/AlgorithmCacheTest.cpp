//===- AlgorithmCacheTest.cpp - Pinned GEMM algorithms --------------------===//
//
// Part of Ringi. One choice per problem in memory and across runs; every way in
// which a file can be wrong.
//
//===----------------------------------------------------------------------===//

#include "AlgorithmCache.h"
#include "GemmProblem.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <unistd.h>

using namespace ringi;
using namespace ringi::cuda;

namespace {

constexpr const char *kMachine = "card, library 7";

class AlgorithmCacheTest : public testing::Test {
protected:
  const std::string path =
      testing::TempDir() + "ringi-gemm-" + std::to_string(getpid()) + ".cache";
  int choices = 0;

  void SetUp() override { std::remove(path.c_str()); }
  void TearDown() override { std::remove(path.c_str()); }

  AlgorithmCache open(const std::string &machine = kMachine) {
    Expected<AlgorithmCache> cache = AlgorithmCache::open(path, machine);
    EXPECT_TRUE(cache) << cache.error().message;
    return std::move(*cache);
  }
  /// Every choice is another algorithm.
  GemmAlgorithm pin(AlgorithmCache &cache, const std::string &key) {
    Expected<GemmAlgorithm> pinned = cache.pin(
        key,
        [&]() -> Expected<GemmAlgorithm> {
          return GemmAlgorithm{uint64_t(++choices), ~uint64_t(0)};
        },
        [](const GemmAlgorithm &) { return true; });
    EXPECT_TRUE(pinned) << pinned.error().message;
    return *pinned;
  }
  std::string read() {
    std::ifstream file(path, std::ios::binary);
    return std::string((std::istreambuf_iterator<char>(file)), {});
  }
  void write(const std::string &text) {
    std::ofstream(path, std::ios::binary) << text;
  }
  /// The message, after what every one begins with.
  std::string openError(const std::string &machine = kMachine) {
    Expected<AlgorithmCache> cache = AlgorithmCache::open(path, machine);
    if (cache)
      return "";
    EXPECT_EQ(cache.error().exitCode(), 2);
    const std::string &message = cache.error().message;
    std::string begin = "GEMM cache '" + path + "' ";
    EXPECT_EQ(message.rfind(begin, 0), 0u) << message;
    return message.substr(begin.size());
  }
};

TEST_F(AlgorithmCacheTest, CloneAndOriginGetTheSame) {
  AlgorithmCache cache = open();
  GemmAlgorithm origin = pin(cache, "bf16,4");
  pin(cache, "bf16,8");
  EXPECT_EQ(pin(cache, "bf16,4"), origin);
  EXPECT_EQ(choices, 2);
}

TEST_F(AlgorithmCacheTest, TwoRunsGetTheSame) {
  GemmAlgorithm first, second;
  {
    AlgorithmCache cache = open();
    first = pin(cache, "bf16,4");
    second = pin(cache, "bf16,8");
  }
  std::string written = read();
  AlgorithmCache again = open();
  EXPECT_EQ(pin(again, "bf16,8"), second);
  EXPECT_EQ(pin(again, "bf16,4"), first);
  EXPECT_EQ(choices, 2);
  EXPECT_EQ(read(), written);
}

TEST_F(AlgorithmCacheTest, AddsToAFile) {
  AlgorithmCache first = open();
  pin(first, "b");
  AlgorithmCache second = open();
  pin(second, "a");
  AlgorithmCache third = open();
  EXPECT_EQ(pin(third, "b")[0], 1u);
  EXPECT_EQ(pin(third, "a")[0], 2u);
}

TEST_F(AlgorithmCacheTest, RefusesAnAlgorithmThatTheLibraryDoesNotTake) {
  AlgorithmCache cache = open();
  pin(cache, "bf16,4");
  Expected<GemmAlgorithm> refused = cache.pin(
      "bf16,4", []() -> Expected<GemmAlgorithm> { return GemmAlgorithm{}; },
      [](const GemmAlgorithm &) { return false; });
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().message,
            "the GEMM library does not take the algorithm that GEMM cache '" +
                path + "' has for bf16,4; remove the file or name another");
}

TEST_F(AlgorithmCacheTest, RefusesOtherDevicesLibrariesAndVersions) {
  AlgorithmCache cache = open();
  pin(cache, "bf16,4");
  EXPECT_EQ(openError("card, library 8"),
            "was made for 'card, library 7', this is 'card, library 8'; remove "
            "the file or name another");
  std::string text = read();
  text.replace(text.find("cache 1"), 7, "cache 2");
  write(text);
  EXPECT_EQ(openError(), "has format version 2, this build reads 1; remove the "
                         "file or name another");
  write("a song of ice\n");
  EXPECT_EQ(openError(), "is not one: it does not begin with "
                         "'ringi-gemm-cache '; remove the file or name "
                         "another");
  write("");
  EXPECT_EQ(openError().substr(0, 10), "is not one");
}

TEST_F(AlgorithmCacheTest, RefusesEveryTruncationAndEveryFlippedBit) {
  AlgorithmCache cache = open();
  pin(cache, "bf16,4");
  pin(cache, "bf16,8");
  std::string text = read();
  for (size_t size = 0; size < text.size(); ++size) {
    write(text.substr(0, size));
    EXPECT_NE(openError(), "") << size;
  }
  for (size_t i = 0; i < text.size(); ++i) {
    std::string flipped = text;
    flipped[i] ^= 1;
    write(flipped);
    EXPECT_NE(openError(), "") << i;
  }
  write(text + "bf16,16 0\n");
  EXPECT_NE(openError(), "");
  write(text);
  EXPECT_EQ(openError(), "");
}

TEST_F(AlgorithmCacheTest, SaysWhereItCannotWrite) {
  Expected<AlgorithmCache> cache =
      AlgorithmCache::open("/nonexistent/gemm.cache", kMachine);
  ASSERT_TRUE(cache);
  Expected<GemmAlgorithm> pinned = cache->pin(
      "k", []() -> Expected<GemmAlgorithm> { return GemmAlgorithm{}; },
      [](const GemmAlgorithm &) { return true; });
  ASSERT_FALSE(pinned);
  EXPECT_EQ(pinned.error().message,
            "cannot write GEMM cache '/nonexistent/gemm.cache'; name a "
            "writable file with --gemm-cache");
}

TEST(GemmProblem, KeysDifferInWhatAnAlgorithmDependsOn) {
  program::AttributesT plain, transposed;
  transposed.transpose_b = true;
  alignas(16) char memory[64];
  runtime::TensorRef square;
  square.data = memory;
  square.rank = 2;
  square.shape[0] = square.shape[1] = 8;
  runtime::OpCall call;
  call.attributes = &plain;
  call.operands = {square, square};
  call.results = {square};
  std::string key = GemmProblem::of(call, false).key();
  EXPECT_EQ(GemmProblem::of(call, false).key(), key);
  EXPECT_NE(GemmProblem::of(call, true).key(), key);

  runtime::OpCall changed = call;
  changed.attributes = &transposed;
  EXPECT_NE(GemmProblem::of(changed, false).key(), key);
  changed = call;
  changed.workspaceBytes = 1024;
  EXPECT_NE(GemmProblem::of(changed, false).key(), key);
  changed = call;
  changed.operands[0].data = memory + 4;
  EXPECT_NE(GemmProblem::of(changed, false).key(), key);
  changed = call;
  changed.operands.push_back(square);
  EXPECT_NE(GemmProblem::of(changed, false).key(), key);
  // A clone's operands lie elsewhere at the same alignment.
  changed = call;
  changed.operands[0].data = memory + 32;
  EXPECT_EQ(GemmProblem::of(changed, false).key(), key);
}

} // namespace
