//===- DeviceKernelTest.cpp - CUDA kernels on a device --------------------===//
//
// Part of Ringi. The cases of the emulated tests on a real GPU, twice, whose
// bits must agree. Skipped, with the driver's words, where there is none.
//
//===----------------------------------------------------------------------===//

#include "KernelCheck.h"

#include "ringi/Runtime/CudaDevice.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::cuda::test;

namespace {

class DeviceKernelTest : public testing::TestWithParam<ElementType> {
protected:
  void SetUp() override {
    Expected<std::unique_ptr<runtime::Device>> device =
        runtime::makeCudaDevice({});
    if (!device)
      GTEST_SKIP() << device.error().message;
    devices.host = referenceHost();
    devices.cuda = std::move(*device);
    devices.rounds.assign(2, [] {});
  }

  CheckedDevices devices;
};

TEST_P(DeviceKernelTest, EveryKernelAgreesWithTheHost) {
  checkKernels(devices, GetParam());
}
TEST_P(DeviceKernelTest, AttentionBackwardAgreesWithTheHost) {
  checkAttentionBackward(devices, GetParam());
}
TEST_P(DeviceKernelTest, AdamwAgreesWithTheHost) {
  checkAdamw(devices, GetParam());
}

TEST_P(DeviceKernelTest, RandomParametersAreTheHosts) {
  checkInitializers(devices, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Types, DeviceKernelTest,
                         testing::Values(ElementType::F32, ElementType::BF16,
                                         ElementType::F16),
                         [](const auto &info) {
                           return program::EnumNameElementType(info.param);
                         });

} // namespace
