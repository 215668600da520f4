//===- InputDataTest.cpp - What the inputs of a program hold --------------===//
//
// Part of Ringi. Initialisers and their distributions, text batches, files, and
// every error about data.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/InputData.h"
#include "Numbers.h"
#include "RuntimeTestSupport.h"
#include "ringi/Runtime/StateFile.h"

#include <cmath>
#include <cstring>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;
using namespace ringi::runtime::test;
using detail::loadElement;

namespace {

/// tokens [2, 4] -> embedding -> cross entropy with targets; 300 rows.
ProgramBuilder textModel(uint64_t vocabulary = 300) {
  ProgramBuilder b("text");
  double v = double(vocabulary);
  auto tokens = b.input("tokens", ElementType::I32, {2, 4}, Role::Input,
                        Initializer::Tokens, v);
  auto targets = b.input("targets", ElementType::I64, {2, 4}, Role::Target,
                         Initializer::Tokens, v);
  auto table = b.input("table", ElementType::F32, {vocabulary, vocabulary},
                       Role::Parameter, Initializer::Normal, 0.5);
  // Through a view, as a compiler that flattens tokens writes it.
  auto flat = b.view(tokens, {8});
  auto logits = b.op(OpKind::Embedding, {flat, table},
                     {{ElementType::F32, {8, int64_t(vocabulary)}}})[0];
  auto loss = b.op(OpKind::CrossEntropy, {logits, b.view(targets, {8})},
                   {{ElementType::F32, {}}, {ElementType::F32, {8}}})[0];
  b.output("loss", loss, Role::Loss);
  return b;
}

std::vector<double> contents(const ProgramFile &file, size_t input,
                             const std::vector<std::byte> &bytes) {
  const ValueT &value = *file.program.values[file.program.inputs[input]->value];
  std::vector<double> result;
  for (int64_t i = 0;
       i < int64_t(bytes.size()) * 8 / elementBits(value.element_type); ++i)
    result.push_back(loadElement(value.element_type, bytes.data(), i));
  return result;
}

std::vector<double> produced(const ProgramFile &file,
                             const std::vector<std::unique_ptr<InputSource>> &s,
                             size_t input, int64_t step) {
  const ValueT &value = *file.program.values[file.program.inputs[input]->value];
  std::vector<std::byte> bytes(
      size_t(tensorBytes(value.element_type, value.shape)));
  s[input]->produce(step, bytes.data());
  return contents(file, input, bytes);
}

std::vector<double> initialised(ElementType type, Initializer initializer,
                                double scale, uint64_t count, uint64_t seed = 1,
                                const std::string &name = "w") {
  ProgramBuilder b("init");
  auto w = b.input(name, type, {count}, Role::Parameter, initializer, scale);
  b.output("y", isFloat(type) ? b.unary(OpKind::Relu, {w}) : w, Role::Output);
  ProgramFile &file = b.finish();
  std::vector<std::byte> bytes(count * uint64_t(elementBits(type)) / 8);
  initializeInput(file, 0, seed, bytes.data());
  return contents(file, 0, bytes);
}

std::string errorOf(const ProgramFile &file,
                    const std::vector<std::string> &texts) {
  std::vector<InputSpec> specs;
  for (const std::string &text : texts) {
    Expected<InputSpec> spec = parseInputSpec(text);
    if (!spec)
      return spec.error().message;
    specs.push_back(*spec);
  }
  auto sources = makeInputSources(file, specs, 0);
  if (sources)
    return "";
  EXPECT_EQ(sources.error().exitCode(), 2);
  return sources.error().message;
}

void expectError(const ProgramFile &file, const std::vector<std::string> &texts,
                 const std::string &part) {
  std::string message = errorOf(file, texts);
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Philox, KnownAnswers) {
  // From the reference implementation's known-answer file (Random123 1.14).
  EXPECT_EQ(detail::philox(0, {0, 0, 0, 0}),
            (std::array<uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c,
                                     0x9b00dbd8}));
  EXPECT_EQ(detail::philox(0xffffffffffffffff,
                           {0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}),
            (std::array<uint32_t, 4>{0x408f276d, 0x41c83b0e, 0xa20bc7c6,
                                     0x6d5451fd}));
}

TEST(Numbers, RoundToNearestEven) {
  std::byte bytes[8];
  auto through = [&](ElementType type, double value) {
    detail::storeElement(type, bytes, 0, value);
    return loadElement(type, bytes, 0);
  };
  // bf16 has 8 bits of precision: 1 + 2^-8 is a tie, to even.
  EXPECT_EQ(through(ElementType::BF16, 1 + 1.0 / 256), 1.0);
  EXPECT_EQ(through(ElementType::BF16, 1 + 3.0 / 256), 1 + 4.0 / 256);
  EXPECT_EQ(through(ElementType::BF16, 1 + 1.1 / 256), 1 + 2.0 / 256);
  EXPECT_EQ(through(ElementType::F16, 1 + 1.0 / 2048), 1.0);
  EXPECT_EQ(through(ElementType::F16, 1 + 3.0 / 2048), 1 + 4.0 / 2048);
  EXPECT_EQ(through(ElementType::F16, 65504), 65504);
  EXPECT_EQ(through(ElementType::F16, 65520), INFINITY);
  EXPECT_EQ(through(ElementType::F16, std::ldexp(1.0, -24)),
            std::ldexp(1.0, -24));
  EXPECT_EQ(through(ElementType::F16, std::ldexp(1.0, -14)),
            std::ldexp(1.0, -14));
  EXPECT_EQ(through(ElementType::F16, -2.5), -2.5);
  EXPECT_TRUE(std::isnan(through(ElementType::F16, NAN)));
  EXPECT_TRUE(std::isnan(through(ElementType::BF16, NAN)));
  EXPECT_EQ(through(ElementType::I64, -7), -7);
  EXPECT_EQ(through(ElementType::I8, 100), 100);
}

TEST(RandomNumbers, FunctionsAgreeWithTheLibrarys) {
  std::vector<uint32_t> words = {0,          1,          0x40000000,
                                 0x7fffffff, 0x80000000, 0xb504f333,
                                 0xc0000000, 0xfffffffe, 0xffffffff};
  for (uint32_t i = 0; i < 2000; ++i)
    words.push_back(i * 2654435761u);
  for (uint32_t word : words) {
    const double u = runtime::random::unit(word);
    const double log = std::log(u);
    EXPECT_NEAR(runtime::random::logarithm(u), log, 5e-16 * std::abs(log))
        << word;
    double cosine, sine;
    runtime::random::turn(u, cosine, sine);
    // The library's argument is rounded, by up to half a unit of 2 pi.
    EXPECT_NEAR(cosine, std::cos(2 * M_PI * u), 1e-15) << word;
    EXPECT_NEAR(sine, std::sin(2 * M_PI * u), 1e-15) << word;
  }
}

TEST(Initialise, Distributions) {
  std::vector<double> normal =
      initialised(ElementType::F64, Initializer::Normal, 0.5, 100000);
  double sum = 0, squares = 0;
  for (double x : normal) {
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / 100000, 0, 0.01);
  EXPECT_NEAR(std::sqrt(squares / 100000), 0.5, 0.01);
  for (double x :
       initialised(ElementType::F32, Initializer::Uniform, 0.25, 10000))
    EXPECT_LE(std::abs(x), 0.25);
  std::vector<int> seen(10);
  for (double x : initialised(ElementType::I32, Initializer::Tokens, 10, 10000))
    ++seen[size_t(x)];
  for (int count : seen)
    EXPECT_NEAR(count, 1000, 150);
  EXPECT_EQ(initialised(ElementType::BF16, Initializer::Ones, 0, 3),
            std::vector<double>(3, 1));
  EXPECT_EQ(initialised(ElementType::F16, Initializer::Zeros, 0, 3),
            std::vector<double>(3, 0));
}

TEST(Initialise, DependsOnSeedAndNameOnly) {
  auto make = [](uint64_t seed, const std::string &name, uint64_t count = 100) {
    return initialised(ElementType::F32, Initializer::Normal, 1, count, seed,
                       name);
  };
  EXPECT_EQ(make(1, "w"), make(1, "w"));
  EXPECT_NE(make(1, "w"), make(2, "w"));
  EXPECT_NE(make(1, "w"), make(1, "v"));
  // Enough elements for several threads: the same beginning.
  std::vector<double> large = make(1, "w", (1 << 20) + 6);
  large.resize(100);
  EXPECT_EQ(large, make(1, "w"));
  // bf16 is the rounded f32 value.
  std::vector<double> narrow =
      initialised(ElementType::BF16, Initializer::Normal, 1, 100);
  std::vector<double> wide = make(1, "w");
  for (size_t i = 0; i < 100; ++i)
    EXPECT_NEAR(narrow[i], wide[i], std::abs(wide[i]) / 256);
}

TEST(Sources, RandomChangesEachStepAndStaysInTheVocabulary) {
  ProgramFile &file = *new ProgramFile(std::move(textModel(300).finish()));
  std::unique_ptr<ProgramFile> owner(&file);
  auto sources = makeInputSources(file, {}, 4);
  ASSERT_TRUE(sources);
  EXPECT_FALSE((*sources)[2]); // A parameter is no data.
  EXPECT_NE(produced(file, *sources, 0, 1), produced(file, *sources, 0, 2));
  EXPECT_EQ(produced(file, *sources, 0, 3), produced(file, *sources, 0, 3));
  for (int step = 1; step < 100; ++step)
    for (double token : produced(file, *sources, 0, step)) {
      EXPECT_GE(token, 0);
      EXPECT_LT(token, 300);
    }
  // An initializer that promises too much is cut to what the ops take.
  file.program.inputs[0]->init_scale = 100000;
  sources = makeInputSources(file, {}, 4);
  for (double token : produced(file, *sources, 0, 1))
    EXPECT_LT(token, 300);
}

TEST(Sources, TextGivesBatchesAndTheNextBytes) {
  ProgramFile file = std::move(textModel().finish());
  TemporaryFile text("text.txt");
  text.write("abcdefghijklmnopqrst"); // 20 bytes, 8 per step.
  auto sources =
      makeInputSources(file, {*parseInputSpec("tokens=bytes:" + text.path)}, 0);
  ASSERT_TRUE(sources) << sources.error().message;
  using V = std::vector<double>;
  EXPECT_EQ(produced(file, *sources, 0, 1),
            (V{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}));
  EXPECT_EQ(produced(file, *sources, 1, 1),
            (V{'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i'}));
  EXPECT_EQ(produced(file, *sources, 0, 2)[0], 'i');
  // Step 3 runs over the end and begins again.
  EXPECT_EQ(produced(file, *sources, 0, 3),
            (V{'q', 'r', 's', 't', 'a', 'b', 'c', 'd'}));
  EXPECT_EQ(produced(file, *sources, 1, 3),
            (V{'r', 's', 't', 'a', 'b', 'c', 'd', 'e'}));
  EXPECT_EQ(produced(file, *sources, 0, 1000001),
            (V{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'}));
}

TEST(Sources, RawFilesHoldOneBatchOrSeveral) {
  ProgramFile file = std::move(textModel().finish());
  TemporaryFile raw("raw.bin");
  std::vector<int32_t> tokens(16);
  for (int i = 0; i < 16; ++i)
    tokens[size_t(i)] = i;
  raw.write(std::string(reinterpret_cast<char *>(tokens.data()), 64));
  auto sources =
      makeInputSources(file, {*parseInputSpec("tokens=" + raw.path)}, 0);
  ASSERT_TRUE(sources) << sources.error().message;
  EXPECT_EQ(produced(file, *sources, 0, 1)[0], 0);
  EXPECT_EQ(produced(file, *sources, 0, 2)[0], 8);
  EXPECT_EQ(produced(file, *sources, 0, 3)[0], 0);
  EXPECT_TRUE((*sources)[0]->changes());
  // Random for the rest is what a plain run takes.
  EXPECT_TRUE((*sources)[1]->changes());
}

TEST(Sources, SafetensorsByName) {
  ProgramFile file = std::move(textModel().finish());
  TemporaryFile state("data.safetensors");
  auto write = [&](const std::string &name, ElementType type,
                   const std::vector<uint64_t> &shape) {
    ASSERT_TRUE(writeStateFile(
        state.path,
        {{name, type, shape,
          [&](std::byte *out) {
            std::memset(out, 0, size_t(tensorBytes(type, shape)));
            return Status::success();
          }}},
        {}));
  };
  write("tokens", ElementType::I32, {2, 4});
  EXPECT_EQ(errorOf(file, {"tokens=" + state.path}), "");
  write("tokens", ElementType::I32, {3, 2, 4});
  EXPECT_EQ(errorOf(file, {"tokens=" + state.path}), "");
  write("tokens", ElementType::I64, {2, 4});
  expectError(file, {"tokens=" + state.path},
              "holds i64[2x4], the program takes i32[2x4]");
  write("other", ElementType::I32, {2, 4});
  expectError(file, {"tokens=" + state.path}, "has no tensor of that name");
}

TEST(Sources, ErrorsNameInputPlaceAndNumbers) {
  ProgramFile file = std::move(textModel().finish());
  expectError(file, {"tokens"}, "cannot read --input 'tokens'");
  expectError(file, {"=x"}, "cannot read --input '=x'");
  expectError(file, {"tokens="}, "give name=file, name=random or");
  expectError(file, {"nothing=random"},
              "the program has no input 'nothing'; its inputs are: tokens, "
              "targets");
  expectError(file, {"table=random"}, "the program has no input 'table'");
  expectError(file, {"tokens=random", "tokens=random"}, "is given twice");
  expectError(file, {"tokens=/nonexistent"},
              "input 'tokens': cannot read '/nonexistent': No such file");
  expectError(file, {"tokens=bytes:/nonexistent"}, "cannot read");
  TemporaryFile data("data.bin");
  data.write("");
  expectError(file, {"tokens=bytes:" + data.path}, "has 0 bytes");
  expectError(file, {"tokens=" + data.path}, "has 0 bytes, i32[2x4] needs 32");
  data.write(std::string(33, 'x'));
  expectError(file, {"tokens=" + data.path}, "has 33 bytes, i32[2x4] needs 32");
  std::vector<int32_t> tokens(8, 299);
  tokens[5] = 300;
  data.write(std::string(reinterpret_cast<char *>(tokens.data()), 32));
  expectError(file, {"tokens=" + data.path},
              "input 'tokens': token 300 at element 5 of '" + data.path +
                  "' is outside the vocabulary of 300; give tokens from 0 to "
                  "299");
  tokens[5] = -1;
  data.write(std::string(reinterpret_cast<char *>(tokens.data()), 32));
  expectError(file, {"tokens=" + data.path}, "token -1 at element 5");

  ProgramFile small = std::move(textModel(100).finish());
  data.write("abz");
  expectError(small, {"tokens=bytes:" + data.path},
              "token 122 at byte 2 of '" + data.path +
                  "' is outside the vocabulary of 100; train a model with a "
                  "vocabulary of 256");
  ProgramFile floats = std::move(program::test::perceptron().finish());
  expectError(floats, {"x=bytes:" + data.path},
              "input 'x' is f32[6x8], bytes: gives i32 or i64 tokens");
}

TEST(Sources, ConstantTokensAreCheckedToo) {
  ProgramBuilder b("constant");
  std::vector<int32_t> ids{1, 2, 50};
  SegmentData bytes(12);
  std::memcpy(bytes.data(), ids.data(), 12);
  auto tokens = b.data("ids", ElementType::I32, {3}, bytes, Role::Input);
  auto table = b.input("table", ElementType::F32, {10, 4}, Role::Parameter);
  b.output(
      "y",
      b.op(OpKind::Embedding, {tokens, table}, {{ElementType::F32, {3, 4}}})[0],
      Role::Output);
  ProgramFile &file = b.finish();
  ASSERT_TRUE(verifyProgram(file.program));
  expectError(file, {}, "token 50 at element 2 of 'constant'");
}

} // namespace
