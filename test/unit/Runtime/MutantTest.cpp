//===- MutantTest.cpp - What the loader accepts, runs ---------------------===//
//
// Part of Ringi. Damages a program file, with and without a repaired checksum.
// It is refused with one error, or it runs a step without harm; and where the
// damage changes no op, operand or datum but only where the bytes lie or how
// things are called, the loss is the same bit for bit.
//
// RINGI_MUTATE=<program> damages that file instead of the built-in ones.
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"
#include "RuntimeTestSupport.h"
#include "ringi/Runtime/Session.h"

#include <cstdlib>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::test;
using namespace ringi::runtime;
using namespace ringi::runtime::test;

namespace {

std::vector<Bytes> seeds() {
  std::vector<Bytes> result;
  if (const char *path = std::getenv("RINGI_MUTATE")) {
    std::ifstream stream(path, std::ios::binary);
    std::string text((std::istreambuf_iterator<char>(stream)), {});
    const auto *begin = reinterpret_cast<const std::byte *>(text.data());
    result.emplace_back(begin, begin + text.size());
    return result;
  }
  for (bool recompute : {false, true}) {
    ProgramBuilder builder =
        perceptron({.recompute = recompute, .optimizer = OpKind::AdamW});
    ProgramFile &file = builder.finish();
    result.push_back(serializeProgram(file.program, file.segments));
  }
  return result;
}

/// Makes every field equal that no kernel reads: names, places in the arena and
/// what they are counted as.
void forgetPlaces(StepProgramT &program, const StepProgramT &original) {
  auto likewise = [](auto &mine, const auto &theirs, auto copy) {
    for (size_t i = 0; i < std::min(mine.size(), theirs.size()); ++i)
      copy(*mine[i], *theirs[i]);
  };
  program.name = original.name;
  program.claims = std::make_unique<ClaimsT>(*original.claims);
  likewise(program.buffers, original.buffers, [](BufferT &a, const BufferT &b) {
    a.name = b.name;
    a.offset = b.offset;
    a.category = b.category;
  });
  likewise(program.values, original.values,
           [](ValueT &a, const ValueT &b) { a.name = b.name; });
  likewise(program.ops, original.ops, [](OpT &a, const OpT &b) {
    a.block = b.block;
    a.location = b.location;
    a.op_class = b.op_class;
    a.phase = b.phase;
    a.flops = b.flops;
  });
  likewise(program.outputs, original.outputs,
           [](OutputT &a, const OutputT &b) { a.name = b.name; });
}

/// The loss of one step; an error that is bad input otherwise.
Expected<double> lossOf(const Bytes &bytes) {
  Expected<ProgramFile> file = parseProgram(bytes.data(), bytes.size(), "f");
  if (!file)
    return file.error();
  if (Status status = verifyProgram(file->program); !status)
    return status.error();
  Expected<std::unique_ptr<Device>> device =
      makeHostDevice({.threads = 1, .gemm = "ref", .memoryLimit = 64 << 20});
  if (!device)
    return device.error();
  auto session = Session::start(*file, **device, {});
  if (!session)
    return session.error();
  if (Status status = (*session)->step(); !status)
    return status.error();
  return (*session)->hasLoss() ? (*session)->loss() : Expected<double>(0.0);
}

TEST(Mutants, WithoutARepairedChecksumNoneIsLoaded) {
  std::mt19937 random(4);
  for (const Bytes &seed : seeds())
    for (int round = 0; round < 1000; ++round) {
      Bytes file = seed;
      if (round % 4 == 0)
        file.resize(random() % file.size());
      else
        file[random() % file.size()] ^= std::byte(1 << random() % 8);
      Expected<ProgramFile> parsed =
          parseProgram(file.data(), file.size(), "f");
      ASSERT_FALSE(parsed) << "round " << round;
      EXPECT_EQ(parsed.error().exitCode(), 2);
    }
}

TEST(Mutants, AreRefusedOrRunWithoutHarm) {
  std::mt19937 random(5);
  int refused = 0, ran = 0, equal = 0;
  for (const Bytes &seed : seeds()) {
    Expected<ProgramFile> original =
        parseProgram(seed.data(), seed.size(), "seed");
    ASSERT_TRUE(original) << original.error().message;
    Expected<double> expected = lossOf(seed);
    ASSERT_TRUE(expected) << expected.error().message;
    for (int round = 0; round < 2000; ++round) {
      Bytes file = seed;
      changeWords(file, random);
      repairChecksum(file);
      Expected<double> loss = lossOf(file);
      if (!loss) {
        EXPECT_EQ(loss.error().exitCode(), 2) << loss.error().message;
        EXPECT_FALSE(loss.error().message.empty());
        ++refused;
        continue;
      }
      ++ran;
      Expected<ProgramFile> mutant = parseProgram(file.data(), file.size(), "");
      forgetPlaces(mutant->program, original->program);
      if (!(mutant->program == original->program) ||
          mutant->segments != original->segments)
        continue;
      ++equal;
      EXPECT_EQ(std::memcmp(&*loss, &*expected, sizeof(double)), 0)
          << "round " << round << ": " << *loss << " instead of " << *expected;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(ran, 20);
  EXPECT_GT(equal, 10);
  RecordProperty("refused", refused);
  RecordProperty("ran", ran);
  RecordProperty("equal", equal);
}

} // namespace
