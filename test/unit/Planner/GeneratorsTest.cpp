//===- GeneratorsTest.cpp - Sizes that make no step are refused -----------===//
//
// Part of Ringi. The generated steps themselves are covered by the tests that
// plan them; here, what checkGptOptions() lets pass and how it refuses.
//
//===----------------------------------------------------------------------===//

#include "ringi/Planner/Generators.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::planner;

namespace {

std::string complaint(const GptOptions &options, int64_t maxOps = 2'000'000) {
  Status status = checkGptOptions(options, maxOps);
  return status ? "" : status.error().message;
}

TEST(Generators, GptOptionsThatMakeAStep) {
  EXPECT_EQ(complaint({}), "");
  GptOptions large;
  large.layers = 96;
  large.hidden = 12288;
  large.heads = 96;
  EXPECT_EQ(complaint(large), "");
  EXPECT_TRUE(makeGptStep(large).check());
}

TEST(Generators, HeadsMustDivideTheHiddenSize) {
  GptOptions options;
  options.heads = 7;
  EXPECT_EQ(complaint(options), "hidden size 768 is not a multiple of 7 heads; "
                                "choose heads that divide it");
  options.heads = 0;
  EXPECT_EQ(complaint(options), "heads is 0; it must be at least 1");
}

TEST(Generators, AbsurdSizesAreRefusedBeforeTheyOverflow) {
  GptOptions options;
  options.sequence = options.batch = options.hidden = options.heads = 1'000'000;
  EXPECT_EQ(complaint(options),
            "the step would hold about 3.8e+26 bytes, above "
            "2^60; give smaller sizes");
  options = {};
  options.layers = 100'000;
  EXPECT_EQ(complaint(options, 1000).substr(0, 19), "100000 layers make ");
  EXPECT_NE(complaint(options, 1000)
                .find(" ops but at most 1000 are generated; "
                      "give fewer layers"),
            std::string::npos);
}

TEST(Generators, OpsAskedForAreMetClosely) {
  for (int64_t ops : {500, 10'000}) {
    Problem problem = makeGptStep(gptOptionsForOps(ops));
    EXPECT_NEAR(double(problem.ops.size()), double(ops), 40);
  }
}

} // namespace
