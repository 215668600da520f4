//===- ThreadPool.cpp - The host device's fixed threads -------------------===//
//
// Part of Ringi. Waiting threads spin briefly, since the next op of a step
// comes within microseconds, and then sleep on a futex.
//
//===----------------------------------------------------------------------===//

#include "ThreadPool.h"

#include <cstdlib>
#include <new>

using namespace ringi::runtime;

namespace {

/// About 20 microseconds.
constexpr int kSpins = 1000;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#endif
}

/// Waits until `value` differs from `old`; returns what it became.
uint32_t awaitChange(std::atomic<uint32_t> &value, uint32_t old) {
  for (int spin = 0; spin < kSpins; ++spin) {
    const uint32_t now = value.load(std::memory_order_acquire);
    if (now != old)
      return now;
    pause();
  }
  value.wait(old, std::memory_order_acquire);
  return value.load(std::memory_order_acquire);
}

} // namespace

ThreadPool::ThreadPool(int count) : claims(new Claim[size_t(count)]) {
  for (int i = 0; i < count; ++i) {
    scratch.emplace_back(std::aligned_alloc(64, kScratchBytes));
    if (!scratch.back())
      throw std::bad_alloc();
    scratchAddresses.push_back(scratch.back().get());
  }
  threads = {run, this, count, scratchAddresses.data(), kScratchBytes};
  for (int i = 1; i < count; ++i)
    workers.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  stopping.store(true, std::memory_order_relaxed);
  generation.fetch_add(1, std::memory_order_release);
  generation.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

bool ThreadPool::claim(int share, uint32_t job) {
  uint32_t before = job - 1;
  return claims[share].job.compare_exchange_strong(before, job,
                                                   std::memory_order_acq_rel);
}

void ThreadPool::runShare(int share, int thread) const {
  const int64_t begin = count * share / threads.count;
  const int64_t end = count * (share + 1) / threads.count;
  if (begin < end)
    body(context, begin, end, thread);
}

void ThreadPool::run(void *pool, int64_t count, Threads::Body body,
                     void *context) {
  ThreadPool &self = *static_cast<ThreadPool *>(pool);
  self.count = count;
  self.body = body;
  self.context = context;
  const int others = static_cast<int>(self.workers.size());
  self.unfinished.store(others, std::memory_order_relaxed);
  const uint32_t job = self.generation.load(std::memory_order_relaxed) + 1;
  self.generation.store(job, std::memory_order_release);
  self.generation.notify_all();
  self.runShare(0, 0);
  // On a busy machine a worker may not be awake yet: do its share rather than
  // wait for it.
  for (int share = others; share > 0; --share)
    if (self.claim(share, job)) {
      self.runShare(share, 0);
      self.unfinished.fetch_sub(1, std::memory_order_relaxed);
    }
  for (uint32_t left = self.unfinished.load(std::memory_order_acquire);
       left != 0;)
    left = awaitChange(self.unfinished, left);
}

void ThreadPool::work(int thread) {
  uint32_t job = 0;
  for (;;) {
    job = awaitChange(generation, job);
    if (stopping.load(std::memory_order_relaxed))
      return;
    if (!claim(thread, job))
      continue;
    runShare(thread, thread);
    if (unfinished.fetch_sub(1, std::memory_order_acq_rel) == 1)
      unfinished.notify_one();
  }
}
