//===- PlannerTest.cpp - The planner through its C API --------------------===//
//
// Part of Ringi. The golden chain planned, written, read back and verified; and
// every error as status and message.
//
//===----------------------------------------------------------------------===//

#include "ringi-c/Planner.h"

#include "ringi/Planner/Generators.h"
#include "ringi/Planner/GraphJson.h"

#include <gtest/gtest.h>

#include <string>

namespace {

class PlannerApi : public testing::Test {
protected:
  void SetUp() override {
    std::string text =
        *ringi::planner::writeGraphJson(ringi::planner::makeChain(6));
    ASSERT_EQ(ringiProblemParse(text.data(), text.size(), &problem), RINGI_OK);
    ringiPlanOptionsInit(&options);
  }
  void TearDown() override {
    ringiPlanDestroy(plan);
    ringiProblemDestroy(problem);
  }
  RingiStatus planWithin(const char *budget) {
    options.strategy = "memory-budget";
    options.budget = budget;
    return ringiPlanCreate(problem, &options, &plan);
  }

  RingiProblem *problem = nullptr;
  RingiPlan *plan = nullptr;
  RingiPlanOptions options;
};

TEST_F(PlannerApi, PlansTheGoldenChain) {
  EXPECT_EQ(ringiProblemKeepAllPeak(problem), 8);
  ASSERT_EQ(planWithin("5"), RINGI_OK) << ringiLastError();
  RingiPlanNumbers numbers = ringiPlanNumbers(plan);
  EXPECT_EQ(numbers.budget, 5);
  EXPECT_LE(numbers.livePeak, 5);
  EXPECT_EQ(numbers.recomputes, 3);
  EXPECT_STREQ(numbers.boundClass, "exact");
  EXPECT_EQ(ringiPlanLength(plan), ringiProblemOpCount(problem) + 3);
  EXPECT_EQ(ringiPlanOp(plan, 0), 0);
  EXPECT_EQ(ringiPlanOp(plan, ringiPlanLength(plan)), -1);
  EXPECT_EQ(ringiPlanVerify(problem, plan), RINGI_OK);
}

TEST_F(PlannerApi, WritesAndReadsPlans) {
  ASSERT_EQ(planWithin("70%"), RINGI_OK) << ringiLastError();
  char *text = nullptr;
  ASSERT_EQ(ringiPlanWrite(problem, plan, &text), RINGI_OK);
  std::string json = text;
  ringiTextDestroy(text);
  RingiPlan *read = nullptr;
  ASSERT_EQ(ringiPlanParse(problem, json.data(), json.size(), &read), RINGI_OK);
  EXPECT_EQ(ringiPlanVerify(problem, read), RINGI_OK);
  EXPECT_EQ(ringiPlanLength(read), ringiPlanLength(plan));
  ringiPlanDestroy(read);
}

TEST_F(PlannerApi, ErrorsAreStatusAndMessage) {
  EXPECT_EQ(planWithin("3"), RINGI_REFUSED);
  EXPECT_NE(std::string(ringiLastError()).find("minimum budget is 4"),
            std::string::npos)
      << ringiLastError();
  EXPECT_EQ(planWithin(nullptr), RINGI_BAD_INPUT);
  EXPECT_EQ(plan, nullptr);
  options.strategy = "fastest";
  EXPECT_EQ(ringiPlanCreate(problem, &options, &plan), RINGI_BAD_INPUT);
  options.strategy = "none";
  options.effort = -1;
  EXPECT_EQ(ringiPlanCreate(problem, &options, &plan), RINGI_BAD_INPUT);
  EXPECT_EQ(ringiPlanCreate(nullptr, &options, &plan), RINGI_BAD_INPUT);
  EXPECT_STREQ(ringiLastError(), "problem is NULL");
  RingiProblem *none = nullptr;
  EXPECT_EQ(ringiProblemParse("{", 1, &none), RINGI_BAD_INPUT);
  EXPECT_EQ(ringiProblemReadFile("/nowhere/graph.json", &none),
            RINGI_BAD_INPUT);
  EXPECT_EQ(none, nullptr);
}

// Buffers a(4), b(2), c(4), then a and c die and d(6) is needed: 10 suffice.
TEST(PackApi, PutsTheSmallBufferAtAnEnd) {
  int64_t lower[] = {0, 0, 0, 1}, upper[] = {1, 2, 1, 2},
          bytes[] = {4, 2, 4, 6};
  int64_t offsets[4], height = 0, bound = 0;
  ASSERT_EQ(
      ringiPack(4, lower, upper, bytes, 1, 1000, offsets, &height, &bound),
      RINGI_OK);
  EXPECT_EQ(height, 10);
  EXPECT_EQ(bound, 10);
  bytes[0] = -1;
  EXPECT_EQ(
      ringiPack(4, lower, upper, bytes, 1, 1000, offsets, &height, &bound),
      RINGI_BAD_INPUT);
  EXPECT_EQ(
      ringiPack(1, nullptr, upper, bytes, 1, 0, offsets, nullptr, nullptr),
      RINGI_BAD_INPUT);
}

} // namespace
