//===- AllocationCounter.cpp - How many times malloc was called -*- C++ -*-===//
//
// Part of Ringi. Knows the hooks by a function pointer, so that the library
// links with and without them.
//
//===----------------------------------------------------------------------===//

#include "ringi/Runtime/AllocationCounter.h"

using namespace ringi;

namespace {
// Constant-initialised: the hooks register before any constructor runs.
int64_t (*currentCounter)() = nullptr;
} // namespace

int64_t runtime::allocationCount() {
  return currentCounter ? currentCounter() : -1;
}

void runtime::setAllocationCounter(int64_t (*counter)()) {
  currentCounter = counter;
}
