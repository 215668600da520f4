//===- Emulation.cpp - Fibers, barriers and warps of one block --*- C++ -*-===//
//
// Part of Ringi. A block runs to completion before the next one starts. Its
// threads are fibers that are created once and reused for every block; a thread
// gives up its turn only at a barrier or a warp collective.
//
//===----------------------------------------------------------------------===//

#include "Emulation.h"

#include <boost/context/fiber.hpp>
#include <boost/context/fixedsize_stack.hpp>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <numeric>
#include <random>

namespace ringi::emulation {

Dim3 currentThread, currentBlock, currentBlockDim, currentGridDim;

namespace {

constexpr size_t kStackBytes = 128 * 1024;
constexpr size_t kRedZoneBytes = 256;
constexpr unsigned char kRedZone = 0xA5;
/// A signalling pattern: as f32 or bf16 it is NaN, as an index it is far away.
constexpr unsigned char kUninitialised = 0xFF;

enum class State : uint8_t { Runnable, AtBarrier, AtCollective, Done };

/// The meeting point of 32 lanes. Slots alternate between two generations, so a
/// fast lane never overwrites what a slow one still reads.
struct Warp {
  alignas(64) std::byte slots[2][kWarpSize][kExchangeBytes];
  uint32_t arrived = 0;
  uint32_t mask = 0;
  Collective kind = Collective::Sync;
  unsigned generation = 0;
};

struct Thread {
  boost::context::fiber fiber;
  State state = State::Done;
  Dim3 index;
};

class Block {
public:
  void run(const char *kernel, Dim3 blockIndex, Dim3 shape, size_t sharedBytes,
           const std::function<void()> &body, ThreadOrder order);
  void *shared() { return sharedStart; }
  void barrier() { suspend(State::AtBarrier); }
  const std::byte *exchange(Collective kind, uint32_t mask, const void *value,
                            size_t bytes);
  int lane() const { return running % kWarpSize; }
  std::vector<std::string> faults;

private:
  void ensureThreads(int count);
  void suspend(State state);
  bool runTurn();
  bool releaseBarrier();
  void explainStall();
  void checkRedZone();
  void fault(int thread, const std::string &what);

  // Fibers live on the heap: their closures refer to them by address.
  std::vector<std::unique_ptr<Thread>> threads;
  std::vector<Warp> warps;
  std::vector<std::byte> sharedStorage;
  std::byte *sharedStart = nullptr;
  size_t sharedSize = 0;
  boost::context::fiber scheduler;
  const std::function<void()> *body = nullptr;
  const char *kernel = "";
  Dim3 blockIndex;
  int count = 0;
  int running = 0;
  bool abandoned = false;
  std::vector<int> turnOrder;
};

void Block::ensureThreads(int wanted) {
  while (int(threads.size()) < wanted) {
    threads.push_back(std::make_unique<Thread>());
    Thread *thread = threads.back().get();
    thread->fiber = boost::context::fiber(
        std::allocator_arg, boost::context::fixedsize_stack(kStackBytes),
        [this, thread](boost::context::fiber &&from) {
          scheduler = std::move(from);
          for (;;) {
            (*body)();
            thread->state = State::Done;
            scheduler = std::move(scheduler).resume();
          }
          return boost::context::fiber();
        });
  }
}

void Block::fault(int thread, const std::string &what) {
  const Dim3 &t = threads[thread]->index;
  char place[160];
  std::snprintf(
      place, sizeof(place),
      "kernel '%s', block (%u, %u, %u), thread (%u, %u, %u): ", kernel,
      blockIndex.x, blockIndex.y, blockIndex.z, t.x, t.y, t.z);
  faults.push_back(place + what);
  abandoned = true;
}

void Block::suspend(State state) {
  threads[running]->state = state;
  scheduler = std::move(scheduler).resume();
}

const std::byte *Block::exchange(Collective kind, uint32_t mask,
                                 const void *value, size_t bytes) {
  Warp &warp = warps[running / kWarpSize];
  int self = lane();
  if (!(mask >> self & 1))
    fault(running, "calls a warp collective whose mask leaves it out");
  if (bytes > kExchangeBytes)
    fault(running, "exchanges more bytes than a lane holds");
  if (warp.arrived == 0) {
    warp.mask = mask;
    warp.kind = kind;
  } else if (warp.mask != mask || warp.kind != kind) {
    fault(running, "meets other lanes of its warp at another collective");
  }
  if (abandoned)
    suspend(State::AtCollective);
  unsigned slot = warp.generation & 1;
  std::memcpy(warp.slots[slot][self], value, bytes);
  warp.arrived |= 1u << self;
  if (warp.arrived == warp.mask) {
    warp.arrived = 0;
    ++warp.generation;
    int base = running - self;
    for (int i = 0; i < kWarpSize && base + i < count; ++i)
      if (threads[base + i]->state == State::AtCollective)
        threads[base + i]->state = State::Runnable;
  } else {
    suspend(State::AtCollective);
  }
  return warp.slots[slot][0];
}

/// Gives every runnable thread one turn. \returns whether any thread ran.
bool Block::runTurn() {
  bool progress = false;
  for (int i : turnOrder) {
    Thread &thread = *threads[i];
    if (thread.state != State::Runnable)
      continue;
    progress = true;
    running = i;
    currentThread = thread.index;
    thread.fiber = std::move(thread.fiber).resume();
    if (abandoned)
      return true;
  }
  return progress;
}

bool Block::releaseBarrier() {
  for (int i = 0; i < count; ++i)
    if (threads[i]->state != State::AtBarrier)
      return false;
  for (int i = 0; i < count; ++i)
    threads[i]->state = State::Runnable;
  return true;
}

void Block::explainStall() {
  for (int i = 0; i < count; ++i) {
    if (threads[i]->state == State::AtCollective)
      return fault(i, "waits at a warp collective that other lanes of its mask "
                      "never reach");
  }
  for (int i = 0; i < count; ++i) {
    if (threads[i]->state == State::AtBarrier)
      return fault(i,
                   "waits at a barrier that other threads of the block never "
                   "reach");
  }
}

void Block::checkRedZone() {
  for (size_t i = 0; i < kRedZoneBytes; ++i) {
    if (sharedStart[sharedSize + i] == std::byte(kRedZone))
      continue;
    return fault(0, "or another of its block wrote " + std::to_string(i + 1) +
                        " bytes past the end of " + std::to_string(sharedSize) +
                        " bytes of shared memory");
  }
}

void Block::run(const char *name, Dim3 index, Dim3 shape, size_t sharedBytes,
                const std::function<void()> &threadBody, ThreadOrder order) {
  kernel = name;
  blockIndex = index;
  body = &threadBody;
  count = int(shape.count());
  abandoned = false;
  ensureThreads(count);
  warps.assign((count + kWarpSize - 1) / kWarpSize, Warp());
  sharedSize = sharedBytes;
  sharedStorage.resize(sharedBytes + kRedZoneBytes + 128);
  auto address = reinterpret_cast<uintptr_t>(sharedStorage.data());
  sharedStart =
      reinterpret_cast<std::byte *>((address + 127) & ~uintptr_t(127));
  std::memset(sharedStart, kUninitialised, sharedBytes);
  std::memset(sharedStart + sharedBytes, kRedZone, kRedZoneBytes);

  for (int i = 0; i < count; ++i) {
    threads[i]->state = State::Runnable;
    threads[i]->index =
        Dim3(i % shape.x, i / shape.x % shape.y, i / shape.x / shape.y);
  }
  turnOrder.resize(count);
  std::iota(turnOrder.begin(), turnOrder.end(), 0);
  if (order == ThreadOrder::Reversed)
    std::reverse(turnOrder.begin(), turnOrder.end());
  if (order == ThreadOrder::Shuffled)
    std::shuffle(turnOrder.begin(), turnOrder.end(), std::mt19937(1));

  while (!abandoned) {
    if (runTurn())
      continue;
    bool finished = std::all_of(
        threads.begin(), threads.begin() + count,
        [](const auto &thread) { return thread->state == State::Done; });
    if (finished)
      break;
    if (!releaseBarrier())
      explainStall();
  }
  if (!abandoned)
    checkRedZone();
  // Suspended fibers of an abandoned block are unwound and made anew.
  if (abandoned)
    threads.clear();
}

Block block;
ThreadOrder threadOrder = ThreadOrder::Forward;

} // namespace

void setThreadOrder(ThreadOrder order) { threadOrder = order; }

void runGrid(const char *kernel, Dim3 grid, Dim3 shape, size_t sharedBytes,
             const std::function<void()> &body) {
  currentGridDim = grid;
  currentBlockDim = shape;
  for (unsigned z = 0; z < grid.z; ++z) {
    for (unsigned y = 0; y < grid.y; ++y) {
      for (unsigned x = 0; x < grid.x; ++x) {
        currentBlock = Dim3(x, y, z);
        block.run(kernel, currentBlock, shape, sharedBytes, body, threadOrder);
      }
    }
  }
}

std::vector<std::string> takeFaults() {
  return std::exchange(block.faults, {});
}

void *sharedMemory() { return block.shared(); }
void blockBarrier() { block.barrier(); }
int laneIndex() { return block.lane(); }

const std::byte *exchange(Collective kind, uint32_t mask, const void *value,
                          size_t bytes) {
  return block.exchange(kind, mask, value, bytes);
}

} // namespace ringi::emulation
