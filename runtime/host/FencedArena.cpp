//===- FencedArena.cpp - Memory whose end is the mapping's end --*- C++ -*-===//
//
// Part of Ringi. One reservation without access, whose middle is opened so that
// the arena's last byte is the last one that may be touched. The start shares
// its page with at most one page of slack, before which lies another fence. The
// end is a multiple of the huge page size, so that large arenas get huge pages.
//
//===----------------------------------------------------------------------===//

#include "FencedArena.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

using namespace ringi;
using namespace ringi::runtime;

namespace {

constexpr uint64_t kHugePage = uint64_t(2) << 20;
/// Inaccessible bytes on both sides: also a wild row offset lands in them.
constexpr uint64_t kFence = uint64_t(16) << 20;

/// The number after `key` in a file of "key: number" lines; -1 without it.
int64_t numberIn(const char *path, const std::string &key) {
  std::ifstream stream(path);
  std::string word;
  while (stream >> word)
    if (word == key) {
      int64_t value = -1;
      return stream >> value ? value : -1;
    }
  return -1;
}

/// The number a file consists of; -1 for none ("max").
int64_t numberOf(const char *path) {
  std::ifstream stream(path);
  int64_t value = -1;
  return stream >> value ? value : -1;
}

} // namespace

int64_t runtime::availableMemory() {
  int64_t available = std::numeric_limits<int64_t>::max();
  if (int64_t kilobytes = numberIn("/proc/meminfo", "MemAvailable:");
      kilobytes >= 0)
    available = kilobytes * 1024;
  // Control group v2, then v1. Cached file pages count as used there, so only
  // what is not reclaimable is taken off.
  struct Group {
    const char *limit, *statistics, *used;
  };
  for (const Group &group :
       {Group{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.stat",
              "anon"},
        Group{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
              "/sys/fs/cgroup/memory/memory.stat", "total_rss"}}) {
    int64_t limit = numberOf(group.limit);
    int64_t used = numberIn(group.statistics, group.used);
    if (limit >= 0 && used >= 0)
      available = std::min(available, std::max<int64_t>(0, limit - used));
  }
  return available;
}

Expected<std::unique_ptr<Arena>> FencedArena::make(int64_t bytes,
                                                   int64_t limit) {
  int64_t available = limit > 0 ? limit : availableMemory();
  auto tooLarge = [&](const std::string &reason) {
    return Error::badInput(
        "the arena needs " + std::to_string(bytes) + " bytes, " +
        std::to_string(available) + " bytes are available" + reason +
        "; plan with a smaller budget, a smaller batch or more recompute");
  };
  if (bytes <= 0)
    return Error::badInput("the arena needs " + std::to_string(bytes) +
                           " bytes; give a program with at least one buffer");
  if (bytes > available)
    return tooLarge("");

  const uint64_t page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  uint64_t opened = (static_cast<uint64_t>(bytes) + page - 1) / page * page;
  std::unique_ptr<FencedArena> arena(new FencedArena);
  arena->mappingBytes = opened + 2 * kFence + kHugePage;
  arena->mapping = mmap(nullptr, arena->mappingBytes, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (arena->mapping == MAP_FAILED) {
    arena->mapping = nullptr;
    return tooLarge(std::string(" (") + std::strerror(errno) + ")");
  }
  uint64_t end =
      reinterpret_cast<uint64_t>(arena->mapping) + arena->mappingBytes - kFence;
  end = end / kHugePage * kHugePage;
  void *first = reinterpret_cast<void *>(end - opened);
  if (mprotect(first, opened, PROT_READ | PROT_WRITE) != 0)
    return tooLarge(std::string(" (") + std::strerror(errno) + ")");
  // Speed only: without huge pages everything works the same.
  (void)madvise(first, opened, MADV_HUGEPAGE);
  arena->begin = reinterpret_cast<std::byte *>(end - bytes);
  arena->size = bytes;
  return std::unique_ptr<Arena>(std::move(arena));
}

FencedArena::~FencedArena() {
  if (mapping)
    munmap(mapping, mappingBytes);
}
