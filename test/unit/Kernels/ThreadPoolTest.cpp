//===- ThreadPoolTest.cpp - Every piece once, whoever does it -------------===//
//
// Part of Ringi. Launches on more threads than processors, where some workers
// always come too late for their share.
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include "Cases.h"

#include <gtest/gtest.h>

#include <atomic>
#include <vector>

using namespace ringi;
using namespace ringi::test;
using runtime::ThreadPool;

namespace {

using Counters = std::vector<std::atomic<int>>;

void countPieces(void *context, int64_t begin, int64_t end, int thread) {
  for (int64_t i = begin; i < end; ++i)
    (*static_cast<Counters *>(context))[size_t(i)].fetch_add(1);
}

TEST(ThreadPool, EveryPieceIsDoneOnce) {
  ThreadPool pool(16);
  const auto &threads = pool.view();
  Counters done(100);
  for (int job = 1; job <= 2000; ++job) {
    const int64_t count = job % 100;
    threads.run(threads.pool, count, countPieces, &done);
    for (int64_t i = 0; i < 100; ++i)
      ASSERT_EQ(done[size_t(i)].exchange(0), i < count ? 1 : 0)
          << "job " << job;
  }
}

TEST(ThreadPool, ManySmallAndLargeLaunchesAgree) {
  const Tensor x = randomTensor(ElementType::F32, {300, 200}, 3);
  RunOptions options;
  options.threads = 3;
  const Outcome once = run(OpKind::Gelu, {}, {x}, {{x.type, x.shape}}, options);
  for (int i = 0; i < 50; ++i)
    ASSERT_EQ(run(OpKind::Gelu, {}, {x}, {{x.type, x.shape}}, options).bytes,
              once.bytes);
}

} // namespace
