//===- AllocationHooks.cpp - malloc that counts -----------------*- C++ -*-===//
//
// Part of Ringi. Replaces the C allocation functions of the executable that
// links it by ones that count and forward to glibc. operator new calls malloc,
// so that it is counted too. Under a sanitizer, which replaces malloc itself,
// this file is empty and nothing is counted.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/AllocationCounter.h"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) &&                    \
    !defined(__SANITIZE_THREAD__)

#include <atomic>
#include <cerrno>
#include <cstddef>

extern "C" {
void *__libc_malloc(size_t);
void *__libc_calloc(size_t, size_t);
void *__libc_realloc(void *, size_t);
void *__libc_memalign(size_t, size_t);
void __libc_free(void *);
}

namespace {

std::atomic<int64_t> count{0};

void countOne() { count.fetch_add(1, std::memory_order_relaxed); }

struct Registration {
  Registration() {
    ringi::runtime::setAllocationCounter(
        [] { return count.load(std::memory_order_relaxed); });
  }
} registration;

} // namespace

extern "C" {

void *malloc(size_t size) {
  countOne();
  return __libc_malloc(size);
}

void *calloc(size_t number, size_t size) {
  countOne();
  return __libc_calloc(number, size);
}

void *realloc(void *pointer, size_t size) {
  countOne();
  return __libc_realloc(pointer, size);
}

void *memalign(size_t alignment, size_t size) {
  countOne();
  return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) {
  countOne();
  return __libc_memalign(alignment, size);
}

int posix_memalign(void **result, size_t alignment, size_t size) {
  countOne();
  void *pointer = __libc_memalign(alignment, size);
  if (!pointer)
    return ENOMEM;
  *result = pointer;
  return 0;
}

void free(void *pointer) { __libc_free(pointer); }

} // extern "C"

#endif
