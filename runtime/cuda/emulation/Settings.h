//===- Settings.h - The device that the emulation plays ---------*- C++ -*-===//
//
// Part of Ringi. Test-only: environment variables give the emulated device a
// size, a compute capability and calls that fail, so that every message of the
// CUDA device is tested without one.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_CUDA_EMULATION_SETTINGS_H
#define RINGI_CUDA_EMULATION_SETTINGS_H

#include "ringi/Support/Expected.h"

#include <cstdint>
#include <map>

namespace ringi::emulation {

struct Settings {
  /// RINGI_EMULATED_MEMORY: bytes of the device; 0 = what the host has.
  int64_t memory = 0;
  /// RINGI_EMULATED_CAPABILITY, "major.minor".
  int major = 8, minor = 0;
  /// RINGI_EMULATED_GEMM_WORKSPACE: scratch without which no GEMM runs.
  int64_t gemmWorkspace = 0;
  /// RINGI_EMULATED_LIBRARY: version of the GEMM library.
  int64_t library = 1;
  /// RINGI_EMULATED_FAIL, "call:n": the n-th (from 0) call of that name fails.
  std::string failingCall;
  int64_t failingIndex = 0;

  static Settings fromEnvironment();
};

/// Counts calls by name and fails the one that the settings name.
class CallLog {
public:
  explicit CallLog(const Settings &settings) : settings(settings) {}
  /// The error is worded as CudaCall.h words one.
  Status call(const std::string &name);

private:
  const Settings &settings;
  std::map<std::string, int64_t> count;
};

} // namespace ringi::emulation

#endif // RINGI_CUDA_EMULATION_SETTINGS_H
