//===- ThreadPool.h - The host device's fixed threads -----------*- C++ -*-===//
//
// Part of Ringi. Threads are created once; a launch cuts its pieces into one
// contiguous share per thread, wakes them, and does the shares of those that
// come too late itself. No queue, no allocation.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_HOST_THREADPOOL_H
#define RINGI_HOST_THREADPOOL_H

#include "kernels/KernelTable.h"

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace ringi::runtime {

class ThreadPool {
public:
  /// `count` threads in all, the caller of run() included.
  explicit ThreadPool(int count);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The threads and their scratch as kernels see them.
  const Threads &view() const { return threads; }

private:
  static void run(void *pool, int64_t count, Threads::Body body, void *context);
  void work(int thread);
  /// Whether the caller may do this share of this job: true for one thread.
  bool claim(int share, uint32_t job);
  /// Pieces that are next to each other; what a piece computes does not depend
  /// on the thread.
  void runShare(int share, int thread) const;

  struct Free {
    void operator()(void *block) const { std::free(block); }
  };
  std::vector<std::unique_ptr<void, Free>> scratch;
  std::vector<void *> scratchAddresses;
  Threads threads;

  /// The last job in which a share was taken. All shares hold the same number
  /// between jobs, so a worker that wakes too late takes nothing.
  struct alignas(64) Claim {
    std::atomic<uint32_t> job{0};
  };
  std::unique_ptr<Claim[]> claims;

  // One job at a time: its fields are written before `generation` rises.
  Threads::Body body = nullptr;
  void *context = nullptr;
  int64_t count = 0;
  alignas(64) std::atomic<uint32_t> generation{0};
  alignas(64) std::atomic<uint32_t> unfinished{0};
  std::atomic<bool> stopping{false};
  std::vector<std::thread> workers;
};

} // namespace ringi::runtime

#endif // RINGI_HOST_THREADPOOL_H
