//===- StateFileTest.cpp - safetensors, good and bad ----------------------===//
//
// Part of Ringi. Round trip, each rule of the format broken once, and fuzzing.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/StateFile.h"
#include "RuntimeTestSupport.h"

#include <cstring>
#include <random>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::runtime;
using namespace ringi::runtime::test;

namespace {

/// A file with this header and `dataBytes` bytes of data.
std::string fileWith(const std::string &header, size_t dataBytes) {
  uint64_t size = header.size();
  std::string result(reinterpret_cast<const char *>(&size), 8);
  return result + header + std::string(dataBytes, 'd');
}

std::string errorOf(const std::string &content) {
  TemporaryFile file("state.safetensors");
  file.write(content);
  Expected<StateFile> state = StateFile::open(file.path);
  if (state)
    return "";
  EXPECT_EQ(state.error().exitCode(), 2);
  return state.error().message;
}

void expectError(const std::string &content, const std::string &part) {
  std::string message = errorOf(content);
  EXPECT_NE(message.find(part), std::string::npos) << message;
  EXPECT_NE(message.find("; give a safetensors file"), std::string::npos);
}

StateEntry entry(const std::string &name, ElementType type,
                 const std::vector<uint64_t> &shape, uint8_t fill) {
  return {name, type, shape, [=](std::byte *out) {
            std::memset(out, fill, size_t(tensorBytes(type, shape)));
            return Status::success();
          }};
}

TEST(StateFile, RoundTrip) {
  TemporaryFile file("round.safetensors");
  ASSERT_TRUE(writeStateFile(file.path,
                             {entry("w", ElementType::BF16, {3, 5}, 7),
                              entry("n\"ame", ElementType::I64, {}, 9)},
                             {{"ringi.step", "12"}}));
  Expected<StateFile> state = StateFile::open(file.path);
  ASSERT_TRUE(state) << state.error().message;
  EXPECT_EQ(state->metadata().at("ringi.step"), "12");
  const StateTensor &w = state->tensors().at("w");
  EXPECT_EQ(w.type, ElementType::BF16);
  EXPECT_EQ(w.shape, (std::vector<uint64_t>{3, 5}));
  std::vector<std::byte> bytes(w.bytes);
  ASSERT_TRUE(state->read(w, bytes.data()));
  EXPECT_EQ(bytes, std::vector<std::byte>(30, std::byte(7)));
  EXPECT_EQ(state->tensors().at("n\"ame").bytes, 8u);
}

TEST(StateFile, EveryRuleOfTheFormat) {
  expectError("abc", "has 3 bytes, too few");
  expectError(std::string(8, '\xff'), "says its header has");
  expectError(fileWith("[]", 0), "no JSON object");
  expectError(fileWith("{\"a\":", 0), "no JSON object");
  expectError(fileWith(R"({"__metadata__": 3})", 0), "metadata that is no");
  expectError(fileWith(R"({"__metadata__": {"k": 3}})", 0),
              "metadata 'k' that is no string");
  expectError(fileWith(R"({"a": 1})", 0), "bad tensor 'a': no object");
  expectError(fileWith(R"({"a": {"dtype": "F32"}})", 0),
              "expected dtype, shape and two data_offsets");
  auto tensor = [](const char *dtype, const char *shape, const char *range) {
    return std::string(R"({"a": {"dtype": ")") + dtype + R"(", "shape": )" +
           shape + R"(, "data_offsets": )" + range + "}}";
  };
  expectError(fileWith(tensor("F99", "[1]", "[0, 4]"), 4), "dtype F99");
  expectError(fileWith(tensor("F32", "[-1]", "[0, 4]"), 4), "is no size");
  expectError(fileWith(tensor("F32", "[1]", "[0, 8]"), 4), "bytes 0 to 8 of 4");
  expectError(fileWith(tensor("F32", "[1]", "[4, 0]"), 4), "bytes 4 to 0");
  expectError(fileWith(tensor("F32", "[2]", "[0, 4]"), 4),
              "4 bytes for f32[2]");
  expectError(fileWith(tensor("F32", "[4294967296, 4294967296]", "[0, 4]"), 4),
              "4 bytes for f32[4294967296x4294967296]");
  expectError(fileWith(tensor("F32", "[1]", "[4, 8]"), 8), "leave a hole");
  expectError(fileWith(tensor("F32", "[1]", "[0, 4]"), 9),
              "has 5 bytes after its last tensor");
  EXPECT_EQ(errorOf(fileWith(tensor("F32", "[1]", "[0, 4]"), 4)), "");
  Expected<StateFile> missing = StateFile::open("/nonexistent.safetensors");
  ASSERT_FALSE(missing);
  EXPECT_NE(missing.error().message.find("No such file"), std::string::npos);
  EXPECT_FALSE(StateFile::open("/tmp"));
}

TEST(StateFile, WritingFailsCleanly) {
  Status status = writeStateFile("/nonexistent/x", {}, {});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("cannot write '/nonexistent/x'"),
            std::string::npos);
  status =
      writeStateFile("/tmp/x", {entry("w", ElementType::F4E2M1FN, {2}, 0)}, {});
  ASSERT_FALSE(status);
  EXPECT_NE(status.error().message.find("safetensors has no such type"),
            std::string::npos);
}

TEST(StateFile, FuzzedFilesNeverCrash) {
  TemporaryFile good("good.safetensors"), bad("bad.safetensors");
  ASSERT_TRUE(writeStateFile(good.path,
                             {entry("w", ElementType::F32, {4, 4}, 7),
                              entry("b", ElementType::F32, {4}, 9)},
                             {{"ringi.step", "12"}}));
  std::ifstream stream(good.path, std::ios::binary);
  std::string content((std::istreambuf_iterator<char>(stream)), {});
  std::mt19937 random(3);
  int refused = 0;
  for (int round = 0; round < 300; ++round) {
    std::string mutant = content;
    if (round % 4 == 0)
      mutant.resize(random() % mutant.size());
    else
      for (int flips = 1 + int(random() % 3); flips > 0; --flips)
        mutant[random() % (content.size() - 80)] ^= char(1 << random() % 8);
    bad.write(mutant);
    Expected<StateFile> state = StateFile::open(bad.path);
    refused += !state;
    for (const auto &[name, tensor] :
         state ? state->tensors() : std::map<std::string, StateTensor>()) {
      std::vector<std::byte> bytes(tensor.bytes);
      EXPECT_TRUE(state->read(tensor, bytes.data()));
    }
  }
  EXPECT_GT(refused, 150);
}

} // namespace
