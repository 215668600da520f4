//===- AllocationCounter.h - How many times malloc was called ---*- C++ -*-===//
//
// Part of Ringi. For the proof that steps allocate nothing. Counting needs
// malloc to be replaced, which only an executable can do: link the object
// library RingiAllocationHooks into it.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_RUNTIME_ALLOCATIONCOUNTER_H
#define RINGI_RUNTIME_ALLOCATIONCOUNTER_H

#include <cstdint>

namespace ringi::runtime {

/// Calls of malloc, calloc, realloc, aligned allocation and operator new of
/// the whole process so far; -1 when this executable does not count.
int64_t allocationCount();

/// Called once by the hooks.
void setAllocationCounter(int64_t (*counter)());

} // namespace ringi::runtime

#endif // RINGI_RUNTIME_ALLOCATIONCOUNTER_H
