//===- Settings.cpp - The device that the emulation plays -------*- C++ -*-===//
//
// Part of Ringi. Test-only: reads the environment. What is not set or not a
// number keeps its default.
//
//===----------------------------------------------------------------------===//

#include "Settings.h"

#include <cstdio>
#include <cstdlib>

namespace ringi::emulation {

namespace {

std::string variable(const char *name) {
  const char *value = std::getenv(name);
  return value ? value : "";
}

int64_t number(const char *name, int64_t otherwise) {
  std::string text = variable(name);
  char *end = nullptr;
  long long value = std::strtoll(text.c_str(), &end, 10);
  return text.empty() || *end ? otherwise : value;
}

} // namespace

Settings Settings::fromEnvironment() {
  Settings settings;
  settings.memory = number("RINGI_EMULATED_MEMORY", 0);
  settings.gemmWorkspace = number("RINGI_EMULATED_GEMM_WORKSPACE", 0);
  settings.library = number("RINGI_EMULATED_LIBRARY", 1);
  std::sscanf(variable("RINGI_EMULATED_CAPABILITY").c_str(), "%d.%d",
              &settings.major, &settings.minor);
  std::string fail = variable("RINGI_EMULATED_FAIL");
  if (size_t colon = fail.find(':'); colon != std::string::npos) {
    settings.failingCall = fail.substr(0, colon);
    settings.failingIndex = std::atoll(fail.c_str() + colon + 1);
  }
  return settings;
}

Status CallLog::call(const std::string &name) {
  if (name != settings.failingCall || count[name]++ != settings.failingIndex)
    return Status::success();
  return Error::badInput(name + " failed: injected by the emulation");
}

} // namespace ringi::emulation
