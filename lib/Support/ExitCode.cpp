//===- ExitCode.cpp - Refused plan or bad input ---------------------------===//
//
// Part of Ringi. One flag per process; passes may run on several threads.
//
//===----------------------------------------------------------------------===//

#include "ringi/Support/ExitCode.h"

#include <atomic>

static std::atomic<bool> planRefused{false};

void ringi::notePlanRefused() { planRefused = true; }

int ringi::failureExitCode() { return planRefused ? 1 : 2; }
