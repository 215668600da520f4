//===- RuntimeTest.cpp - The runtime through its C API --------------------===//
//
// Part of Ringi. Two plans of one model train to the same bits; state is saved
// and continued; errors come as status and message.
//
//===----------------------------------------------------------------------===//

#include "ringi-c/Runtime.h"

#include "TestPrograms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

using namespace ringi;

namespace {

class RuntimeApi : public testing::Test {
protected:
  void SetUp() override {
    ringiSessionOptionsInit(&options);
    options.threads = 1;
  }
  void TearDown() override {
    for (RingiSession *session : sessions)
      ringiSessionDestroy(session);
    for (const std::string &path : files)
      std::remove(path.c_str());
  }

  std::string fileName(const std::string &name) {
    files.push_back(testing::TempDir() + "ringi-capi-" + name);
    return files.back();
  }
  std::string program(bool recompute) {
    program::ProgramFile file =
        program::test::perceptron({.recompute = recompute}).finish();
    std::string path = fileName(recompute ? "recompute.rgp" : "plain.rgp");
    EXPECT_TRUE(bool(program::saveProgram(file.program, file.segments, path)));
    return path;
  }
  RingiSession *start(const std::string &path) {
    RingiSession *session = nullptr;
    EXPECT_EQ(ringiSessionStart(path.c_str(), &options, &session), RINGI_OK)
        << ringiLastError();
    sessions.push_back(session);
    return session;
  }

  RingiSessionOptions options;
  std::vector<RingiSession *> sessions;
  std::vector<std::string> files;
};

std::vector<char> parameter(RingiSession *session, const char *name) {
  std::vector<char> bytes(size_t(ringiSessionBytes(session, name)));
  EXPECT_EQ(ringiSessionRead(session, name, bytes.data(), bytes.size()),
            RINGI_OK)
      << ringiLastError();
  return bytes;
}

TEST_F(RuntimeApi, TwoPlansTrainToTheSameBits) {
  RingiSession *plain = start(program(false));
  RingiSession *recompute = start(program(true));
  double losses[2] = {0, 1};
  for (int step = 0; step < 3; ++step) {
    ASSERT_EQ(ringiSessionStep(plain), RINGI_OK);
    ASSERT_EQ(ringiSessionStep(recompute), RINGI_OK);
    ASSERT_EQ(ringiSessionLoss(plain, &losses[0]), RINGI_OK);
    ASSERT_EQ(ringiSessionLoss(recompute, &losses[1]), RINGI_OK);
    EXPECT_EQ(losses[0], losses[1]);
  }
  EXPECT_EQ(ringiSessionStepsDone(plain), 3);
  EXPECT_EQ(parameter(plain, "w1"), parameter(recompute, "w1"));
  EXPECT_GT(ringiSessionPlannedPeak(plain), 0);
}

TEST_F(RuntimeApi, ContinuesFromASavedState) {
  std::string path = program(false), state = fileName("state.safetensors");
  RingiSession *whole = start(path), *first = start(path);
  for (int step = 0; step < 2; ++step)
    ASSERT_EQ(ringiSessionStep(whole), RINGI_OK);
  ASSERT_EQ(ringiSessionStep(first), RINGI_OK);
  ASSERT_EQ(ringiSessionSave(first, state.c_str()), RINGI_OK);
  options.load = state.c_str();
  RingiSession *second = start(path);
  ASSERT_EQ(ringiSessionStep(second), RINGI_OK);
  EXPECT_EQ(ringiSessionStepsDone(second), 2);
  EXPECT_EQ(parameter(second, "w2"), parameter(whole, "w2"));
}

TEST_F(RuntimeApi, ErrorsAreStatusAndMessage) {
  RingiSession *none = nullptr;
  EXPECT_EQ(ringiSessionStart("/nowhere.rgp", &options, &none),
            RINGI_BAD_INPUT);
  EXPECT_EQ(none, nullptr);
  std::string path = program(false);
  options.learningRate = std::nan("");
  EXPECT_EQ(ringiSessionStart(path.c_str(), &options, &none), RINGI_BAD_INPUT);
  options.learningRate = -1;
  const char *unknown = "nothere=random";
  options.inputs = &unknown;
  options.inputCount = 1;
  EXPECT_EQ(ringiSessionStart(path.c_str(), &options, &none), RINGI_BAD_INPUT);
  options.inputCount = 0;

  RingiSession *session = start(path);
  double loss;
  EXPECT_EQ(ringiSessionLoss(session, &loss), RINGI_BAD_INPUT);
  EXPECT_STREQ(ringiLastError(), "no step has run; call ringiSessionStep");
  char byte;
  EXPECT_EQ(ringiSessionRead(session, "w1", &byte, 1), RINGI_BAD_INPUT);
  EXPECT_STREQ(ringiLastError(), "'w1' has 512 bytes, but the buffer has 1");
  EXPECT_EQ(ringiSessionRead(session, "w9", &byte, 1), RINGI_BAD_INPUT);
  EXPECT_EQ(ringiSessionBytes(session, "w9"), -1);
  EXPECT_EQ(ringiSessionStep(nullptr), RINGI_BAD_INPUT);
}

} // namespace
