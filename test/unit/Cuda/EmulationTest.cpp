//===- EmulationTest.cpp - The emulation finds planted faults -------------===//
//
// Part of Ringi. A kernel test is worth what the emulation can see: barriers,
// collectives, shared memory, races and the end of the arena.
//
//===----------------------------------------------------------------------===//

#include "Portable.h"

#include "../../../runtime/host/FencedArena.h"

#include <gtest/gtest.h>

#include <vector>

using namespace ringi;
using namespace ringi::cuda;

namespace {

constexpr uint32_t kAll = 0xffffffffu;

__global__ void blockSumKernel(const float *x, float *y, int elements) {
  RINGI_SHARED_MEMORY(float, partial);
  float sum = 0.0f;
  for (int i = int(threadIdx.x); i < elements; i += int(blockDim.x))
    sum += x[i];
  for (int lanes = 16; lanes > 0; lanes /= 2)
    sum += __shfl_xor_sync(kAll, sum, lanes);
  if (threadIdx.x % 32 == 0)
    partial[threadIdx.x / 32] = sum;
  __syncthreads();
  if (threadIdx.x == 0) {
    float total = 0.0f;
    for (unsigned warp = 0; warp < blockDim.x / 32; ++warp)
      total += partial[warp];
    y[blockIdx.x] = total;
  }
}

__global__ void divergingBarrierKernel() {
  if (threadIdx.x < 3)
    __syncthreads();
}

__global__ void incompleteShuffleKernel(int *out) {
  if (threadIdx.x < 16)
    out[threadIdx.x] = __shfl_xor_sync(kAll, int(threadIdx.x), 1);
}

__global__ void sharedOverrunKernel() {
  RINGI_SHARED_MEMORY(float, shared);
  shared[threadIdx.x + 1] = 0.0f;
}

/// Reads a neighbour's value without a barrier in between.
__global__ void racyKernel(int *out) {
  RINGI_SHARED_MEMORY(int, shared);
  shared[threadIdx.x] = int(threadIdx.x);
  out[threadIdx.x] = shared[(threadIdx.x + 1) % blockDim.x];
}

__global__ void ballotKernel(uint32_t *out) {
  out[threadIdx.x] = __ballot_sync(kAll, threadIdx.x % 3 == 0);
}

__global__ void writeKernel(char *x, int64_t index) { x[index] = 1; }

std::string onlyFault() {
  std::vector<std::string> faults = emulation::takeFaults();
  return faults.size() == 1 ? faults[0]
                            : std::to_string(faults.size()) + " faults";
}

TEST(Emulation, SumsOverBlockAndWarps) {
  std::vector<float> x(1000, 1.0f), y(3);
  launch("sum", blockSumKernel, {dim3(3), dim3(256), 32}, nullptr, x.data(),
         y.data(), 1000);
  EXPECT_EQ(y, std::vector<float>(3, 1000.0f));
  EXPECT_TRUE(emulation::takeFaults().empty());
}

TEST(Emulation, VotesOverAWarp) {
  std::vector<uint32_t> votes(32);
  launch("ballot", ballotKernel, {dim3(1), dim3(32), 0}, nullptr, votes.data());
  EXPECT_EQ(votes, std::vector<uint32_t>(32, 0x49249249u));
}

TEST(Emulation, NamesTheThreadAtADivergingBarrier) {
  launch("diverging", divergingBarrierKernel, {dim3(1), dim3(64), 0}, nullptr);
  EXPECT_EQ(onlyFault(),
            "kernel 'diverging', block (0, 0, 0), thread (0, 0, 0): waits at a "
            "barrier that other threads of the block never reach");
}

TEST(Emulation, NamesTheThreadAtAnIncompleteCollective) {
  std::vector<int> out(32);
  launch("shuffle", incompleteShuffleKernel, {dim3(1), dim3(32), 0}, nullptr,
         out.data());
  EXPECT_EQ(onlyFault(),
            "kernel 'shuffle', block (0, 0, 0), thread (0, 0, 0): waits at a "
            "warp collective that other lanes of its mask never reach");
}

TEST(Emulation, FindsAWritePastSharedMemory) {
  launch("overrun", sharedOverrunKernel, {dim3(1), dim3(32), 128}, nullptr);
  EXPECT_NE(onlyFault().find("past the end of 128 bytes of shared memory"),
            std::string::npos);
}

TEST(Emulation, ThreadOrdersExposeARace) {
  std::vector<int> forward(64), reversed(64);
  LaunchShape shape{dim3(1), dim3(64), 64 * sizeof(int)};
  launch("racy", racyKernel, shape, nullptr, forward.data());
  emulation::setThreadOrder(emulation::ThreadOrder::Reversed);
  launch("racy", racyKernel, shape, nullptr, reversed.data());
  emulation::setThreadOrder(emulation::ThreadOrder::Forward);
  EXPECT_NE(forward, reversed);
}

TEST(EmulationDeathTest, FaultsAtTheFirstByteBehindTheArena) {
  Expected<std::unique_ptr<runtime::Arena>> arena =
      runtime::FencedArena::make(4096, 0);
  ASSERT_TRUE(arena);
  auto *bytes = reinterpret_cast<char *>((*arena)->data());
  launch("inside", writeKernel, {dim3(1), dim3(1), 0}, nullptr, bytes,
         int64_t(4095));
  EXPECT_DEATH(launch("behind", writeKernel, {dim3(1), dim3(1), 0}, nullptr,
                      bytes, int64_t(4096)),
               "");
}

TEST(Emulation, GoesOnAfterAFault) {
  launch("diverging", divergingBarrierKernel, {dim3(2), dim3(64), 0}, nullptr);
  EXPECT_EQ(emulation::takeFaults().size(), 2u);
  std::vector<float> x(64, 1.0f), y(1);
  launch("sum", blockSumKernel, {dim3(1), dim3(64), 32}, nullptr, x.data(),
         y.data(), 64);
  EXPECT_EQ(y[0], 64.0f);
}

} // namespace
