//===- SessionTest.cpp - Training runs ------------------------------------===//
//
// Part of Ringi. Steps, state, threads and long runs, on real kernels.
//
//===----------------------------------------------------------------------===//

#include "RuntimeTestSupport.h"
#include "ringi/Runtime/AllocationCounter.h"
#include "ringi/Runtime/Proofs.h"
#include "ringi/Runtime/StateFile.h"

#include <cmath>
#include <cstring>

using namespace ringi;
using namespace ringi::program;
using namespace ringi::program::test;
using namespace ringi::runtime;
using namespace ringi::runtime::test;

namespace {

ProgramFile make(const PerceptronOptions &options = {}) {
  return std::move(perceptron(options).finish());
}

std::unique_ptr<Session> startOn(const ProgramFile &file, Device &device,
                                 const RunConfig &config = {}) {
  auto session = Session::start(file, device, config);
  EXPECT_TRUE(session) << session.error().message;
  return std::move(*session);
}

std::vector<double> train(const ProgramFile &file, const RunConfig &config,
                          int steps, int threads = 1) {
  std::unique_ptr<Device> device = host(threads);
  std::unique_ptr<Session> session = startOn(file, *device, config);
  std::vector<double> losses;
  for (int step = 0; step < steps; ++step) {
    EXPECT_TRUE(session->step());
    losses.push_back(*session->loss());
  }
  return losses;
}

/// One batch that repeats, so that the loss must fall.
RunConfig fixedData(const TemporaryFile &x, const TemporaryFile &t) {
  std::vector<float> numbers(48);
  for (size_t i = 0; i < 48; ++i)
    numbers[i] = std::sin(float(i));
  x.write(std::string(reinterpret_cast<char *>(numbers.data()), 192));
  for (size_t i = 0; i < 48; ++i)
    numbers[i] = std::cos(float(i)) / 2;
  t.write(std::string(reinterpret_cast<char *>(numbers.data()), 192));
  RunConfig config;
  config.learningRate = 0.05;
  config.inputs = {*parseInputSpec("x=" + x.path),
                   *parseInputSpec("t=" + t.path)};
  return config;
}

TEST(Session, LossFallsOnFixedData) {
  TemporaryFile x("x.bin"), t("t.bin");
  RunConfig config = fixedData(x, t);
  for (OpKind optimizer : {OpKind::Sgd, OpKind::Momentum, OpKind::AdamW}) {
    std::vector<double> losses = train(make({true, optimizer}), config, 60);
    EXPECT_LT(losses.back(), losses.front() * 0.8);
  }
}

TEST(Session, SameBitsAtAnyThreadCountAndForAnyPlan) {
  RunConfig config;
  config.seed = 5;
  std::vector<double> one = train(make({false, OpKind::AdamW}), config, 4);
  EXPECT_EQ(one, train(make({false, OpKind::AdamW}), config, 4, 3));
  EXPECT_EQ(one, train(make({true, OpKind::AdamW}), config, 4, 2));
  config.seed = 6;
  EXPECT_NE(one, train(make({false, OpKind::AdamW}), config, 4));
}

TEST(Session, HundredStepsKeepMemoryAndAllocateNothing) {
  ProgramFile file = make({true, OpKind::AdamW});
  std::unique_ptr<Device> device = host();
  ExecutorOptions options;
  options.fill = 0xA5;
  auto session = Session::start(file, *device, {}, options);
  ASSERT_TRUE(session);
  ASSERT_TRUE((*session)->step());
  ASSERT_TRUE((*session)->step());
  Expected<int64_t> early = touchedPeak((*session)->executor(), 0xA5);
  int64_t before = allocationCount();
  for (int step = 2; step < 100; ++step)
    ASSERT_TRUE((*session)->step());
  EXPECT_EQ(allocationCount(), before);
  Expected<int64_t> late = touchedPeak((*session)->executor(), 0xA5);
  ASSERT_TRUE(early && late);
  EXPECT_EQ(*early, *late);
  EXPECT_EQ(*late, int64_t(file.program.claims->planned_peak[0]));
  EXPECT_EQ((*session)->stepsDone(), 100);
  // The step number reached the arena.
  for (const auto &input : file.program.inputs)
    if (input->role == Role::Step) {
      int64_t step = 0;
      ASSERT_TRUE((*session)->executor().read(
          input->value, reinterpret_cast<std::byte *>(&step)));
      EXPECT_EQ(step, 100);
    }
}

TEST(Session, SavedStateContinuesBitForBit) {
  TemporaryFile state("state.safetensors");
  ProgramFile keep = make({false, OpKind::AdamW});
  ProgramFile again = make({true, OpKind::AdamW});
  std::vector<double> whole = train(keep, {}, 6);

  std::unique_ptr<Device> device = host();
  std::unique_ptr<Session> session = startOn(keep, *device);
  for (int step = 0; step < 3; ++step)
    ASSERT_TRUE(session->step());
  ASSERT_TRUE(session->save(state.path));
  // Another plan of the same model continues.
  RunConfig config;
  config.loadPath = state.path;
  std::vector<double> rest = train(again, config, 3);
  EXPECT_EQ(rest, std::vector<double>(whole.begin() + 3, whole.end()));
}

TEST(Session, StateThatDoesNotFitIsNamed) {
  TemporaryFile state("state.safetensors");
  auto save = [&](const PerceptronOptions &options) {
    ProgramFile file = make(options);
    std::unique_ptr<Device> device = host();
    EXPECT_TRUE(startOn(file, *device)->save(state.path));
  };
  auto load = [&](const PerceptronOptions &options) -> std::string {
    ProgramFile file = make(options);
    std::unique_ptr<Device> device = host();
    RunConfig config;
    config.loadPath = state.path;
    auto session = Session::start(file, *device, config);
    return session ? "" : session.error().message;
  };
  save({.optimizer = OpKind::AdamW});
  EXPECT_EQ(load({.optimizer = OpKind::AdamW}), "");
  EXPECT_NE(load({}).find("its tensor 'b1.m' is not in the program"),
            std::string::npos);
  EXPECT_NE(load({.optimizer = OpKind::AdamW, .type = ElementType::BF16})
                .find("'w1' is f32[8x16], the program has bf16[8x16]"),
            std::string::npos);
  // Weights alone start a fresh optimizer.
  save({});
  EXPECT_EQ(load({.optimizer = OpKind::AdamW}), "");
  auto entry = [](const char *name, std::vector<uint64_t> shape) {
    return StateEntry{
        name, ElementType::F32, shape, [=](std::byte *out) {
          std::memset(out, 0, size_t(tensorBytes(ElementType::F32, shape)));
          return Status::success();
        }};
  };
  ASSERT_TRUE(writeStateFile(state.path, {entry("w1", {8, 16})}, {}));
  EXPECT_NE(load({}).find("it has no tensor 'b1'"), std::string::npos);
  for (const char *step : {"", "-3", "x", "99999999999"}) {
    ASSERT_TRUE(writeStateFile(
        state.path,
        {entry("w1", {8, 16}), entry("b1", {16}), entry("w2", {16, 8})},
        {{"ringi.step", step}}));
    EXPECT_NE(load({}).find("its step number is '"), std::string::npos);
  }
}

TEST(Session, LossNeedsAnOutput) {
  ProgramBuilder b("no-loss");
  auto x = b.input("x", ElementType::F32, {8});
  b.output("y", b.unary(OpKind::Relu, {x}), Role::Output);
  ProgramFile &file = b.finish();
  std::unique_ptr<Device> device = host();
  std::unique_ptr<Session> session = startOn(file, *device);
  ASSERT_TRUE(session->step());
  EXPECT_FALSE(session->hasLoss());
  EXPECT_NE(session->loss().error().message.find("no output of role loss"),
            std::string::npos);
}

TEST(HostDevice, BadThreadCounts) {
  for (int threads : {-1, 5000}) {
    Expected<std::unique_ptr<Device>> device =
        makeHostDevice({.threads = threads, .gemm = "ref"});
    ASSERT_FALSE(device);
    EXPECT_EQ(device.error().message,
              "cannot use " + std::to_string(threads) +
                  " threads; give 1 to 1024, or 0 for one per processor");
  }
}

} // namespace
