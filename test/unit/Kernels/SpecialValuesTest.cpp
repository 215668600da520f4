//===- SpecialValuesTest.cpp - Randomness, rounding and the odd -----------===//
//
// Part of Ringi. Philox known answers, NaN and infinities, indices outside
// their table, every 16-bit value, and the stated error of the f32 functions.
//
//===----------------------------------------------------------------------===//

#include "Cases.h"

#include <array>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::test;

namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// Philox4x32-10 as its paper writes it, one block at a time.
std::array<uint32_t, 4> philox(std::array<uint32_t, 4> c, uint32_t key0,
                               uint32_t key1) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = 0xd2511f53ull * c[0], p1 = 0xcd9e8d57ull * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ key0,
         static_cast<uint32_t>(p1),
         static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ key1,
         static_cast<uint32_t>(p0)};
    key0 += 0x9e3779b9;
    key1 += 0xbb67ae85;
  }
  return c;
}

Tensor integer(int64_t value) {
  Tensor tensor{ElementType::I64, {}, {}};
  tensor.values = {static_cast<double>(value)};
  return tensor;
}

std::vector<double> maskOf(int64_t count, double probability, uint64_t id,
                           int64_t seed, int64_t step, int threads = 1) {
  AttributesT attributes;
  attributes.probability = probability;
  attributes.random_id = id;
  RunOptions options;
  options.threads = threads;
  const Outcome outcome =
      run(OpKind::DropoutMask, attributes, {integer(seed), integer(step)},
          {{ElementType::I8, {count}}}, options);
  EXPECT_EQ(outcome.failure, "");
  return outcome.values[0];
}

TEST(Random, TheTestsOwnPhiloxHasTheKnownAnswers) {
  using Block = std::array<uint32_t, 4>;
  EXPECT_EQ(philox({0, 0, 0, 0}, 0, 0),
            (Block{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  const uint32_t ones = 0xffffffff;
  EXPECT_EQ(philox({ones, ones, ones, ones}, ones, ones),
            (Block{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
  EXPECT_EQ(philox({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, 0xa4093822,
                   0x299f31d0),
            (Block{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}

TEST(Random, AMaskTellsEachKnownWordToTheBit) {
  const std::array<uint32_t, 4> words = {0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                         0x9b00dbd8};
  for (size_t i = 0; i < words.size(); ++i) {
    EXPECT_EQ(maskOf(4, words[i] * 0x1p-32, 0, 0, 0)[i], 1);
    EXPECT_EQ(maskOf(4, (words[i] + 1.0) * 0x1p-32, 0, 0, 0)[i], 0);
  }
}

TEST(Random, AMaskIsAFunctionOfSeedIdStepAndIndex) {
  const int64_t seed = 0x123456789abcde, step = 41;
  const uint64_t id = 0x77;
  const std::vector<double> mask = maskOf(5003, 0.3, id, seed, step);
  const uint64_t threshold = static_cast<uint64_t>(0.3 * 4294967296.0);
  for (uint32_t i = 0; i < mask.size(); ++i)
    ASSERT_EQ(mask[i],
              philox({i / 4, 0, static_cast<uint32_t>(id), 41},
                     static_cast<uint32_t>(seed),
                     static_cast<uint32_t>(seed >> 32))[i % 4] >= threshold)
        << "element " << i;
  EXPECT_EQ(mask, maskOf(5003, 0.3, id, seed, step, 3));
  EXPECT_NE(mask, maskOf(5003, 0.3, id + 1, seed, step));
  EXPECT_NE(mask, maskOf(5003, 0.3, id, seed + 1, step));
  EXPECT_NE(mask, maskOf(5003, 0.3, id, seed, step + 1));
}

TEST(Random, DropoutAppliesItsMaskInEveryTypeAndInPlace) {
  for (ElementType type : {ElementType::F64, ElementType::F32,
                           ElementType::BF16, ElementType::F16}) {
    const Tensor x = randomTensor(type, {2051}, 3);
    AttributesT attributes;
    attributes.probability = 0.25;
    attributes.random_id = 9;
    const std::vector<Tensor> operands = {x, integer(5), integer(6)};
    const Outcome drawn =
        run(OpKind::Dropout, attributes, operands, {{type, x.shape}});
    const std::vector<double> mask = maskOf(2051, 0.25, 9, 5, 6);
    for (size_t i = 0; i < mask.size(); ++i)
      ASSERT_EQ(drawn.values[0][i],
                mask[i] ? rounded(type, x.values[i] / 0.75) : 0);
    const Outcome applied =
        run(OpKind::DropoutApply, attributes,
            {x, {ElementType::I8, x.shape, mask}}, {{type, x.shape}});
    EXPECT_EQ(applied.bytes, drawn.bytes);
    RunOptions over;
    over.inPlace = {{0, 0}};
    over.threads = 2;
    EXPECT_EQ(run(OpKind::DropoutBackward, attributes, operands,
                  {{type, x.shape}}, over)
                  .bytes,
              drawn.bytes);
  }
}

std::vector<double>
apply(OpKind kind, ElementType type, const std::vector<double> &values,
      bool tanhForm = false,
      runtime::InstructionSet isa = runtime::InstructionSet::Avx512) {
  AttributesT attributes;
  attributes.approximate_tanh = tanhForm;
  RunOptions options;
  options.isa = isa;
  const std::vector<int64_t> shape = {static_cast<int64_t>(values.size())};
  return run(kind, attributes, {{type, shape, values}}, {{type, shape}},
             options)
      .values[0];
}

TEST(SpecialValues, NanStaysAndInfinitiesHaveTheirLimits) {
  for (ElementType type : {ElementType::F64, ElementType::F32,
                           ElementType::BF16, ElementType::F16})
    for (auto [kind, low, high] : {std::tuple(OpKind::Relu, 0.0, kInf),
                                   {OpKind::Gelu, 0.0, kInf},
                                   {OpKind::Silu, 0.0, kInf},
                                   {OpKind::Tanh, -1.0, 1.0},
                                   {OpKind::Sigmoid, 0.0, 1.0},
                                   {OpKind::Exp, 0.0, kInf}})
      for (bool tanhForm : {false, true}) {
        SCOPED_TRACE(program::EnumNameOpKind(kind));
        // Long enough for whole vectors and a tail.
        std::vector<double> x(35, kNan);
        for (size_t i = 0; i < x.size(); i += 3) {
          x[i] = -kInf;
          if (i + 1 < x.size())
            x[i + 1] = kInf;
        }
        const std::vector<double> y = apply(kind, type, x, tanhForm);
        for (size_t i = 0; i < x.size(); ++i) {
          if (i % 3 == 2)
            EXPECT_TRUE(std::isnan(y[i])) << i;
          else
            EXPECT_EQ(y[i], i % 3 ? high : low) << i;
        }
      }
}

TEST(SpecialValues, SoftmaxOfARowWithNanIsNanAndOtherRowsAreNot) {
  std::vector<double> x(2 * 40, 0.5);
  x[3] = kNan;
  x[45] = -kInf;
  const Outcome outcome =
      run(OpKind::Softmax, {}, {{ElementType::F32, {2, 40}, x}},
          {{ElementType::F32, {2, 40}}});
  for (int i = 0; i < 40; ++i)
    EXPECT_TRUE(std::isnan(outcome.values[0][i]));
  EXPECT_EQ(outcome.values[0][45], 0);
  EXPECT_FLOAT_EQ(static_cast<float>(outcome.values[0][44]), 1 / 39.0f);
}

TEST(SpecialValues, AnIdOutsideTheTableReadsNanAndGetsNoGradient) {
  const Tensor ids{ElementType::I32, {4}, {1, -1, 3, 0}};
  const Tensor table{ElementType::F32, {3, 2}, {1, 2, 3, 4, 5, 6}};
  const std::vector<double> rows =
      run(OpKind::Embedding, {}, {ids, table}, {{ElementType::F32, {4, 2}}})
          .values[0];
  EXPECT_EQ(rows[0], 3);
  EXPECT_EQ(rows[7], 2);
  for (int i = 2; i < 6; ++i)
    EXPECT_TRUE(std::isnan(rows[i]));
  const Tensor dy{ElementType::F32, {4, 2}, {1, 2, 4, 8, 16, 32, 64, 128}};
  EXPECT_EQ(run(OpKind::EmbeddingBackward, {}, {dy, ids},
                {{ElementType::F32, {3, 2}}})
                .values[0],
            (std::vector<double>{64, 128, 1, 2, 0, 0}));
}

TEST(SpecialValues, ATargetOutsideTheVocabularyMakesTheLossNan) {
  const Outcome outcome =
      run(OpKind::CrossEntropy, {},
          {randomTensor(ElementType::F32, {2, 3}, 1),
           {ElementType::I32, {2}, {0, 3}}},
          {{ElementType::F32, {}}, {ElementType::F32, {2}}});
  EXPECT_TRUE(std::isnan(outcome.values[0][0]));
}

TEST(Rounding, CastsOfEvery16BitValueAreExactBothWays) {
  for (ElementType type : {ElementType::BF16, ElementType::F16}) {
    std::vector<double> all;
    const int mantissa = type == ElementType::BF16 ? 7 : 10;
    const int exponents = 1 << (15 - mantissa);
    for (int bits = 0; bits < 65536; ++bits) {
      const int fraction = bits & ((1 << mantissa) - 1);
      const int exponent = (bits >> mantissa) & (exponents - 1);
      const int least = 2 - exponents / 2 - mantissa;
      double value = exponent ? std::ldexp(fraction + (1 << mantissa),
                                           exponent - 1 + least)
                              : std::ldexp(fraction, least);
      if (exponent == exponents - 1)
        value = fraction ? kNan : kInf;
      all.push_back(bits & 0x8000 ? -value : value);
    }
    const std::vector<int64_t> shape = {65536};
    for (runtime::InstructionSet isa : instructionSets()) {
      RunOptions options;
      options.isa = isa;
      const Outcome wide = run(OpKind::Cast, {}, {{type, shape, all}},
                               {{ElementType::F32, shape}}, options);
      const Outcome narrow =
          run(OpKind::Cast, {}, {{ElementType::F32, shape, wide.values[0]}},
              {{type, shape}}, options);
      for (size_t i = 0; i < all.size(); ++i) {
        if (std::isnan(all[i])) {
          ASSERT_TRUE(std::isnan(wide.values[0][i]));
          ASSERT_TRUE(std::isnan(narrow.values[0][i]));
          continue;
        }
        ASSERT_EQ(wide.values[0][i], all[i]);
        ASSERT_EQ(narrow.values[0][i], all[i]);
      }
    }
  }
}

TEST(Rounding, TiesGoToEvenAndF64IsRoundedOnce) {
  for (ElementType type : {ElementType::BF16, ElementType::F16})
    for (ElementType from : {ElementType::F32, ElementType::F64}) {
      std::vector<double> values;
      for (double base : {1.0, 1.5, 3.0, 0x1p-14, 0x1p-20, 60000.0, -2.0})
        for (double unit : {0x1p-8, 0x1p-11, 0x1p-25, 0x1p-26})
          for (double factor : {0.5, 1.0, 1.5, 3.0})
            for (double bump : {0.0, 0x1p-40, -0x1p-40})
              values.push_back(
                  rounded(from, base + unit * factor * base + bump));
      values.push_back(1e30);
      values.push_back(65519.999);
      values.push_back(-65520);
      for (double &value : values)
        value = rounded(from, value);
      const std::vector<int64_t> shape = {static_cast<int64_t>(values.size())};
      for (runtime::InstructionSet isa : instructionSets()) {
        RunOptions options;
        options.isa = isa;
        const std::vector<double> got =
            run(OpKind::Cast, {}, {{from, shape, values}}, {{type, shape}},
                options)
                .values[0];
        for (size_t i = 0; i < values.size(); ++i)
          ASSERT_EQ(got[i], rounded(type, values[i])) << values[i];
      }
    }
}

TEST(Rounding, CastsToIntegersTruncateAndSaturate) {
  const Tensor x{ElementType::F64, {6}, {1.9, -1.9, 1e30, -1e30, kNan, 300}};
  EXPECT_EQ(run(OpKind::Cast, {}, {x}, {{ElementType::I8, {6}}}).values[0],
            (std::vector<double>{1, -1, 127, -128, 0, 127}));
  EXPECT_EQ(run(OpKind::Cast, {}, {x}, {{ElementType::I32, {6}}}).values[0][2],
            2147483647.0);
}

/// Largest error in units of the last place of f32 over [low, high].
double worstUlp(OpKind kind, bool tanhForm, double low, double high,
                double (*exact)(double)) {
  double worst = 0;
  for (runtime::InstructionSet isa : instructionSets()) {
    std::vector<double> x;
    for (int i = 0; i <= 200000; ++i)
      x.push_back(rounded(ElementType::F32, low + (high - low) * i / 200000.0));
    const std::vector<double> y =
        apply(kind, ElementType::F32, x, tanhForm, isa);
    for (size_t i = 0; i < x.size(); ++i) {
      const double wanted = exact(x[i]);
      if (wanted == 0)
        continue;
      const double ulp =
          std::ldexp(1.0, std::max(std::ilogb(wanted) - 23, -149));
      worst = std::max(worst, std::fabs(y[i] - wanted) / ulp);
    }
  }
  return worst;
}

TEST(Accuracy, OfTheF32FunctionsIsAsStated) {
  EXPECT_LE(worstUlp(OpKind::Exp, false, -104, 88.7,
                     [](double x) { return std::exp(x); }),
            1.5);
  EXPECT_LE(worstUlp(OpKind::Sigmoid, false, -80, 80,
                     [](double x) { return 1 / (1 + std::exp(-x)); }),
            3);
  EXPECT_LE(worstUlp(OpKind::Silu, false, -80, 80,
                     [](double x) { return x / (1 + std::exp(-x)); }),
            3.5);
  EXPECT_LE(worstUlp(OpKind::Gelu, false, -13, 13,
                     [](double x) {
                       return 0.5 * x * std::erfc(-x / std::sqrt(2.0));
                     }),
            5);
  EXPECT_LE(worstUlp(OpKind::Gelu, true, -2, 10,
                     [](double x) {
                       const double u =
                           std::sqrt(2 / M_PI) * (x + 0.044715 * x * x * x);
                       return x / (1 + std::exp(-2 * u));
                     }),
            10);
}

} // namespace
