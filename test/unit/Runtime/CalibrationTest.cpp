//===- CalibrationTest.cpp - What a device reaches ------------------------===//
//
// Part of Ringi. Which rates there are, how memory and missing kernels bound
// them, and errors; the rates themselves are the machine's.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/Calibration.h"
#include "RuntimeTestSupport.h"

#include <algorithm>

using namespace ringi;
using namespace ringi::runtime;
using namespace ringi::runtime::test;
using program::ElementType;
using program::OpKind;

namespace {

constexpr CalibrationOptions kQuick = {.seconds = 0.001, .largestGemm = 256};

TEST(Calibration, MeasuresEveryTypeOfTheHost) {
  std::unique_ptr<Device> device = host();
  Expected<Calibration> result = calibrate(*device, kQuick);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->device, device->model());
  for (ElementType type : {ElementType::F64, ElementType::F32,
                           ElementType::BF16, ElementType::F16})
    EXPECT_GT(result->bestRate(type), 0) << program::toString(type);
  EXPECT_EQ(result->bestRate(ElementType::I32), 0);
  for (const GemmRate &rate : result->gemm)
    EXPECT_LE(rate.flops, result->bestRate(rate.type));
  EXPECT_EQ(result->gemm.front().size, 128);
  EXPECT_GT(result->bandwidth, 0);
  EXPECT_GT(result->launch, 0);
  EXPECT_GT(result->memory, 0);
}

TEST(Calibration, StaysInsideTheMemory) {
  Expected<std::unique_ptr<Device>> device = makeHostDevice(
      {.threads = 1, .gemm = "ref", .memoryLimit = int64_t(2) << 20});
  ASSERT_TRUE(device);
  Expected<Calibration> result =
      calibrate(**device, {.seconds = 0.5, .largestGemm = 1024});
  ASSERT_TRUE(result) << result.error().message;
  // A quarter holds three f32 matrices of 128 x 128, not of 256 x 256.
  int64_t largest = 0;
  for (const GemmRate &rate : result->gemm)
    if (rate.type == ElementType::F32)
      largest = std::max(largest, rate.size);
  EXPECT_EQ(largest, 128);
}

/// The host without one op kind, or with a wait that fails.
class Crippled : public Device {
public:
  Crippled(OpKind missing, ElementType type, bool waitFails)
      : missing(missing), type(type), waitFails(waitFails) {}
  std::string name() const override { return "crippled"; }
  Expected<std::unique_ptr<Arena>> makeArena(int64_t bytes) override {
    return real->makeArena(bytes);
  }
  Expected<std::unique_ptr<BoundOp>> bind(const OpCall &call) override {
    if (call.kind == missing &&
        (type == ElementType::I8 || call.results[0].type == type))
      return Error::badInput(call.location + ": no kernel");
    return real->bind(call);
  }
  Status copyIn(void *to, const void *from, int64_t bytes) override {
    return real->copyIn(to, from, bytes);
  }
  Status copyOut(void *to, const void *from, int64_t bytes) override {
    return real->copyOut(to, from, bytes);
  }
  Status fill(void *to, uint8_t pattern, int64_t bytes) override {
    return real->fill(to, pattern, bytes);
  }
  Status synchronize() override {
    return waitFails ? Status(Error::badInput("the wait failed"))
                     : Status::success();
  }
  int64_t allocationsInSteps() const override { return -1; }

private:
  std::unique_ptr<Device> real = host();
  OpKind missing;
  /// The type without `missing`; I8 = all types.
  ElementType type;
  bool waitFails;
};

TEST(Calibration, LeavesOutTypesWithoutAProduct) {
  Crippled device(OpKind::Matmul, ElementType::F64, false);
  Expected<Calibration> result = calibrate(device, kQuick);
  ASSERT_TRUE(result) << result.error().message;
  EXPECT_EQ(result->device, "crippled");
  EXPECT_EQ(result->bestRate(ElementType::F64), 0);
  EXPECT_GT(result->bestRate(ElementType::F32), 0);
}

TEST(Calibration, ReportsWhatFails) {
  Crippled noProduct(OpKind::Matmul, ElementType::I8, false);
  Expected<Calibration> result = calibrate(noProduct, kQuick);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "calibration of matmul: no kernel");
  Crippled noSum(OpKind::Add, ElementType::F32, false);
  result = calibrate(noSum, kQuick);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "calibration of add: no kernel");
  Crippled broken(OpKind::Constant, ElementType::I8, true);
  result = calibrate(broken, kQuick);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().message, "the wait failed");
}

} // namespace
