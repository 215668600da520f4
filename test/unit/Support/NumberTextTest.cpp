//===- NumberTextTest.cpp - Numbers in messages ---------------------------===//
//
// Part of Ringi. Short, exact, and without a limit of digits.
//
//===----------------------------------------------------------------------===//

#include "ringi/Support/NumberText.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

using namespace ringi;

namespace {

TEST(NumberText, IsTheShortestThatReadsBack) {
  EXPECT_EQ(numberText(0), "0");
  EXPECT_EQ(numberText(1), "1");
  EXPECT_EQ(numberText(0.1), "0.1");
  EXPECT_EQ(numberText(-2.5), "-2.5");
  EXPECT_EQ(numberText(1e6), "1e+06");
  EXPECT_EQ(numberText(50257), "50257");
  double longest = -std::numeric_limits<double>::denorm_min();
  EXPECT_EQ(std::stod(numberText(-1.7976931348623157e308)),
            -std::numeric_limits<double>::max());
  EXPECT_EQ(numberText(longest), "-5e-324");
  EXPECT_EQ(numberText(INFINITY), "inf");
  EXPECT_EQ(numberText(-INFINITY), "-inf");
  EXPECT_EQ(numberText(NAN), "nan");
}

} // namespace
