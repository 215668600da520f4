//===- ProgramFileTest.cpp - Files, good, damaged and fuzzed --------------===//
//
// Part of Ringi. Round trips; every message about a bad file; and thousands of
// flipped, overwritten and cut files that must end in one error or in a program
// that verifies.
//
//===----------------------------------------------------------------------===//

#include "Mutations.h"
#include "TestPrograms.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <random>
#include <sys/stat.h>
#include <unistd.h>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::test;

namespace {

ProgramFile makeWithConstants() {
  ProgramBuilder b("constants");
  SegmentData first(24), second(300);
  for (size_t i = 0; i < second.size(); ++i)
    second[i] = std::byte(i * 7);
  auto a = b.data("a", ElementType::F32, {6}, first);
  auto c = b.data("c", ElementType::F32, {75}, second);
  b.output("y", b.unary(OpKind::Relu, {a}), Role::Output);
  b.output("z", b.unary(OpKind::Relu, {c}), Role::Output);
  return b.finish();
}

/// A file around a FlatBuffer that the writer would not write, with zeros for
/// constants.
Bytes withTrailer(const flatbuffers::FlatBufferBuilder &builder,
                  size_t constantBytes = 0) {
  size_t base = (builder.GetSize() + 255) / 256 * 256;
  Bytes file(constantBytes ? base + constantBytes : builder.GetSize(),
             std::byte(0));
  std::memcpy(file.data(), builder.GetBufferPointer(), builder.GetSize());
  uint64_t trailer[4] = {builder.GetSize(), file.size() + 32, 0, 0};
  std::memcpy(&trailer[3], "RINGIEND", 8);
  const auto *bytes = reinterpret_cast<const std::byte *>(trailer);
  file.insert(file.end(), bytes, bytes + sizeof(trailer));
  repairChecksum(file);
  return file;
}

std::string errorOf(const Bytes &file) {
  Expected<ProgramFile> parsed = parseProgram(file.data(), file.size(), "f");
  return parsed ? "" : parsed.error().message;
}

void expectError(const Bytes &file, const std::string &part) {
  EXPECT_NE(errorOf(file).find(part), std::string::npos) << errorOf(file);
}

std::string temporaryPath(const char *name) {
  return testing::TempDir() + "ringi-" + std::to_string(getpid()) + "-" + name;
}

TEST(ProgramFile, RoundTrip) {
  std::string path = temporaryPath("round.rgp");
  for (bool recompute : {false, true}) {
    ProgramBuilder builder = perceptron({.recompute = recompute});
    ProgramFile &file = builder.finish();
    ASSERT_TRUE(saveProgram(file.program, file.segments, path));
    Expected<ProgramFile> loaded = loadProgram(path);
    ASSERT_TRUE(loaded) << loaded.error().message;
    EXPECT_TRUE(loaded->program == file.program);
  }
  std::remove(path.c_str());
}

TEST(ProgramFile, ConstantsComeBack) {
  std::string path = temporaryPath("constants.rgp");
  ProgramFile file = makeWithConstants();
  ASSERT_TRUE(saveProgram(file.program, file.segments, path));
  Expected<ProgramFile> loaded = loadProgram(path);
  ASSERT_TRUE(loaded) << loaded.error().message;
  EXPECT_EQ(loaded->segments, file.segments);
  EXPECT_EQ(loaded->program.segments[1]->offset, 256u);
  std::remove(path.c_str());
}

TEST(ProgramFile, SameBytesForTheSameProgram) {
  ProgramFile file = makeWithConstants();
  EXPECT_EQ(serializeProgram(file.program, file.segments),
            serializeProgram(file.program, file.segments));
}

TEST(ProgramFile, LoadRunsTheSemanticVerifier) {
  std::string path = temporaryPath("claims.rgp");
  ProgramFile file = makeWithConstants();
  file.program.claims->live_peak += 1;
  ASSERT_TRUE(saveProgram(file.program, file.segments, path));
  EXPECT_TRUE(readProgramUnverified(path));
  Expected<ProgramFile> loaded = loadProgram(path);
  ASSERT_FALSE(loaded);
  EXPECT_EQ(loaded.error().exitCode(), 2);
  EXPECT_NE(loaded.error().message.find("claims.rgp': the claims give "
                                        "live_peak"),
            std::string::npos)
      << loaded.error().message;
  std::remove(path.c_str());
}

TEST(ProgramFile, MissingAndUnwritableFiles) {
  Expected<ProgramFile> missing = loadProgram("/nonexistent/x.rgp");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().message,
            "cannot read '/nonexistent/x.rgp': No such file or directory; give "
            "the path of a step program (.rgp)");
  Expected<ProgramFile> folder = loadProgram("/tmp");
  ASSERT_FALSE(folder);
  EXPECT_NE(folder.error().message.find("not a regular file"),
            std::string::npos);
  ProgramFile file = makeWithConstants();
  Status status =
      saveProgram(file.program, file.segments, "/nonexistent/x.rgp");
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("cannot write '/nonexistent/x.rgp'"),
            std::string::npos);
}

TEST(ProgramFile, EveryKindOfDamageIsNamed) {
  ProgramFile program = makeWithConstants();
  const Bytes good = serializeProgram(program.program, program.segments);
  ASSERT_EQ(errorOf(good), "");
  expectError({}, "0 bytes are too few");
  expectError(Bytes(64), "bytes 4 to 7 are not \"RNGP\"");
  expectError(Bytes(good.begin(), good.end() - 8), "do not end in a trailer");
  {
    // A whole file cut out of the middle, trailer kept.
    Bytes file = good;
    file.erase(file.begin() + 200, file.begin() + 264);
    expectError(file, "its trailer says " + std::to_string(good.size()));
  }
  {
    Bytes file = good;
    file[file.size() - 40] ^= std::byte(1);
    expectError(file, "its checksum does not match");
    repairChecksum(file);
    expectError(file, "the checksum of segment 1 does not match");
  }
  {
    Bytes file = good;
    uint64_t huge = UINT64_MAX;
    std::memcpy(file.data() + file.size() - 32, &huge, 8);
    repairChecksum(file);
    expectError(file, "exceeds the");
  }
  {
    Bytes file = good;
    std::memset(file.data(), 0xff, 4);
    repairChecksum(file);
    expectError(file, "its tables do not verify");
  }
}

TEST(ProgramFile, OtherVersionIsRefused) {
  // The writer always writes its own version, so that the file is made by hand.
  StepProgramT program(makeWithConstants().program);
  program.version = 99;
  program.segments.clear();
  flatbuffers::FlatBufferBuilder builder;
  FinishStepProgramBuffer(builder, StepProgram::Pack(builder, &program));
  Bytes file = withTrailer(builder);
  expectError(file, "has step program version 99, this build reads version 1");
}

TEST(ProgramFile, SharedBytesDoNotUnpackToMoreThanTheFile) {
  // One long string, named by many ops.
  StepProgramT empty;
  flatbuffers::FlatBufferBuilder builder;
  auto text = builder.CreateString(std::string(10000, 'x'));
  std::vector<flatbuffers::Offset<Op>> ops;
  for (int i = 0; i < 100; ++i) {
    OpBuilder op(builder);
    op.add_location(text);
    ops.push_back(op.Finish());
  }
  auto list = builder.CreateVector(ops);
  StepProgramBuilder root(builder);
  root.add_version(kStepProgramVersion);
  root.add_ops(list);
  FinishStepProgramBuffer(builder, root.Finish());
  Bytes file = withTrailer(builder);
  expectError(file, "its tables share bytes");
}

TEST(ProgramFile, SegmentsLieInTheFileAndApart) {
  const Bytes zeros(64);
  auto fileWith = [&](std::vector<std::pair<uint64_t, uint64_t>> segments) {
    StepProgramT program(makeWithConstants().program);
    program.version = kStepProgramVersion;
    program.segments.clear();
    for (auto [offset, bytes] : segments) {
      auto segment = std::make_unique<SegmentT>();
      segment->offset = offset;
      segment->bytes = bytes;
      segment->checksum =
          checksum(zeros.data(), size_t(std::min<uint64_t>(bytes, 64)));
      program.segments.push_back(std::move(segment));
    }
    flatbuffers::FlatBufferBuilder builder;
    FinishStepProgramBuffer(builder, StepProgram::Pack(builder, &program));
    return withTrailer(builder, 64);
  };
  EXPECT_EQ(errorOf(fileWith({{0, 32}, {32, 32}})), "");
  expectError(fileWith({{0, 65}}), "segment 0 of 65 bytes at offset 0 exceeds "
                                   "the 64 bytes of constants");
  expectError(fileWith({{0, 8}, {UINT64_MAX, 8}}),
              "segment 1 of 8 bytes at offset 18446744073709551615 exceeds");
  expectError(fileWith({{0, 32}, {31, 8}}),
              "segment 1 overlaps the segment before it");
}

TEST(ProgramFile, MisalignedVectorsAreRefused) {
  // A shape of u64 that begins four bytes too late: FlatBuffers accepts it.
  ProgramFile program = makeWithConstants();
  Bytes file = serializeProgram(program.program, program.segments);
  int refused = 0;
  for (size_t at = 0; at + 40 < file.size(); at += 4) {
    Bytes shifted = file;
    uint32_t offset;
    std::memcpy(&offset, file.data() + at, 4);
    offset += 4;
    std::memcpy(shifted.data() + at, &offset, 4);
    repairChecksum(shifted);
    refused += errorOf(shifted).find("are not aligned") != std::string::npos;
  }
  EXPECT_GT(refused, 0);
}

TEST(ProgramFile, ChecksumSeesEveryBit) {
  Bytes data(100);
  uint64_t sum = checksum(data.data(), data.size());
  for (size_t bit = 0; bit < data.size() * 8; ++bit) {
    data[bit / 8] ^= std::byte(1 << bit % 8);
    EXPECT_NE(checksum(data.data(), data.size()), sum);
    data[bit / 8] ^= std::byte(1 << bit % 8);
  }
  EXPECT_NE(checksum(data.data(), data.size() - 1), sum);
}

//===----------------------------------------------------------------------===//
// Fuzzing
//===----------------------------------------------------------------------===//

/// What became of the mutated files.
struct Outcome {
  int refusedByFile = 0, refusedByVerifier = 0, accepted = 0;
};

void tryFile(const Bytes &file, Outcome &outcome) {
  // An exact-size copy, so that a sanitizer sees a read past its end.
  Expected<ProgramFile> parsed = parseProgram(file.data(), file.size(), "fuzz");
  if (!parsed) {
    ++outcome.refusedByFile;
    EXPECT_EQ(parsed.error().exitCode(), 2);
    EXPECT_FALSE(parsed.error().message.empty());
    return;
  }
  Status status = verifyProgram(parsed->program);
  status ? ++outcome.accepted : ++outcome.refusedByVerifier;
  EXPECT_EQ(status ? 2 : status.error().exitCode(), 2);
}

std::vector<Bytes> seeds() {
  std::vector<Bytes> result;
  for (bool recompute : {false, true}) {
    ProgramBuilder builder =
        perceptron({.recompute = recompute, .optimizer = OpKind::AdamW});
    ProgramFile &file = builder.finish();
    result.push_back(serializeProgram(file.program, file.segments));
  }
  ProgramFile constants = makeWithConstants();
  result.push_back(serializeProgram(constants.program, constants.segments));
  return result;
}

TEST(ProgramFuzz, AnyBitFlipIsCaughtByTheChecksum) {
  Bytes file = seeds()[2];
  for (size_t bit = 0; bit < file.size() * 8; bit += 3) {
    file[bit / 8] ^= std::byte(1 << bit % 8);
    EXPECT_NE(errorOf(file), "") << "bit " << bit;
    file[bit / 8] ^= std::byte(1 << bit % 8);
  }
}

TEST(ProgramFuzz, EveryLengthIsRefused) {
  Bytes file = seeds()[2];
  for (size_t size = 0; size < file.size(); ++size) {
    Bytes cut(file.begin(), file.begin() + size);
    EXPECT_NE(errorOf(cut), "") << "length " << size;
  }
}

TEST(ProgramFuzz, FlipsBehindAGoodChecksumNeverCrash) {
  Outcome outcome;
  for (const Bytes &seed : seeds()) {
    Bytes file = seed;
    // Every byte once, with a different bit or value each.
    for (size_t i = 0; i + 32 < file.size(); ++i) {
      std::byte old = file[i];
      file[i] ^= std::byte(1 << (i * 5 % 8));
      repairChecksum(file);
      tryFile(file, outcome);
      file[i] = std::byte(i % 2 ? 0xff : 0x00);
      repairChecksum(file);
      tryFile(file, outcome);
      file[i] = old;
    }
  }
  EXPECT_GT(outcome.refusedByFile, 100);
  EXPECT_GT(outcome.refusedByVerifier, 1000);
  RecordProperty("refused_by_file", outcome.refusedByFile);
  RecordProperty("refused_by_verifier", outcome.refusedByVerifier);
  RecordProperty("accepted", outcome.accepted);
}

TEST(ProgramFuzz, ManyFlipsBehindAGoodChecksumNeverCrash) {
  Outcome outcome;
  std::mt19937 random(1);
  for (const Bytes &seed : seeds())
    for (int round = 0; round < 1000; ++round) {
      Bytes file = seed;
      changeWords(file, random);
      repairChecksum(file);
      tryFile(file, outcome);
    }
  EXPECT_GT(outcome.refusedByVerifier, 300);
}

/// Random damage to the tables themselves, where every mutant reaches the
/// semantic verifier.
TEST(ProgramFuzz, DamagedTablesNeverCrash) {
  std::mt19937 random(2);
  auto damage = [&](auto &number) {
    using T = std::remove_reference_t<decltype(number)>;
    switch (random() % 4) {
    case 0:
      number = T(number + 1);
      break;
    case 1:
      number = T(number - 1);
      break;
    case 2:
      number = T(random());
      break;
    default:
      number = T(number ^ (T(1) << random() % (8 * sizeof(T))));
    }
  };
  int accepted = 0;
  for (int round = 0; round < 6000; ++round) {
    StepProgramT p =
        std::move(perceptron({.recompute = true, .optimizer = OpKind::AdamW})
                      .finish()
                      .program);
    for (int changes = 1 + int(random() % 2); changes > 0; --changes) {
      BufferT &buffer = *p.buffers[random() % p.buffers.size()];
      ValueT &value = *p.values[random() % p.values.size()];
      OpT &op = *p.ops[random() % p.ops.size()];
      InputT &input = *p.inputs[random() % p.inputs.size()];
      OutputT &output = *p.outputs[random() % p.outputs.size()];
      switch (random() % 22) {
      case 0:
        damage(buffer.offset);
        break;
      case 1:
        damage(buffer.bytes);
        break;
      case 2:
        damage(buffer.first);
        break;
      case 3:
        damage(buffer.last);
        break;
      case 4:
        damage(buffer.reuses);
        break;
      case 5:
        buffer.persistent = !buffer.persistent;
        break;
      case 6:
        buffer.offset += 256;
        break;
      case 7:
        damage(value.buffer);
        break;
      case 8:
        damage(value.byte_offset);
        break;
      case 9:
        value.shape.push_back(random());
        break;
      case 10:
        if (!value.shape.empty())
          damage(value.shape[random() % value.shape.size()]);
        break;
      case 11:
        value.element_type = ElementType(random() % 12);
        break;
      case 12:
        op.kind = OpKind(random() % 48);
        break;
      case 13:
        if (!op.operands.empty())
          damage(op.operands[random() % op.operands.size()]);
        break;
      case 14:
        damage(op.results[random() % op.results.size()]);
        break;
      case 15:
        damage(op.workspace);
        break;
      case 16:
        damage(op.origin);
        break;
      case 17:
        damage(input.value);
        break;
      case 18:
        damage(output.value);
        break;
      case 19:
        damage(output.updates);
        break;
      case 20:
        input.role = Role(random() % 14);
        break;
      default:
        std::swap(op.operands, op.results);
        break;
      }
    }
    Status status = verifyProgram(p);
    accepted += bool(status);
    EXPECT_EQ(status ? 2 : status.error().exitCode(), 2);
  }
  // Harmless changes exist (a moved slot, another role), most are not.
  EXPECT_LT(accepted, 1500);
}

} // namespace
