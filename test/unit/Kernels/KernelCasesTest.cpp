//===- KernelCasesTest.cpp - Every kernel against the case list -----------===//
//
// Part of Ringi. Right answers in every element type and instruction set; equal
// bits at 1, 2 and 3 threads, in place and out of place, and whatever lies in
// results and workspace before; all of the workspace is used.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <cmath>
#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::test;

namespace {

class KernelCases : public testing::TestWithParam<ElementType> {};

std::string typeName(const testing::TestParamInfo<ElementType> &info) {
  return program::EnumNameElementType(info.param);
}

/// Error of a computation in S on numbers of size `scale`, and of rounding the
/// result to `type` once.
double tolerance(ElementType type, double value, double scale) {
  const double computed = (type == ElementType::F64 ? 1e-14 : 3e-6) * scale;
  switch (type) {
  case ElementType::BF16:
    return computed + 0x1p-8 * 0.51 * 2 * std::fabs(value);
  case ElementType::F16:
    return computed + 0x1p-11 * 1.02 * std::fabs(value) + 0x1p-25;
  default:
    return computed;
  }
}

/// Index of the first wrong value, -1 when all agree.
int64_t firstWrong(ElementType type, const std::vector<double> &got,
                   const std::vector<double> &wanted) {
  double scale = 1;
  for (double value : wanted)
    scale = std::max(scale, std::fabs(value));
  for (size_t i = 0; i < wanted.size(); ++i)
    if (!(std::fabs(got[i] - wanted[i]) <= tolerance(type, wanted[i], scale)))
      return static_cast<int64_t>(i);
  return got.size() == wanted.size() ? -1 : 0;
}

TEST_P(KernelCases, AgreeWithTheNaiveReference) {
  for (const Case &c : allCases(GetParam())) {
    const Values wanted = c.reference(c.operands);
    for (runtime::InstructionSet isa : instructionSets()) {
      RunOptions options;
      options.isa = isa;
      options.threads = 2;
      const Outcome got =
          run(c.kind, c.attributes, c.operands, c.results, options);
      ASSERT_EQ(got.failure, "") << c.name;
      for (size_t r = 0; r < wanted.size(); ++r) {
        const int64_t at =
            firstWrong(c.results[r].type, got.values[r], wanted[r]);
        EXPECT_EQ(at, -1) << c.name << ", result " << r << ", instruction set "
                          << static_cast<int>(isa) << ": got "
                          << got.values[r][at < 0 ? 0 : at] << ", expected "
                          << wanted[r][at < 0 ? 0 : at];
      }
    }
  }
}

TEST_P(KernelCases, GiveTheSameBitsAtAnyThreadCount) {
  for (const Case &c : allCases(GetParam())) {
    RunOptions options;
    const Outcome one =
        run(c.kind, c.attributes, c.operands, c.results, options);
    for (int threads : {2, 3}) {
      options.threads = threads;
      const Outcome more =
          run(c.kind, c.attributes, c.operands, c.results, options);
      EXPECT_TRUE(one.bytes == more.bytes)
          << c.name << " with " << threads << " threads";
    }
  }
}

TEST_P(KernelCases, GiveTheSameBitsInPlace) {
  for (const Case &c : allCases(GetParam())) {
    const Outcome apart = run(c.kind, c.attributes, c.operands, c.results);
    const bool isUpdate = c.kind == OpKind::Sgd || c.kind == OpKind::Momentum ||
                          c.kind == OpKind::AdamW;
    // An update takes over all its operands at once, other ops one.
    std::vector<std::vector<std::pair<int, int>>> choices;
    if (isUpdate)
      choices.push_back(c.inPlace);
    else
      for (const std::pair<int, int> &pair : c.inPlace)
        choices.push_back({pair});
    for (const auto &choice : choices) {
      RunOptions options;
      options.inPlace = choice;
      const Outcome over =
          run(c.kind, c.attributes, c.operands, c.results, options);
      EXPECT_EQ(over.failure, "") << c.name;
      EXPECT_TRUE(apart.bytes == over.bytes)
          << c.name << " over operand " << choice[0].second;
    }
  }
}

TEST_P(KernelCases, ReadNothingUnwrittenAndUseAllOfTheWorkspace) {
  for (const Case &c : allCases(GetParam())) {
    RunOptions options;
    const Outcome first =
        run(c.kind, c.attributes, c.operands, c.results, options);
    options.poison = static_cast<uint8_t>(~options.poison);
    const Outcome second =
        run(c.kind, c.attributes, c.operands, c.results, options);
    EXPECT_TRUE(first.bytes == second.bytes) << c.name;
    for (size_t i = 0; i < first.workspace.size(); ++i)
      if (first.workspace[i] == std::byte{0xa5} &&
          second.workspace[i] == std::byte{0x5a}) {
        ADD_FAILURE() << c.name << ": byte " << i << " of "
                      << first.workspace.size() << " is never written";
        break;
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Types, KernelCases,
                         testing::Values(ElementType::F64, ElementType::F32,
                                         ElementType::BF16, ElementType::F16),
                         typeName);

} // namespace
