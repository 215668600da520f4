//===- DeviceSpec.h - What a device can do ----------------------*- C++ -*-===//
//
// Part of Ringi. The numbers that predicted times are made from: peak rates,
// bandwidth, launch overhead and memory of a device. Built-in entries come from
// the vendors' data sheets (dense rates, no sparsity); measured ones are
// written by `ringi-run --calibrate` in the same JSON.
//
//===----------------------------------------------------------------------===//

#ifndef RINGI_SUPPORT_DEVICESPEC_H
#define RINGI_SUPPORT_DEVICESPEC_H

#include "ringi/Support/Expected.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ringi {

struct DeviceSpec {
  std::string name;
  /// FLOP/s by element type name ("f64", "f32", "bf16", "f16", ...); never
  /// empty.
  std::map<std::string, double> flops;
  /// Bytes per second, > 0.
  double bandwidth = 0;
  /// Seconds per kernel, >= 0.
  double launch = 0;
  /// Bytes, > 0.
  int64_t memory = 0;

  /// FLOP/s for `elementType`; types without an entry run at the f32 rate, or
  /// at the slowest one when that is missing too.
  double flopsFor(const std::string &elementType) const;
};

/// The built-in entry `name`, or nothing.
std::optional<DeviceSpec> findBuiltinDevice(const std::string &name);

/// Names of the built-in entries, ascending.
std::vector<std::string> builtinDeviceNames();

/// Reads {"name": .., "flops": {"f32": ..}, "bandwidth": .., "launch": ..,
/// "memory": ..} and ignores "measured"; any other key is an error.
Expected<DeviceSpec> loadDeviceSpec(const std::string &path);

/// A built-in name, or the path of a JSON file (recognised by its ".json" end).
Expected<DeviceSpec> resolveDevice(const std::string &nameOrPath);

} // namespace ringi

#endif // RINGI_SUPPORT_DEVICESPEC_H
