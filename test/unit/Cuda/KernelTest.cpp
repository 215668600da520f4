//===- KernelTest.cpp - CUDA kernels in the emulation ---------------------===//
//
// Part of Ringi. Every op kind in three thread orders, whose bits must agree: a
// race would make them differ.
//
//===----------------------------------------------------------------------===//

#include "KernelCheck.h"

#include "emulation/Emulation.h"
#include "ringi/Runtime/CudaDevice.h"

#include <gtest/gtest.h>

using namespace ringi;
using namespace ringi::cuda::test;

namespace {

class KernelTest : public testing::TestWithParam<ElementType> {
protected:
  void SetUp() override {
    devices.host = referenceHost();
    devices.cuda = std::move(*runtime::makeCudaDevice({}));
    for (auto order :
         {emulation::ThreadOrder::Forward, emulation::ThreadOrder::Reversed,
          emulation::ThreadOrder::Shuffled})
      devices.rounds.push_back([order] { emulation::setThreadOrder(order); });
  }
  void TearDown() override {
    emulation::setThreadOrder(emulation::ThreadOrder::Forward);
  }

  CheckedDevices devices;
};

TEST_P(KernelTest, EveryKernelAgreesWithTheHost) {
  checkKernels(devices, GetParam());
}
TEST_P(KernelTest, AttentionBackwardAgreesWithTheHost) {
  checkAttentionBackward(devices, GetParam());
}
TEST_P(KernelTest, AdamwAgreesWithTheHost) { checkAdamw(devices, GetParam()); }

TEST_P(KernelTest, RandomParametersAreTheHosts) {
  checkInitializers(devices, GetParam());
}

INSTANTIATE_TEST_SUITE_P(Types, KernelTest,
                         testing::Values(ElementType::F32, ElementType::BF16,
                                         ElementType::F16),
                         [](const auto &info) {
                           return program::EnumNameElementType(info.param);
                         });

} // namespace
